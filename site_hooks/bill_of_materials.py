"""Writes the bill of materials: the parts that the site is made of, and every file of it with its SHA-256 and its parts.

The file is CycloneDX 1.6 in JSON. A part has its name, version and licence as its own package states them; a file names the
parts in it under `dependencies`. The file itself is not listed, nor is an empty one. It has no date, so the same site gives the same bytes.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path

from site_hooks import environment, snapshot
from site_hooks.build import SITE
from site_hooks.build_cache import files
from site_hooks.environment import NODE_MODULES, ROOT, UnmetNeed

NAME = "bill-of-materials.json"
SPECIFICATION = "1.6"

_SITE, _KVCORE, _PYODIDE, _CPYTHON, _EMSCRIPTEN = "site", "kvcore", "pyodide", "cpython", "emscripten"
_KATEX, _THEME, _ICONS = "katex", "mkdocs-material", "material-icons"
_INTERPRETER = (_PYODIDE, _CPYTHON, _EMSCRIPTEN)

_CONTENTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("assets/runtime/*/manifest.json", (_SITE,)),
    ("assets/runtime/*/worker.js", (_SITE, _PYODIDE, _EMSCRIPTEN)),
    ("assets/runtime/*/pyodide.asm.wasm.gzip", _INTERPRETER),
    ("assets/runtime/*/snapshot.gzip", (*_INTERPRETER, _KVCORE)),
    ("assets/runtime/*/library.zip.gzip", (_CPYTHON, _PYODIDE)),
    ("assets/runtime/*/pyodide-lock.json", (_PYODIDE, _KVCORE)),
    ("assets/runtime/*/kvcore-*.whl", (_KVCORE,)),
    ("assets/katex/*", (_KATEX,)),
    ("assets/stylesheets/*", (_THEME, _ICONS)),
    ("assets/javascripts/*", (_THEME,)),
    ("assets/images/favicon.png", (_THEME,)),
    ("*.html", (_SITE, _KATEX, _THEME, _ICONS)),
    ("assets/*.css", (_SITE,)),
    ("assets/page.*.js", (_SITE,)),
    ("assets/favicon.svg", (_SITE,)),
    ("sw.js", (_SITE,)),
    ("sitemap.xml*", (_SITE,)),
)
"""What a file with such a path is made of; the first pattern that matches decides."""

_LINKED = {
    "bzip2": ({"id": "bzip2-1.0.6"}, rb"(1\.0\.\d), \d+-\w+-\d{4}"),
    "expat": ({"id": "MIT"}, rb"expat_(\d+\.\d+\.\d+)"),
    "libffi": ({"id": "MIT"}, rb"ffi_prep_cif()"),
    "liblzma": ({"name": "public domain"}, rb"lzma_code()"),
    "libmpdec": ({"id": "BSD-2-Clause"}, rb"PyInit__decimal()"),
    "sqlite": ({"id": "blessing"}, rb"sqlite3_open_v2()"),
    "zlib": ({"id": "Zlib"}, rb"inflate (\d+\.\d+\.\d+) Copyright"),
    "zstd": ({"id": "BSD-3-Clause"}, rb"ZSTD_isError()"),
}
"""Libraries that are linked into Pyodide's interpreter: their licences, and what shows in the file that they are there, with
their version if the file says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the site.

    licence: its identifier in SPDX's list, or a name if it is not in that list. text: the licence's text, if the part's
    package has it. address: its package URL, by which tools find advisories.
    """

    name: str
    version: str
    licence: Mapping[str, str]
    address: str
    text: str = ""

    def component(self, inside: list[dict[str, object]]) -> dict[str, object]:
        """The part as a component, with the components inside it."""
        text = {"text": {"contentType": "text/plain", "content": self.text}} if self.text else {}
        return {
            "type": "library",
            "bom-ref": self.address,
            "name": self.name,
            "version": self.version,
            "purl": self.address,
            "licenses": [{"license": {**self.licence, **text}}],
            **({"components": inside} if inside else {}),
        }


def write(site: Path) -> None:
    """Write the bill of materials into a built site, after every other file.

    Raises:
        UnmetNeed: A file of the site is made of nothing that is known here.
    """
    (site / NAME).write_text(json.dumps(describe(site), indent=1) + "\n", encoding="utf-8")


def describe(site: Path) -> dict[str, object]:
    """The bill of materials of a built site."""
    known = parts()
    shipped = {path.relative_to(site).as_posix(): path for path in files(site) if path.stat().st_size}
    shipped.pop(NAME, None)
    linked = linked_libraries()
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPECIFICATION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": _SITE, "name": _SITE, "version": known[_KVCORE].version}
        },
        "components": [
            *(part.component(linked if name == _PYODIDE else []) for name, part in known.items()),
            *(_file(name, path) for name, path in sorted(shipped.items())),
        ],
        "dependencies": [
            {"ref": name, "dependsOn": [known[part].address if part in known else part for part in contents(name)]}
            for name in sorted(shipped)
        ],
    }


def contents(name: str) -> tuple[str, ...]:
    """The parts that the file with this path in the site is made of. A copy in disk/ is made of what its file is.

    Raises:
        UnmetNeed: No pattern knows such a file.

    >>> contents("assets/runtime/0a/disk/worker.js.js")
    ('site', 'pyodide', 'emscripten')
    """
    file = re.sub(r"^(assets/runtime/[^/]+/)disk/(.*)\.js$", r"\1\2", name)
    for pattern, made_of in _CONTENTS:
        if fnmatchcase(file, pattern):
            return made_of
    raise UnmetNeed(f"{name} is made of nothing that site_hooks/bill_of_materials.py knows: name its part there.")


def parts() -> dict[str, Part]:
    """Every part that is not the site's own pages and scripts, as their installed packages state them."""
    katex, pyodide = (_package(NODE_MODULES / name) for name in ("katex", "pyodide"))
    info = json.loads((snapshot.PYODIDE / "pyodide-lock.json").read_text("utf-8"))["info"]
    theme = metadata.metadata("mkdocs-material")
    emscripten = info["platform"].removeprefix("emscripten_").replace("_", ".")
    icons = Path(
        str(metadata.distribution("mkdocs-material").locate_file("material/templates/.icons/material/LICENSE"))
    )
    return {
        _KVCORE: Part(
            name=_KVCORE, version=metadata.version(_KVCORE), licence={"id": "MIT"}, text=(ROOT / "LICENSE").read_text("utf-8"),
            address=f"pkg:generic/kvcore@{metadata.version(_KVCORE)}",
        ),
        _PYODIDE: _from_npm(pyodide),
        _CPYTHON: Part(
            name="CPython", version=info["python"], licence={"id": "PSF-2.0"}, address=f"pkg:generic/cpython@{info['python']}"
        ),
        _EMSCRIPTEN: Part(
            name="Emscripten", version=emscripten, licence={"id": "MIT"}, address=f"pkg:generic/emscripten@{emscripten}"
        ),
        _KATEX: _from_npm(katex, (NODE_MODULES / "katex" / "LICENSE").read_text("utf-8")),
        _THEME: Part(
            name=theme["Name"], version=theme["Version"], licence={"id": theme["License-Expression"]},
            address=f"pkg:pypi/mkdocs-material@{theme['Version']}",
            text=metadata.distribution("mkdocs-material").read_text("licenses/LICENSE") or "",
        ),
        _ICONS: Part(
            name="Material Design Icons", version=f"as in mkdocs-material {theme['Version']}",
            licence={"name": "Pictogrammers Free License"}, address="pkg:npm/%40mdi/svg", text=icons.read_text("utf-8"),
        ),
    }  # fmt: skip


