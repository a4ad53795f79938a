"""Writes the sizes of the site's files into the README, as a table between two comments."""

import re
from collections.abc import Iterator
from pathlib import Path

from site_hooks import build, environment, readme

LISTED = 100_000
"""Files of more bytes than this have their own row."""

_HASH = re.compile(r"\b[0-9a-f]{8,16}\b")
_FOR = {
    "disk": "only for a page that was opened from disk",
    "library.zip.gzip": "boot method `api`",
    "kvcore": "boot method `api`",
    "pyodide.asm.wasm.gzip": "boot method `delta`: CPython",
    "snapshot.gzip": "boot method `delta`: its memory, with kvcore imported",
    "worker.js": "every boot: the worker, with Pyodide's scripts",
    "html": "a page, complete without scripts",
    "javascripts": "the theme",
    "stylesheets": "the theme",
}


def table(site: Path) -> str:
    """The table for a built site, in Markdown."""
    sizes = {path.relative_to(site).as_posix(): path.stat().st_size for path in site.rglob("*") if path.is_file()}
    large = sorted((name for name in sizes if sizes[name] > LISTED), key=lambda name: (-sizes[name], name))
    disk = sum(size for name, size in sizes.items() if "/disk/" in name)
    rows = [
        "| file | bytes | read for |",
        "|---|--:|---|",
        *(f"| `{_HASH.sub('HASH', name)}` | {sizes[name]:,} | {_purpose(name)} |" for name in large),
        f"| {len(sizes) - len(large)} smaller ones | {sum(sizes.values()) - sum(sizes[name] for name in large):,} | |",
        f"| all {len(sizes)} | {sum(sizes.values()):,} | {sum(sizes.values()) - disk:,} of them over a network |",
    ]
    return "\n".join(rows) + "\n"


def _purpose(name: str) -> str:
    return next(_purposes(name), "")


def _purposes(name: str) -> Iterator[str]:
    parts = name.split("/")
    for part, purpose in _FOR.items():
        if part in parts or parts[-1].startswith(part + "-") or parts[-1].endswith("." + part):
            yield purpose


def main(_: list[str]) -> int:
    """Write the table into the README, for the site as it is now."""
    readme.write("sizes", table(build.fresh()))
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.sizes", main)
