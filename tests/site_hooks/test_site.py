"""Checks of every built page, whatever its content."""

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

LOADING_ATTRIBUTES = {"src", "href", "srcset", "data", "poster", "action"}
"""Attributes that hold an address."""

LENIENT = {
    "invalid-character-in-attribute-name",  # html5lib does not know all attributes of SVG
}


class _Page(HTMLParser):
    """The addresses, anchors and inline event handlers of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str, str]] = []
        self.anchors: set[str] = set()
        self.handlers: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in LOADING_ATTRIBUTES and value is not None:
                self.addresses.append((tag, name, value))
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


def test_no_page_loads_anything_from_another_host(pages: dict[Path, _Page]) -> None:
    links = {("a", "href"), ("area", "href")}
    foreign = [
        f"{path.name}: {tag} {name}={value}"
        for path, page in pages.items()
        for tag, name, value in page.addresses
        if (tag, name) not in links and (urlsplit(value).scheme not in {"", "data"} or value.startswith("//"))
    ]
    assert not foreign


def test_no_stylesheet_loads_anything_from_another_host(site: Path) -> None:
    for path in site.rglob("*.css"):
        css = path.read_text("utf-8")
        assert not re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", css), path


def test_the_target_of_every_link_and_asset_exists(site: Path, pages: dict[Path, _Page]) -> None:
    for path, page in pages.items():
        for tag, name, value in page.addresses:
            parts = urlsplit(value)
            if parts.scheme or value.startswith("//") or path.name == "404.html":
                continue  # 404.html is shown at any depth, so its addresses begin at the root
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            assert target.is_relative_to(site), (path.name, tag, name, value)
            assert target.is_file(), (path.name, tag, name, value)
            if parts.fragment and target in pages and not parts.fragment.startswith(("v1&", "v2", "__")):
                assert parts.fragment in pages[target].anchors, (path.name, value)


def test_no_page_has_inline_event_handlers_as_its_policy_forbids_them(pages: dict[Path, _Page]) -> None:
    assert not {path.name: page.handlers for path, page in pages.items() if page.handlers}


def test_every_page_is_html_without_a_parse_error(site: Path) -> None:
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"))
    for path in sorted(site.rglob("*.html")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # html5lib warns about its own code
            parser.parse(path.read_text("utf-8"))
        errors = [(position, code, about) for position, code, about in parser.errors if code not in LENIENT]
        assert not errors, f"{path.name}: {errors[:5]}"


def test_the_sources_of_the_scripts_are_not_published(site: Path) -> None:
    published = {path.name for path in (site / "assets").glob("*.js")} | {
        path.name for path in site.glob("assets/js/*")
    }
    assert published
    assert all(re.fullmatch(r"page\.[0-9a-f]{16}\.js", name) for name in published)


def test_no_file_contains_a_path_of_this_machine(site: Path) -> None:
    for path in site.rglob("*"):
        if path.suffix in {".html", ".js", ".json", ".css"}:
            assert str(ROOT) not in path.read_text("utf-8"), path


def test_a_change_of_any_source_makes_the_site_outdated() -> None:
    sources = {file for source in build.SOURCES for file in files(source)}
    for name in ("mkdocs.yml", "site_hooks/package-lock.json", "docs/assets/worker.js", "kvcore/page/__init__.py"):
        assert ROOT / name in sources
