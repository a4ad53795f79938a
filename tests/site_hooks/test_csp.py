import base64
import hashlib

import pytest

from site_hooks.csp import policy, protect


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _directive(text: str, name: str) -> list[str]:
    (found,) = [part.split()[1:] for part in text.split("; ") if part.split()[0] == name]
    return found


@pytest.mark.parametrize(
    ("element", "allowed"),
    [
        pytest.param("<script>go()</script>", ["go()"], id="inline"),
        pytest.param(
            "<script>a\n</script><SCRIPT type='module'>b</SCRIPT>", ["a\n", "b"], id="two, with their white space"
        ),
        pytest.param('<script src="x.js"></script>', [], id="a file needs no hash"),
        pytest.param('<script type="application/json">{}</script>', [], id="data is not run"),
    ],
)
def test_each_inline_script_is_allowed_by_its_hash(element: str, allowed: list[str]) -> None:
    sources = _directive(policy(f"<head></head>{element}"), "script-src")
    assert sources == ["'self'", "'wasm-unsafe-eval'", *sorted(_hash(content) for content in allowed)]


def test_inline_styles_are_allowed_by_hash_and_all_style_attributes() -> None:
    text = policy("<head><style>p{}</style></head>")
    assert _directive(text, "style-src") == ["'self'", _hash("p{}")]
    assert _directive(text, "style-src-attr") == ["'unsafe-inline'"]


def test_by_default_nothing_is_allowed() -> None:
    text = policy("<head></head>")
    for name in ("default-src", "base-uri", "form-action", "object-src"):
        assert _directive(text, name) == ["'none'"]
    assert _directive(text, "connect-src") == ["'self'", "https://huggingface.co"]
    assert text.count("http") == 1  # Hugging Face, for a config.json, and no other host
    assert "'unsafe-eval'" not in text


def test_in_development_every_inline_script_is_allowed() -> None:
    assert "'unsafe-inline'" in _directive(policy("<script>x</script>", development=True), "script-src")


def test_the_policy_stands_before_the_first_script() -> None:
    html = protect('<html><head>\n<meta charset="utf-8"><script>x</script></head></html>')
    assert html.index("Content-Security-Policy") < html.index("<script>")


def test_a_page_without_a_head_is_refused() -> None:
    with pytest.raises(ValueError, match="no <head>"):
        protect("<p>x</p>")
