"""Opened from disk the page reads its runtime from scripts: one of them spoiled costs it a rung, never its numbers."""

import base64
import gzip
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request

from tests.pages.booting import failures, is_as_built
from tests.pages.conftest import CLIFF, CLIFF_AT_32, rung, updated, value

type OpenPage = Callable[..., Page]
type Fault = Callable[[str], str | None]
type Spoil = Callable[[str, Fault], str]


def missing(_: str) -> None:
    """As a folder is that was copied in part."""


def truncated(script: str) -> str:
    """As a disk that is full leaves it: a string without an end, which is no script."""
    return script[:-1000]


def not_javascript(_: str) -> str:
    """As a program leaves it that saves pages and was shown another."""
    return "<!doctype html><title>Welcome</title>"


def altered(script: str) -> str:
    """One letter in the middle is another: still a script, still base64."""
    return _with_in_the_middle(script, "A" if script[len(script) // 2] != "A" else "B")


def garbled(script: str) -> str:
    """One letter in the middle is none that base64 has."""
    return _with_in_the_middle(script, "*")


def foreign(script: str) -> str:
    """What another build would have made: sound in itself, and not what this page expects."""
    before, content, after = script.rsplit('"', 2)
    other = gzip.compress(gzip.decompress(base64.b64decode(content))[::-1], 1)
    return f'{before}"{base64.b64encode(other).decode()}"{after}'


def _with_in_the_middle(script: str, letter: str) -> str:
    middle = len(script) // 2
    return script[:middle] + letter + script[middle + 1 :]


@pytest.fixture
def copied(site: Path, tmp_path: Path) -> Path:
    """The built site in a folder of its own: other names for the same files, where the disk allows that."""
    return shutil.copytree(site, tmp_path / "copied", copy_function=_linked)


def _linked(source: str, copy: str) -> None:
    try:
        os.link(source, copy)
    except OSError:
        shutil.copyfile(source, copy)


@pytest.fixture
def base_url(copied: Path) -> str:
    """Its address: nothing serves it."""
    return f"{copied.as_uri()}/"


@pytest.fixture
def spoil(copied: Path, console_errors: list[str]) -> Iterator[Spoil]:
    """Put something else in the place of a script that holds a file of the runtime; answers the file's whole name."""

    def spoiled(name: str, fault: Fault) -> str:
        (path,) = copied.glob(f"assets/runtime/*/disk/{name}.js")
        content = fault(path.read_text("ascii"))
        path.unlink()  # a new file: the old one may be the built site's as well
        if content is not None:
            path.write_text(content, "ascii")
        return path.stem

    yield spoiled
    console_errors.clear()  # the browser's own words on what the test spoiled


def slides(page: Page) -> bool:
    """Whether a slider moves what the page shows, and to the right place."""
    assert value(page, "lab.cliff") == CLIFF
    page.locator('#lab input[type="range"][data-for="batch"]').fill("31")  # the stops begin at 1
    updated(page)
    return page.locator('#lab [name="batch"]').input_value() == "32" and value(page, "lab.cliff") == CLIFF_AT_32


def test_from_disk_nothing_is_read_that_the_first_rung_does_not_need(
    open_page: OpenPage, requests: list[Request]
) -> None:
    page = open_page()
    assert slides(page)
    assert failures(page) == []
    read = sorted(one.url.rpartition("/")[2] for one in requests if "/assets/runtime/" in one.url)
    assert read == ["pyodide.asm.wasm.gzip.js", "snapshot.gzip.js", "worker.js.js"]


@pytest.mark.parametrize("fault", [missing, truncated, not_javascript, altered, foreign])
def test_a_spoiled_snapshot_on_disk_leaves_the_public_way(fault: Fault, spoil: Spoil, open_page: OpenPage) -> None:
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
    ],
)
def test_a_spoiled_interpreter_on_disk_leaves_the_page_as_it_was_built(
    name: str, fault: Fault, spoil: Spoil, open_page: OpenPage
) -> None:
    spoiled = spoil(name, fault)
    _stands(open_page(ready=False), spoiled)


@pytest.mark.parametrize(
    ("name", "fault"),
    [("library.zip.gzip", truncated), ("pyodide-lock.json", garbled), ("*.whl", missing)],
)
def test_without_both_ways_on_disk_the_page_stays_as_it_was_built(
    name: str, fault: Fault, spoil: Spoil, open_page: OpenPage
) -> None:
    spoil("snapshot.gzip", missing)
    spoiled = spoil(name, fault)
    _stands(open_page(ready=False), spoiled)


def _failure(page: Page, spoiled: str) -> str:
    """The one thing that failed: it names the file, and nobody had to wait for it until a limit was over."""
    (failure,) = failures(page)
    assert f"{spoiled}: " in failure
    assert "nothing for" not in failure
    return failure


def _stands(page: Page, spoiled: str) -> None:
    """As it was built; and the sentence says that one failure, whole."""
    is_as_built(page, spoiled)
    assert page.locator('#kv-python [data-when="failed"] code').inner_text() == _failure(page, spoiled)
