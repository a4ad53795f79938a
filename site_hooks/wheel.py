"""kvcore as a wheel: built once from pyproject.toml, the same bytes from the same sources, and that very file ships."""

from pathlib import Path

from site_hooks import environment, tools
from site_hooks.build_cache import digest, making
from site_hooks.environment import CACHE, ROOT

SOURCES = (ROOT / "kvcore", ROOT / "pyproject.toml", ROOT / "LICENSE")
EPOCH = "1577836800"  # the start of 2020: a date inside the wheel must not be the day it was built


def build() -> Path:
    """The wheel of kvcore as it is on disk now, built only if it was not built before."""
    folder = CACHE / "wheel" / digest(SOURCES)
    if not folder.is_dir():
        with making(folder) as made:
            tools.python("-m", "hatchling", "build", "-t", "wheel", "-d", made, env={"SOURCE_DATE_EPOCH": EPOCH})
    return next(folder.glob("*.whl"))


def main(_: list[str]) -> int:
    """Say where it is."""
    print(build())
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.wheel", main)
