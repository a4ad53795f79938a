"""`make oracle`: asks transformers' own models about thousands of configs, and writes what they say where the tests read it.

Nothing else needs torch, so it has an environment of its own, made once under .cache/oracle from requirements.txt.
`--python PATH` names a Python that has these packages already; all other arguments go to `site_hooks.oracle`.
"""

import os
from pathlib import Path

from site_hooks import environment, tools
from site_hooks.build_cache import digest
from site_hooks.environment import CACHE, HERE, UnmetNeed

REQUIREMENTS = HERE / "oracle" / "requirements.txt"


def installed() -> Path:
    """The Python of the environment; it is made if there is none for these requirements.

    Raises:
        UnmetNeed: A package cannot be installed.
    """
    folder = CACHE / "oracle" / digest([REQUIREMENTS])
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if not done.exists():
        print(f"site_hooks: installing torch and transformers into {folder.relative_to(environment.ROOT)}", flush=True)
        tools.python("-m", "venv", "--clear", folder)
        tools.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS]
        )
        done.touch()
    return python


def main(arguments: list[str]) -> int:
    """Make the environment if none is named, and ask there."""
    if "--python" in arguments:
        place = arguments.index("--python")
        if place + 1 == len(arguments):
            raise UnmetNeed("--python needs the path of a Python that has torch and transformers")
        python, arguments = Path(arguments[place + 1]), arguments[:place] + arguments[place + 2 :]
    else:
        python = installed()
    return tools.show([python, "-B", "-m", "site_hooks.oracle", *arguments])


if __name__ == "__main__":
    environment.step("site_hooks.oracle.command", main)
