"""Checks lint, formatting and types of Python and JavaScript; all checks run before the command fails."""

import sys

from site_hooks import environment, scripts, tools
from site_hooks.environment import UnmetNeed

CHECKS = (
    ("-m", "ruff", "check", "--quiet", "."),
    ("-m", "ruff", "format", "--quiet", "--check", "--diff", "."),
    ("-m", "mypy", "--no-error-summary"),
)


def main(arguments: list[str]) -> int:  # noqa: ARG001 - every command takes arguments
    """Run every check, and return 1 if one of them failed."""
    failed = [" ".join(check[1:3]) for check in CHECKS if tools.show([sys.executable, *check])]
    try:
        scripts.check()
    except UnmetNeed as problem:
        print(problem)
        failed.append("tsc")
    print(f"site_hooks: {', '.join(failed)} failed" if failed else "site_hooks: every check passed")
    return 1 if failed else 0


if __name__ == "__main__":
    environment.step("site_hooks.check", main)
