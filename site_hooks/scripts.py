"""The page's own script: checked by TypeScript, bundled by esbuild as one classic script, named by its content."""

import hashlib

from site_hooks import environment, tools
from site_hooks.environment import HERE, ROOT

PAGE = ROOT / "docs" / "assets" / "page.js"
PROJECTS = ("tsconfig.page.json", "tsconfig.worker.json")


def bundle() -> tuple[str, str]:
    """The address that the bundled page script has in the site, and its text."""
    script = tools.bundle(PAGE)
    return f"assets/page.{hashlib.sha256(script.encode()).hexdigest()[:16]}.js", script


def check() -> None:
    """Check the types of every script in docs/assets, as strictly as TypeScript can.

    Raises:
        UnmetNeed: A type does not fit; the message is TypeScript's.
    """
    for project in PROJECTS:
        tools.node(tools.TSC, "--project", HERE / project)


def main(_: list[str]) -> int:
    """Say where it is."""
    check()
    print(bundle()[0])
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.scripts", main)
