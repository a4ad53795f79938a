"""The bill of materials against the files of the built site and the packages that they come from."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from site_hooks import bill_of_materials, build
from site_hooks.environment import HERE, ROOT, UnmetNeed


@pytest.fixture(scope="module")
def site() -> Path:
    return build.fresh()


@pytest.fixture(scope="module")
def bill(site: Path) -> Any:
    return json.loads((site / bill_of_materials.NAME).read_text("utf-8"))


def of_type(bill: Any, kind: str) -> dict[str, Any]:
    """Its components of a type, by reference."""
    return {component["bom-ref"]: component for component in bill["components"] if component["type"] == kind}


def test_every_file_of_the_site_is_listed_with_its_hash(site: Path, bill: Any) -> None:
    shipped = {path.relative_to(site).as_posix(): path for path in site.rglob("*") if path.is_file()}
    del shipped[bill_of_materials.NAME], shipped[".nojekyll"]
    listed = of_type(bill, "file")
    assert set(listed) == set(shipped)
    for name, path in shipped.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert listed[name]["hashes"] == [{"alg": "SHA-256", "content": digest}], name


def test_every_file_is_made_of_parts_that_have_a_version_and_a_licence(bill: Any) -> None:
    known = of_type(bill, "library")
    site = bill["metadata"]["component"]["bom-ref"]
    assert {entry["ref"] for entry in bill["dependencies"]} == set(of_type(bill, "file"))
    for entry in bill["dependencies"]:
        assert entry["dependsOn"], entry
        assert set(entry["dependsOn"]) <= {*known, site}, entry
    assert {part for entry in bill["dependencies"] for part in entry["dependsOn"]} == {*known, site}, "each is shipped"
    for part in known.values():
        assert part["version"], part
        (licence,) = part["licenses"]
        assert licence["license"].get("id") or licence["license"].get("name"), part


@pytest.mark.parametrize(
    ("file", "made_of"),
    [
        pytest.param("assets/runtime/0a/pyodide.asm.wasm.gzip", ("pyodide", "cpython", "emscripten"), id="Python"),
        pytest.param("assets/runtime/0a/disk/library.zip.gzip.js", ("cpython", "pyodide"), id="a copy for disk"),
        pytest.param("assets/katex/fonts/KaTeX_Main-Regular.woff2", ("katex",), id="a font"),
        pytest.param("assets/javascripts/bundle.0a.min.js", ("mkdocs-material",), id="the theme's script"),
        pytest.param("assets/page.0a.js", ("site",), id="our script"),
    ],
)
def test_what_a_file_is_made_of(file: str, made_of: tuple[str, ...]) -> None:
    assert bill_of_materials.contents(file) == made_of


def test_a_file_that_nobody_named_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "library.min.js").write_text("x", encoding="utf-8")
    with pytest.raises(UnmetNeed, match=r"assets/library\.min\.js is made of nothing"):
        bill_of_materials.write(tmp_path)


def test_versions_are_those_that_are_pinned(bill: Any) -> None:
    npm = json.loads((HERE / "package.json").read_text("utf-8"))["devDependencies"]
    theme = re.search(r"mkdocs-material==([\d.]+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert theme
    found = {component["name"]: component["version"] for component in of_type(bill, "library").values()}
    assert (found["pyodide"], found["katex"]) == (npm["pyodide"], npm["katex"])
    assert found["mkdocs-material"] == theme[1]


def test_it_has_the_form_of_cyclonedx_and_no_date(site: Path, bill: Any) -> None:
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert "timestamp" not in bill["metadata"]
    references = re.findall(r'"bom-ref": "([^"]*)"', (site / bill_of_materials.NAME).read_text("utf-8"))
    assert len(references) == len(set(references))


def test_the_libraries_inside_the_interpreter_are_named(bill: Any) -> None:
    (pyodide,) = [part for part in of_type(bill, "library").values() if part["name"] == "pyodide"]
    inside = {part["name"]: part.get("version") for part in pyodide["components"]}
    assert {"zlib", "sqlite", "libffi", "bzip2", "zstd"} <= set(inside)
    assert inside["zlib"] == "1.3.1"
