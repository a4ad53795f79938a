"""Writes the service worker, after everything else, since it names every file of the site with its hash.

With `extra.offline: false` in mkdocs.yml it writes one that deletes the caches of earlier ones and unregisters itself. So it
does under `serve`, for a browser that has an earlier service worker from the same address.
"""

import base64
import hashlib
import json
from pathlib import Path

from site_hooks import environment, tools
from site_hooks.build import SITE
from site_hooks.environment import ROOT

SCRIPT = "sw.js"
SOURCE = ROOT / "docs" / "assets" / SCRIPT
RUNTIME = "assets/runtime/"
NOT_NEEDED = (".map", "sitemap.xml.gz", ".nojekyll", "404.html", "gallery.html", "bill-of-materials.json", SCRIPT)
"""Endings of files that are not needed offline."""


def write(site: Path, *, on: bool = True) -> None:
    """Write the service worker into a built site; `on=False` writes the one that removes itself."""
    describes = json.dumps(describe(site)) if on else "null"
    (site / SCRIPT).write_text(tools.bundle(SOURCE, SITE=describes), encoding="utf-8")


def describe(site: Path) -> dict[str, object]:
    """What the service worker must know: the files to cache with their hashes, the runtime's folder, and a version over all of them."""
    cached = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*")) if path.is_file()}
    files = {name: integrity(path) for name, path in cached.items() if _is_needed(name)}
    folders = {"/".join(name.split("/")[:3]) + "/" for name in files if name.startswith(RUNTIME)}
    (runtime,) = folders
    version = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]
    return {"version": version, "runtime": runtime, "files": files}


def integrity(path: Path) -> str:
    """The hash of a file, in the form of the `integrity` option of `fetch`."""
    return f"sha256-{base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}"


def _is_needed(name: str) -> bool:
    on_disk_only = name.startswith(RUNTIME) and "/disk/" in name
    return not on_disk_only and not name.endswith(NOT_NEEDED)


def main(_: list[str]) -> int:
    """Write the service worker of the site in site/."""
    write(SITE)
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.offline", main)
