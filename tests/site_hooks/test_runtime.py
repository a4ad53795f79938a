import base64
import gzip
import hashlib
import io
import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from site_hooks import build_cache, runtime, scripts, snapshot, tools, wheel
from site_hooks.environment import HERE, ROOT

LOADED = {
    "pyodide.asm.wasm.gzip",
    "snapshot.gzip",
    "library.zip.gzip",
    "pyodide-lock.json",
    wheel.build().name,
}


@pytest.fixture(scope="module")
def folder() -> Path:
    return runtime.build()


def test_the_lock_file_has_kvcore_alone_with_its_hash_and_no_address(folder: Path) -> None:
    text = (folder / "pyodide-lock.json").read_text("utf-8")
    lock = json.loads(text)
    (package,) = lock["packages"].values()
    content = (folder / package["file_name"]).read_bytes()
    assert (package["name"], package["sha256"]) == ("kvcore", hashlib.sha256(content).hexdigest())
    assert "://" not in text
    assert str(ROOT) not in text


def test_the_runtime_has_the_files_of_a_boot_and_no_others(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {*LOADED, "worker.js", "manifest.json", "disk"}
    assert {path.name for path in (folder / "disk").iterdir()} == {f"{name}.js" for name in (*LOADED, "worker.js")}


def test_the_manifest_has_size_and_hash_of_every_file_that_the_worker_loads(folder: Path) -> None:
    files = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    assert set(files) == LOADED
    for name, file in files.items():
        content = (folder / name).read_bytes()
        assert file == {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def test_the_scripts_for_pages_from_disk_have_the_same_bytes(folder: Path) -> None:
    for path in (folder / "disk").iterdir():
        text = path.read_text("ascii").split('= "')[1].split('"')[0]
        assert base64.b64decode(text) == (folder / path.name.removesuffix(".js")).read_bytes()


def test_the_library_is_compiled_and_has_only_modules_that_are_imported(folder: Path) -> None:
    content = gzip.decompress((folder / "library.zip.gzip").read_bytes())
    with zipfile.ZipFile(io.BytesIO(content)) as library:
        names = set(library.namelist())
    assert {"json/__init__.pyc", "dataclasses.pyc"} <= names
    assert all(name.endswith(".pyc") for name in names)
    assert not names & {"sqlite3/__init__.pyc", "unittest/__init__.pyc", "argparse.pyc"}


def test_the_worker_is_a_classic_script_that_pyodide_takes_for_a_module(folder: Path) -> None:
    script = (folder / "worker.js").read_text("utf-8")
    assert script.startswith(runtime.NOT_A_CLASSIC_WORKER)
    assert "\nexport " not in script


def test_the_address_depends_on_the_content(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    assert runtime.address(copy) == runtime.address(folder)
    (copy / "worker.js").write_text("changed", "utf-8")
    assert runtime.address(copy) != runtime.address(folder)


def test_the_wheel_has_every_file_of_kvcore() -> None:
    with zipfile.ZipFile(wheel.build()) as package:
        packed = {name for name in package.namelist() if name.startswith("kvcore/")}
    assert packed == {path.relative_to(ROOT).as_posix() for path in build_cache.files(ROOT / "kvcore")}
    assert "kvcore/py.typed" in packed


def test_the_wheel_does_not_depend_on_day_folder_time_zone_or_permissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = wheel.build().read_bytes()
    elsewhere = tmp_path / "elsewhere"
    for path in (file for source in wheel.SOURCES for file in build_cache.files(source)):
        copy = elsewhere / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
        copy.chmod(0o600)
        os.utime(copy, (1_600_000_000, 1_600_000_000))
    monkeypatch.setattr(tools, "ROOT", elsewhere)
    monkeypatch.setattr(wheel, "CACHE", tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    usual = os.umask(0o077)
    try:
        again = wheel.build()
    finally:
        os.umask(usual)
    assert again.is_relative_to(tmp_path)
    assert again.read_bytes() == once


def test_the_scripts_pass_the_type_check_and_the_bundle_is_named_by_its_hash() -> None:
    scripts.check()
    address, script = scripts.bundle()
    assert hashlib.sha256(script.encode()).hexdigest()[:16] in address


def test_the_npm_lock_file_has_hashes_and_no_addresses() -> None:
    lock = json.loads((HERE / "package-lock.json").read_text("utf-8"))
    installed = {name: package for name, package in lock["packages"].items() if name}
    assert all("integrity" in package and "resolved" not in package for package in installed.values())


def test_the_snapshot_does_not_depend_on_time_zone_language_or_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once, again = snapshot.build(), tmp_path / "a folder with a name that is longer than that of the usual one"
    again.mkdir()
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    snapshot._make(again)
    assert build_cache.digest([again], base=again) == build_cache.digest([once], base=once)


def test_the_snapshot_contains_no_path_of_this_machine() -> None:
    memory = (snapshot.build() / "delta.bin").read_bytes()
    assert str(ROOT).encode() not in memory
    assert b"snapshot_heap" not in memory


def test_a_boot_downloads_at_most_a_tenth_more_than_plain_pyodide(folder: Path) -> None:
    plain = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide.asm.mjs", "pyodide-lock.json", "pyodide.mjs")
    ours = [(folder / name).stat().st_size for name in ("pyodide.asm.wasm.gzip", "snapshot.gzip")]
    bundles = [(folder / "worker.js").read_bytes(), scripts.bundle()[1].encode()]
    total = sum(ours) + sum(
        len(gzip.compress(script, 6)) for script in bundles
    )  # level 6, as servers compress each response
    assert total <= 1.1 * sum(len(gzip.compress((snapshot.PYODIDE / name).read_bytes(), 9)) for name in plain)