def linked_libraries() -> list[dict[str, object]]:
    """The libraries that are linked into Pyodide's interpreter, as components.

    Raises:
        UnmetNeed: One of them is not there any more.
    """
    wasm = (snapshot.PYODIDE / "pyodide.asm.wasm").read_bytes()
    found: list[dict[str, object]] = []
    for name, (licence, mark) in _LINKED.items():
        match = re.search(mark, wasm)
        if match is None:
            raise UnmetNeed(f"Pyodide's interpreter has no {name}: take it out of site_hooks/bill_of_materials.py.")
        version = {"version": match[1].decode()} if match[1] else {}
        component = {"type": "library", "bom-ref": f"linked:{name}", "name": name, **version}
        found.append({**component, "licenses": [{"license": licence}]})
    return found


def _package(folder: Path) -> dict[str, str]:
    package: dict[str, str] = json.loads((folder / "package.json").read_text("utf-8"))
    return package


def _from_npm(package: Mapping[str, str], text: str = "") -> Part:
    name, version = package["name"], package["version"]
    return Part(
        name=name, version=version, licence={"id": package["license"]}, text=text, address=f"pkg:npm/{name}@{version}"
    )


def _file(name: str, path: Path) -> dict[str, object]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"type": "file", "bom-ref": name, "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def main(_: list[str]) -> int:
    """Write the bill of materials of the site in site/."""
    write(SITE)
    return 0


if __name__ == "__main__":
    environment.step("site_hooks.bill_of_materials", main)
