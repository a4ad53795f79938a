"""The pages that are compared, each in a folder under one host: the built site, and small pages that do the same job in other ways.

All answer the same request, the one that our page sends when its first control moves, with the same wheel of kvcore.
The others hold less: no theme, no article, no figures before Python has drawn them. "No widget" is our page without its
script: what the article alone costs.
"""

import json
import re
import shutil
from pathlib import Path

from kvcore.page import update
from site_hooks import wheel
from site_hooks.environment import NODE_MODULES

HERE = Path(__file__).parent
THIS, PLAIN, PYSCRIPT, STILL = "this page", "plain Pyodide", "PyScript", "no widget"
PAGES = {THIS: "this/index.html", PLAIN: "plain/index.html", PYSCRIPT: "pyscript/index.html", STILL: "still/index.html"}
BATCH = "16"
_WIDGET = re.compile(r'<script src="assets/page\.[^>]*></script>|<meta name="explainer-[^>]*>')


def generate(site: Path, folder: Path) -> None:
    """Write every page, and all that it loads, into the folder."""
    shutil.copytree(site, folder / "this")
    shutil.copytree(site, folder / "still", ignore=shutil.ignore_patterns("runtime", "sw.js"))
    still, found = _WIDGET.subn("", (site / "index.html").read_text("utf-8"))
    if found < 2:
        raise ValueError("index.html no longer has the script or the meta tag that this removes")
    (folder / "still" / "index.html").write_text(still, encoding="utf-8")
    shutil.copytree(NODE_MODULES / "pyodide", folder / "pyodide")
    shutil.copytree(NODE_MODULES / "@pyscript" / "core" / "dist", folder / "pyscript" / "core")
    package = wheel.build()
    shutil.copyfile(package, folder / package.name)
    for name in ("plain", "pyscript"):
        page = (HERE / "pages" / f"{name}.html").read_text("utf-8").replace("WHEEL", f"../{package.name}")
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "index.html").write_text(page, encoding="utf-8")


def request(batch: str = BATCH) -> str:
    """The request that our page sends when the batch is the first control to move."""
    asked = {"batch": batch, "changed": ["batch"], "settled": True, "view": "wide", "hold": update({})["hold"]}
    return json.dumps(asked)


def probe() -> str:
    """The script that measures a page, with the request to send and the right answer to it."""
    slots = json.loads(update(request()))["slots"]
    (expected,) = re.findall(r'<data value="(\d+)"', slots["lab.cache_total"])[:1]
    given = json.dumps({"request": request(), "expected": expected})
    return f"(() => {{ const GIVEN = {given};\n{(HERE / 'probe.js').read_text('utf-8')}\n}})();"
