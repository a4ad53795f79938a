"""Builds the site into site/, with MkDocs' --strict: a warning about a link, an anchor or a slot is an error."""

import argparse
from pathlib import Path

from site_hooks import environment, tools
from site_hooks.build_cache import digest
from site_hooks.environment import CACHE, HERE, ROOT

SITE = ROOT / "site"
SOURCES = (ROOT / "docs", ROOT / "kvcore", HERE, ROOT / "mkdocs.yml", ROOT / "pyproject.toml", ROOT / "LICENSE")
_BUILT_FROM = CACHE / "site.txt"


def build(folder: Path = SITE) -> None:
    """Build the site into a folder.

    Raises:
        UnmetNeed: MkDocs failed; the message is what it wrote.
    """
    sources = digest(SOURCES)
    print(tools.python("-m", "mkdocs", "build", "--quiet", "--strict", "--clean", "--site-dir", folder), end="")
    (folder / ".nojekyll").touch()  # else GitHub Pages would run Jekyll over the site
    if folder == SITE:
        _BUILT_FROM.write_text(sources, encoding="utf-8")


def fresh() -> Path:
    """The folder site/, built again only if the sources have changed since."""
    if not _BUILT_FROM.is_file() or not SITE.is_dir() or _BUILT_FROM.read_text("utf-8") != digest(SOURCES):
        build()
    return SITE


def main(arguments: list[str]) -> int:
    """Build, and print the folder and its size."""
    parser = argparse.ArgumentParser(prog="python -m site_hooks build", description=__doc__)
    parser.add_argument("--site-dir", type=Path, default=SITE, help="the folder to build into (default: site)")
    folder = parser.parse_args(arguments).site_dir.resolve()
    build(folder)
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    print(f"site_hooks: {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB, in {folder}")
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.build", main)
