"""Builds kvcore's wheel from pyproject.toml, reproducibly; this one file is tested and published."""

from pathlib import Path

from site_hooks import environment, tools
from site_hooks.build_cache import digest, making
from site_hooks.environment import CACHE, ROOT

SOURCES = (ROOT / "kvcore", ROOT / "pyproject.toml", ROOT / "LICENSE")
EPOCH = (
    "1577836800"  # the start of 2020: the date of every file in the wheel, so that its bytes do not depend on the day
)


def build() -> Path:
    """The wheel of kvcore, from the build cache if the sources have not changed."""
    folder = CACHE / "wheel" / digest(SOURCES)
    if not folder.is_dir():
        with making(folder) as made:
            tools.python("-m", "hatchling", "build", "-t", "wheel", "-d", made, env={"SOURCE_DATE_EPOCH": EPOCH})
    return next(folder.glob("*.whl"))


def main(_: list[str]) -> int:
    """Print its path."""
    print(build())
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.wheel", main)
