"""MkDocs' events, each a thin shell over a plain function of the other modules."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from site_hooks import bill_of_materials, csp, formulas, offline, runtime, scripts, slots, tables
from site_hooks.build_cache import files as files_in
from site_hooks.environment import UnmetNeed

KATEX = "assets/katex/"
HAS_FORM = " data-hold="
"""An attribute of the HTML of a page with a form: only such a page needs Python."""

SOURCES = {".js", ".mjs", ".ts"}
UNUSED = ("assets/javascripts/lunr/", "assets/javascripts/workers/")
"""Files of the theme's search, which this site does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What one build makes once and every page uses."""

    slots: slots.Slots
    runtime: Path
    script: tuple[str, str]


class Hooks:
    """The events of one run of MkDocs: one build, or under `serve` one build after another."""

    def __init__(self) -> None:
        self._serving = False
        self._current: Build | None = None

    @property
    def _build(self) -> Build:
        if self._current is None:
            raise RuntimeError("MkDocs asked for a page before it read its configuration")
        return self._current

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:  # noqa: ARG002 - MkDocs passes it
        """Remember whether MkDocs builds the site to be published, or serves it during development."""
        self._serving = command == "serve"

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Make what every page uses: kvcore's answer, the runtime, the page's script."""
        for name in [name for name in sys.modules if name.partition(".")[0] == "kvcore"]:
            del sys.modules[name]  # under `serve` this process outlives changes to kvcore
        try:
            self._current = Build(slots=slots.from_kvcore(), runtime=runtime.build(), script=scripts.bundle())
        except (UnmetNeed, slots.SlotError) as problem:
            raise PluginError(str(problem)) from problem
        return config

    def on_files(self, files: Files, config: MkDocsConfig) -> Files:
        """Add the vendored files; leave out the sources of our scripts (their bundle is published), the theme's search and source maps."""
        for file in files:
            source = Path(file.src_uri).suffix in SOURCES and file.src_dir == config.docs_dir
            if source or file.src_uri.startswith(UNUSED) or file.src_uri.endswith(".map"):
                file.inclusion = InclusionLevel.EXCLUDED
        build = self._build
        folder = runtime.address(build.runtime)
        vendored = {folder + path.relative_to(build.runtime).as_posix(): path for path in files_in(build.runtime)}
        vendored |= {KATEX + name: path for name, path in formulas.fonts()}
        written = {KATEX + "katex.min.css": formulas.stylesheet(), build.script[0]: build.script[1]}
        for address, path in sorted(vendored.items()):
            files.append(File.generated(config, address, abs_src_path=str(path), inclusion=InclusionLevel.INCLUDED))
        for address, text in written.items():
            files.append(File.generated(config, address, content=text, inclusion=InclusionLevel.INCLUDED))
        return files

    def on_page_markdown(self, markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG002
        """Put an empty element where the Markdown names a slot or a form."""
        try:
            return slots.placeholders(markdown, self._build.slots.blocks)
        except slots.SlotError as problem:
            raise PluginError(f"{page.file.src_uri}: {problem}") from problem

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG002
        """Render the formulas, and mark the tables."""
        try:
            return tables.mark_tables(formulas.set_formulas(html))
        except UnmetNeed as problem:
            raise PluginError(f"{page.file.src_uri}: {problem}") from problem

    def on_post_page(self, output: str, *, page: Page, config: MkDocsConfig) -> str:
        """Fill the slots, name the runtime's folder, and last add the policy, which is computed from the finished page."""
        build = self._build
        try:
            output = slots.fill(output, build.slots)
        except slots.SlotError as problem:
            raise PluginError(f"{page.file.src_uri}: {problem}") from problem
        script = get_relative_url(build.script[0], page.url)
        # `defer`: it is fetched early and runs when the article is parsed, since Python starts after the first frame.
        head = f'<script src="{script}" defer></script>'
        if HAS_FORM in output:
            folder = get_relative_url(runtime.address(build.runtime), page.url)
            worker = runtime.fingerprint(build.runtime / "worker.js")["sha256"]
            head = (
                f'<meta name="explainer-runtime" content="{folder.rstrip("/")}/" data-worker-sha256="{worker}">{head}'
            )
        if self._offline(config):
            head = f'<meta name="explainer-offline" content="{get_relative_url(offline.SCRIPT, page.url)}">{head}'
        return csp.protect(output.replace("</head>", f"{head}</head>", 1), development=self._serving)

    def on_post_template(self, output_content: str, *, template_name: str, config: MkDocsConfig) -> str:  # noqa: ARG002
        """Add the policy to the theme's own page (404.html); leave the sitemap empty, as the site's address is not known."""
        if template_name == "sitemap.xml":
            return ""
        if not template_name.endswith(".html"):
            return output_content
        return csp.protect(output_content, development=self._serving)

    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Write the service worker, which names every file of the site; under `serve`, one that removes itself. Last, the bill of materials."""
        offline.write(Path(config.site_dir), on=self._offline(config))
        try:
            bill_of_materials.write(Path(config.site_dir))
        except UnmetNeed as problem:
            raise PluginError(str(problem)) from problem

    def _offline(self, config: MkDocsConfig) -> bool:
        return bool(config.extra.get("offline")) and not self._serving


# MkDocs looks for functions of these names in the module. As methods of one object they share a build without a global.
_hooks = Hooks()
on_startup = _hooks.on_startup
on_config = _hooks.on_config
on_files = _hooks.on_files
on_page_markdown = _hooks.on_page_markdown
on_page_content = _hooks.on_page_content
on_post_page = _hooks.on_post_page
on_post_template = _hooks.on_post_template
on_post_build = _hooks.on_post_build
