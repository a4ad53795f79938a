"""The service worker: written last, since it names every file of the site by its hash.

`extra.offline: false` in mkdocs.yml writes one that clears what earlier ones kept and goes; so does `serve`, for a
browser that has met a built site at the same address.
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
NEVER_READ = (".map", "sitemap.xml.gz", ".nojekyll", "404.html", "gallery.html", SCRIPT)
"""Files that a reader without a network does not ask for."""


def write(site: Path, *, on: bool = True) -> None:
    """Write the service worker of a built site into it."""
    describes = json.dumps(describe(site)) if on else "null"
    (site / SCRIPT).write_text(tools.bundle(SOURCE, SITE=describes), encoding="utf-8")


def describe(site: Path) -> dict[str, object]:
    """The files to keep with their hashes, the runtime's folder, and a version over all of them."""
    kept = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*")) if path.is_file()}
    files = {name: integrity(path) for name, path in kept.items() if _is_read(name)}
    folders = {"/".join(name.split("/")[:3]) + "/" for name in files if name.startswith(RUNTIME)}
    (runtime,) = folders
    version = hashlib.sha256(json.dumps(files).encode()).hexdigest()[:16]
    return {"version": version, "runtime": runtime, "files": files}


def integrity(path: Path) -> str:
    """The hash of a file, as `fetch` takes it."""
    return f"sha256-{base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()}"


def _is_read(name: str) -> bool:
    on_disk_only = name.startswith(RUNTIME) and "/disk/" in name
    return not on_disk_only and not name.endswith(NEVER_READ)


def main(_: list[str]) -> int:
    """Write it for the site that is built."""
    write(SITE)
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.offline", main)
