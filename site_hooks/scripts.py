"""The page's script: type-checked by TypeScript, and bundled by esbuild as one classic script with a hash in its name."""

import hashlib

from site_hooks import environment, tools
from site_hooks.environment import HERE, ROOT

PAGE = ROOT / "docs" / "assets" / "page.js"
PROJECTS = ("tsconfig.page.json", "tsconfig.worker.json")


def bundle() -> tuple[str, str]:
    """The address of the page's bundled script in the site, and its text."""
    script = tools.bundle(PAGE)
    return f"assets/page.{hashlib.sha256(script.encode()).hexdigest()[:16]}.js", script


def check() -> None:
    """Check the types of every script in docs/assets, in TypeScript's strict mode.

    Raises:
        UnmetNeed: There is a type error; the message is TypeScript's.
    """
    for project in PROJECTS:
        tools.node(tools.TSC, "--project", HERE / project)


def main(_: list[str]) -> int:
    """Check, and print the bundle's address in the site."""
    check()
    print(bundle()[0])
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.scripts", main)
