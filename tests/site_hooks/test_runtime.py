import base64
import gzip
import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest

from site_hooks import build_cache, runtime, scripts, snapshot, wheel
from site_hooks.environment import HERE, ROOT

SUPPLIES = {
    "pyodide.asm.wasm.gzip",
    "snapshot.gzip",
    "library.zip.gzip",
    "pyodide-lock.json",
    wheel.build().name,
}


@pytest.fixture(scope="module")
def folder() -> Path:
    return runtime.build()


def test_the_lock_names_kvcore_alone_with_its_hash_and_no_address(folder: Path) -> None:
    text = (folder / "pyodide-lock.json").read_text("utf-8")
    lock = json.loads(text)
    (package,) = lock["packages"].values()
    content = (folder / package["file_name"]).read_bytes()
    assert (package["name"], package["sha256"]) == ("kvcore", hashlib.sha256(content).hexdigest())
    assert "://" not in text
    assert str(ROOT) not in text


def test_the_runtime_holds_what_a_boot_needs_and_nothing_else(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {*SUPPLIES, "worker.js", "manifest.json", "disk"}
    assert {path.name for path in (folder / "disk").iterdir()} == {f"{name}.js" for name in (*SUPPLIES, "worker.js")}


def test_the_manifest_is_over_every_file_that_the_worker_asks_for(folder: Path) -> None:
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    assert set(files) == SUPPLIES
    for name, file in files.items():
        content = (folder / name).read_bytes()
        assert file == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_the_bundles_for_pages_from_disk_hold_the_same_bytes(folder: Path) -> None:
    for path in (folder / "disk").iterdir():
        text = path.read_text("ascii").split('= "')[1].split('"')[0]
        assert base64.b64decode(text) == (folder / path.name.removesuffix(".js")).read_bytes()


def test_the_library_is_compiled_and_holds_only_what_is_imported(folder: Path) -> None:
    content = gzip.decompress((folder / "library.zip.gzip").read_bytes())
    with zipfile.ZipFile(io.BytesIO(content)) as library:
        names = set(library.namelist())
    assert {"json/__init__.pyc", "dataclasses.pyc"} <= names
    assert all(name.endswith(".pyc") for name in names)
    assert not names & {"sqlite3/__init__.pyc", "unittest/__init__.pyc", "argparse.pyc"}


def test_the_worker_is_one_classic_script_that_hides_that_it_is_one(folder: Path) -> None:
    script = (folder / "worker.js").read_text("utf-8")
    assert script.startswith(runtime.NOT_A_CLASSIC_WORKER)
    assert "\nexport " not in script


def test_another_content_has_another_address(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert runtime.address(copy) == runtime.address(folder)
    (copy / "worker.js").write_text("changed", "utf-8")
    assert runtime.address(copy) != runtime.address(folder)


def test_the_wheel_holds_every_file_of_kvcore() -> None:
    with zipfile.ZipFile(wheel.build()) as package:
        packed = {name for name in package.namelist() if name.startswith("kvcore/")}
    assert packed == {path.relative_to(ROOT).as_posix() for path in build_cache.files(ROOT / "kvcore")}
    assert "kvcore/py.typed" in packed


def test_the_wheel_is_the_same_bytes_when_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once = wheel.build().read_bytes()
    monkeypatch.setattr(wheel, "CACHE", tmp_path)
    again = wheel.build()
    assert again.is_relative_to(tmp_path)
    assert again.read_bytes() == once


def test_the_bundles_are_typed_and_named_by_their_content() -> None:
    scripts.check()
    address, script = scripts.bundle()
    assert hashlib.sha256(script.encode()).hexdigest()[:16] in address


def test_the_lock_file_of_npm_has_hashes_and_no_addresses() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))
    installed = {name: package for name, package in lock["packages"].items() if name}
    assert all("integrity" in package and "resolved" not in package for package in installed.values())


def test_the_snapshot_is_the_same_bytes_when_made_again(tmp_path: Path) -> None:
    once = snapshot.build()
    snapshot._make(tmp_path)
    assert build_cache.digest([tmp_path], base=tmp_path) == build_cache.digest([once], base=once)


def test_the_snapshot_says_nothing_of_where_it_was_made() -> None:
    memory = (snapshot.build() / "delta.bin").read_bytes()
    assert str(ROOT).encode() not in memory
    assert b"snapshot_heap" not in memory


def test_python_ready_costs_no_more_bytes_than_a_tenth_above_plain_pyodide(folder: Path) -> None:
    plain = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide.asm.mjs", "pyodide-lock.json", "pyodide.mjs")
    ours = [(folder / name).stat().st_size for name in ("pyodide.asm.wasm.gzip", "snapshot.gzip")]
    bundles = [(folder / "worker.js").read_bytes(), scripts.bundle()[1].encode()]
    total = sum(ours) + sum(len(gzip.compress(script, 6)) for script in bundles)  # 6: as servers do it, at each request
    assert total <= 1.1 * sum(len(gzip.compress((snapshot.PYODIDE / name).read_bytes(), 9)) for name in plain)
