"""What every built page must be, whatever is on it."""

import re
import warnings
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import html5lib
import pytest

from site_hooks import build
from site_hooks.build_cache import files
from site_hooks.environment import ROOT

ASKING = {"src", "href", "srcset", "data", "poster", "action"}
"""Attributes with which a page asks for something."""

LENIENT = {
    "invalid-character-in-attribute-name",  # html5lib's own table of attributes is older than SVG's
}


class _Page(HTMLParser):
    """The attributes and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.asked: list[tuple[str, str, str]] = []
        self.anchors: set[str] = set()
        self.handlers: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ASKING and value is not None:
                self.asked.append((tag, name, value))
            if name == "id" and value:
                self.anchors.add(value)
            if name.startswith("on"):
                self.handlers.append(f"{tag} {name}")


@pytest.fixture(scope="module")
def site() -> Path:
    return build.fresh()


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, _Page]:
    return {path: _Page(path) for path in sorted(site.rglob("*.html"))}


def test_no_page_asks_anybody_else_for_anything(pages: dict[Path, _Page]) -> None:
    loading = {("a", "href"), ("area", "href")}
    asked = [
        f"{path.name}: {tag} {name}={value}"
        for path, page in pages.items()
        for tag, name, value in page.asked
        if (tag, name) not in loading and (urlsplit(value).scheme not in {"", "data"} or value.startswith("//"))
    ]
    assert not asked


def test_no_stylesheet_asks_anybody_else_for_anything(site: Path) -> None:
    for path in site.rglob("*.css"):
        css = path.read_text("utf-8")
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", css), path


def test_every_link_and_every_asset_is_there(site: Path, pages: dict[Path, _Page]) -> None:
    for path, page in pages.items():
        for tag, name, value in page.asked:
            parts = urlsplit(value)
            if parts.scheme or value.startswith("//") or path.name == "404.html":
                continue  # the page for what is not there is shown at any depth
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_relative_to(site), (path.name, tag, name, value)
            assert target.is_file(), (path.name, tag, name, value)
            if parts.fragment and target in pages and not parts.fragment.startswith(("v1&", "__")):
                assert parts.fragment in pages[target].anchors, (path.name, value)


def test_no_page_holds_a_handler_that_its_policy_would_refuse(pages: dict[Path, _Page]) -> None:
    assert not {path.name: page.handlers for path, page in pages.items() if page.handlers}


def test_every_page_is_html_without_a_parse_error(site: Path) -> None:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    for path in sorted(site.rglob("*.html")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # html5lib speaks of its own code
            parser.parse(path.read_text("utf-8"))
        errors = [(position, code, about) for position, code, about in parser.errors if code not in LENIENT]
        assert not errors, f"{path.name}: {errors[:5]}"


def test_the_scripts_sources_are_not_for_readers(site: Path) -> None:
    shipped = {path.name for path in (site / "assets").glob("*.js")} | {path.name for path in site.glob("assets/js/*")}
    assert shipped
    assert all(re.fullmatch(r"page\.[0-9a-f]{16}\.js", name) for name in shipped)


def test_no_page_names_this_machine(site: Path) -> None:
    for path in site.rglob("*"):
        if path.suffix in {".html", ".js", ".json", ".css"}:
            assert str(ROOT) not in path.read_text("utf-8"), path


def test_the_builds_stamp_is_over_every_source() -> None:
    sources = {file for source in build.SOURCES for file in files(source)}
    for name in ("mkdocs.yml", "site_hooks/package-lock.json", "docs/assets/worker.js", "kvcore/page/__init__.py"):
        assert ROOT / name in sources
