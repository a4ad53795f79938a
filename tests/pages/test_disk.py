"""Opened from disk the page reads its runtime from scripts; one that is broken never makes it show wrong numbers."""

import base64
import gzip
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request

from tests.pages.actions import CLIFF, CLIFF_AT_32, OpenPage, box, rung, slide, value
from tests.pages.booting import failures, has_no_python

type Fault = Callable[[str], str | None]
type Spoil = Callable[[str, Fault], str]


def missing(_: str) -> None:
    """As in a folder that was copied in part."""


def truncated(script: str) -> str:
    """As a full disk leaves it: a string without an end, which is no script."""
    return script[:-1000]


def not_javascript(_: str) -> str:
    """As a program that saves pages writes it when it was sent an HTML page instead."""
    return "<!doctype html><title>Welcome</title>"


def altered(script: str) -> str:
    """One letter in the middle is another: still a script, still base64."""
    return _with_in_the_middle(script, "A" if script[len(script) // 2] != "A" else "B")


def garbled(script: str) -> str:
    """One letter in the middle is not in the alphabet of base64."""
    return _with_in_the_middle(script, "*")


def foreign(script: str) -> str:
    """What another build would have made: a valid file, but not the one that this page expects."""
    before, content, after = script.rsplit('"', 2)
    other = gzip.compress(gzip.decompress(base64.b64decode(content))[::-1], 1)
    return f'{before}"{base64.b64encode(other).decode()}"{after}'


def _with_in_the_middle(script: str, letter: str) -> str:
    middle = len(script) // 2
    return script[:middle] + letter + script[middle + 1 :]


@pytest.fixture
def copied(site: Path, tmp_path: Path) -> Path:
    """The built site in a folder of its own, made of hard links where the disk allows them."""
    return shutil.copytree(site, tmp_path / "copied", copy_function=_linked)


def _linked(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copyfile(source, copy)


@pytest.fixture
def base_url(copied: Path) -> str:
    """The address of that folder; no server is needed."""
    return f"{copied.as_uri()}/"


@pytest.fixture
def spoil(copied: Path, console_errors: list[str]) -> Iterator[Spoil]:
    """Replace a script that contains a file of the runtime; returns the file's whole name."""

    def spoiled(name: str, fault: Fault) -> str:
        (path,) = copied.glob(f"assets/runtime/*/disk/{name}.js")
        content = fault(path.read_text("ascii"))
        path.unlink()  # a hard link: writing to it would change the built site
        if content is not None:
            path.write_text(content, "ascii")
        return path.stem

    yield spoiled
    console_errors.clear()  # what the browser writes about the broken script


def slides(page: Page) -> bool:
    """Whether a slider moves what the page shows, and to the right place."""
    assert value(page, "lab.cliff") == CLIFF
    slide(page, "batch", "32")
    return box(page, "batch").input_value() == "32" and value(page, "lab.cliff") == CLIFF_AT_32


def test_from_disk_only_what_the_snapshot_needs_is_read(open_page: OpenPage, requests: list[Request]) -> None:
    page = open_page()
    assert slides(page)
    assert failures(page) == []
    read = sorted(one.url.rpartition("/")[2] for one in requests if "/assets/runtime/" in one.url)
    assert read == ["pyodide.asm.wasm.gzip.js", "snapshot.gzip.js", "worker.js.js"]


@pytest.mark.parametrize("fault", [missing, truncated, not_javascript, altered, foreign])
def test_with_a_broken_snapshot_on_disk_python_starts_by_pyodides_public_interface(
    fault: Fault, spoil: Spoil, open_page: OpenPage
) -> None:
    name = spoil("snapshot.gzip", fault)
    page = open_page(ready=False)
    assert rung(page) == "api"
    assert slides(page)
    assert _failure(page, name).startswith(f"delta: {name}: ")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("pyodide.asm.wasm.gzip", missing),
        ("pyodide.asm.wasm.gzip", altered),
        ("worker.js", missing),
        ("worker.js", garbled),
        ("worker.js", altered),
    ],
)
def test_without_an_interpreter_on_disk_the_page_shows_what_was_built(
    name: str, fault: Fault, spoil: Spoil, open_page: OpenPage
) -> None:
    spoiled = spoil(name, fault)
    _has_no_python(open_page(ready=False), spoiled)


@pytest.mark.parametrize(
    ("name", "fault"),
    [("library.zip.gzip", truncated), ("pyodide-lock.json", garbled), ("*.whl", missing)],
)
def test_when_snapshot_and_library_fail_on_disk_the_page_shows_what_was_built(
    name: str, fault: Fault, spoil: Spoil, open_page: OpenPage
) -> None:
    spoil("snapshot.gzip", missing)
    spoiled = spoil(name, fault)
    _has_no_python(open_page(ready=False), spoiled)


def _failure(page: Page, spoiled: str) -> str:
    """The failure, the same at each try: it names the file, and is no timeout."""
    (failure,) = set(failures(page))
    assert f"{spoiled}: " in failure
    assert "nothing for" not in failure
    return failure


def _has_no_python(page: Page, spoiled: str) -> None:
    """The page shows what it was built with, and its sentence quotes the one failure."""
    has_no_python(page, spoiled)
    assert page.locator('#kv-python [data-when="failed"] code').inner_text() == _failure(page, spoiled)
