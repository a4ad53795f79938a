"""MkDocs' events, each a thin shell over a plain function of the other modules.

MkDocs keeps this module for as long as it serves; what changes between two builds is read again in `on_config`.
"""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from site_hooks import csp, formulas, offline, runtime, scripts, slots, tables
from site_hooks.digest import files as files_in
from site_hooks.environment import UnmetNeed

KATEX = "assets/katex/"
HOLDS_FORM = " data-hold="  # only such a page needs Python
SOURCES = {".js", ".mjs", ".ts"}
UNUSED = (
    "assets/javascripts/lunr/",
    "assets/javascripts/workers/",
)  # the theme's search, which this site does not have


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What one build makes once and every page uses."""

    told: slots.Telling
    runtime: Path
    script: tuple[str, str]
    development: bool


_builds: list[Build] = []  # MkDocs' hooks are functions: what they share must lie in the module
_commands: list[str] = []


def on_startup(*, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:  # noqa: ARG001 - MkDocs names it
    """Remember whether this is a reader's site or a writer's."""
    _commands[:] = [command]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make what every page uses: kvcore's answer, the runtime, the page's script."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "kvcore"]:
        del sys.modules[name]  # `serve` lives on while kvcore is edited
    try:
        build = Build(
            told=slots.telling(),
            runtime=runtime.build(),
            script=scripts.bundle(),
            development=_commands == ["serve"],
        )
    except (UnmetNeed, slots.SlotError) as problem:
        raise PluginError(str(problem)) from problem
    _builds[:] = [build]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the vendored files; leave out what no page uses: sources of scripts (their bundle ships), the theme's search and source maps."""
    (build,) = _builds
    for file in files:
        source = Path(file.src_uri).suffix in SOURCES and file.src_dir == config.docs_dir
        if source or file.src_uri.startswith(UNUSED) or file.src_uri.endswith(".map"):
            file.inclusion = InclusionLevel.EXCLUDED
    at = runtime.address(build.runtime)
    vendored = {at + path.relative_to(build.runtime).as_posix(): path for path in files_in(build.runtime)}
    vendored |= {KATEX + name: path for name, path in formulas.fonts()}
    written = {KATEX + "katex.min.css": formulas.stylesheet(), build.script[0]: build.script[1]}
    for address, path in sorted(vendored.items()):
        files.append(File.generated(config, address, abs_src_path=str(path), inclusion=InclusionLevel.INCLUDED))
    for address, text in written.items():
        files.append(File.generated(config, address, content=text, inclusion=InclusionLevel.INCLUDED))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Put an empty element where Markdown names a slot or a form."""
    try:
        return slots.placeholders(markdown, _builds[0].told.blocks)
    except slots.SlotError as problem:
        raise PluginError(f"{page.file.src_uri}: {problem}") from problem


def on_page_content(html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Set the formulas, and mark the tables."""
    try:
        return tables.mark_tables(formulas.set_formulas(html))
    except UnmetNeed as problem:
        raise PluginError(f"{page.file.src_uri}: {problem}") from problem


def on_post_page(output: str, *, page: Page, config: MkDocsConfig) -> str:
    """Fill the slots, say where the runtime is, and last of all put the policy over the page as it will be."""
    (build,) = _builds
    try:
        output = slots.fill(output, build.told)
    except slots.SlotError as problem:
        raise PluginError(f"{page.file.src_uri}: {problem}") from problem
    script = get_relative_url(build.script[0], page.url)
    head = f'<script src="{script}" defer></script>'  # fetched early, run when the article is there: Python comes after the first frame
    if HOLDS_FORM in output:
        where = get_relative_url(runtime.address(build.runtime), page.url)
        head = f'<meta name="explainer-runtime" content="{where.rstrip("/")}/">{head}'
    if _kept_offline(config):
        head = f'<meta name="explainer-offline" content="{get_relative_url(offline.SCRIPT, page.url)}">{head}'
    return csp.protect(output.replace("</head>", f"{head}</head>", 1), development=build.development)


def on_post_template(output_content: str, *, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG001
    """Put the theme's own page (404.html) under a policy too; a site without an address has no sitemap."""
    if template_name == "sitemap.xml":
        return ""
    if not template_name.endswith(".html"):
        return output_content
    return csp.protect(output_content, development=_builds[0].development)


def on_post_build(*, config: MkDocsConfig) -> None:
    """Write the service worker, which names all that was built; under `serve`, one that goes."""
    offline.write(Path(config.site_dir), on=_kept_offline(config))


def _kept_offline(config: MkDocsConfig) -> bool:
    return bool(config.extra.get("offline")) and not _builds[0].development
