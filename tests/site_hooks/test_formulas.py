import pytest

from site_hooks.environment import UnmetNeed
from site_hooks.formulas import fonts, set_formulas, stylesheet

INLINE = r'<p><span class="arithmatex">\(n_{kv} &lt; 8\)</span> and <span class="arithmatex">\(L\)</span></p>'
BLOCK = '<div class="arithmatex">\\[\n2 L \\htmlClass{cache}{p}\n\\]</div>'


def test_a_formula_is_rendered_as_html_and_mathml() -> None:
    html = set_formulas(INLINE)
    assert html.count('<span class="arithmatex"><span class="katex">') == 2
    assert html.count("<math ") == 2
    assert 'encoding="application/x-tex">n_{kv} &lt; 8<' in html


def test_a_display_formula_may_have_a_class() -> None:
    html = set_formulas(BLOCK)
    assert html.startswith('<div class="arithmatex"><span class="katex-display">')
    assert 'class="enclosing cache"' in html


def test_the_error_of_a_bad_formula_quotes_katex_and_the_formula() -> None:
    with pytest.raises(UnmetNeed, match=r"(?s)KaTeX parse error.*in the formula: \\nonsense"):
        set_formulas(r'<span class="arithmatex">\(\nonsense\)</span>')


def test_a_page_without_formulas_is_unchanged() -> None:
    assert set_formulas("<p>no formula costs $5</p>") == "<p>no formula costs $5</p>"


def test_the_stylesheet_uses_only_vendored_fonts() -> None:
    css = stylesheet()
    vendored = dict(fonts())
    assert css.count("url(") == css.count("@font-face") == len(vendored)
    assert all(path.is_file() and f"url({address})" in css for address, path in vendored.items())
