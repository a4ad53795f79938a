"""The Content-Security-Policy of a page, as a meta tag: it may ask its own folder for things, and nobody else.

The theme's inline scripts are allowed one by one, by hash. Inline `style` attributes have to be allowed as a whole:
KaTeX places every symbol with one, and hashes do not cover attributes.
"""

import base64
import hashlib
import re

_ELEMENT = r"<{}\b(?P<attributes>[^>]*)>(?P<content>.*?)</{}\s*>"
_SCRIPT = re.compile(_ELEMENT.format("script", "script"), re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(_ELEMENT.format("style", "style"), re.DOTALL | re.IGNORECASE)
_EXECUTED = re.compile(r"^(?!.*\bsrc=)(?!.*\btype=[\"']?(?!module|text/javascript)[\w/+-]+)", re.DOTALL | re.IGNORECASE)
_HEAD = re.compile(r"<head>\s*(?:<meta charset=[^>]*>)?", re.IGNORECASE)


def policy(html: str, *, development: bool = False) -> str:
    """The policy under which exactly this page works.

    `development` lets any inline script run: MkDocs' own server adds one to each answer, and it is new every time.
    """
    inline = [match["content"] for match in _SCRIPT.finditer(html) if _EXECUTED.match(match["attributes"])]
    styles = [match["content"] for match in _STYLE.finditer(html)]
    scripts = ["'unsafe-inline'"] if development else sources(inline)
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src", "'self'", "'wasm-unsafe-eval'", *scripts]),
            "worker-src 'self' blob:",
            "connect-src 'self' https://huggingface.co",  # asked for a model's config.json, on a click
            " ".join(["style-src", "'self'", *sources(styles)]),
            "style-src-attr 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self' data:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "object-src 'none'",
        ]
    )


def sources(contents: list[str]) -> list[str]:
    """The hash of each inline element, as a policy names it; each once, in a stable order."""
    hashes = {base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in contents}
    return [f"'sha256-{value}'" for value in sorted(hashes)]


def protect(html: str, *, development: bool = False) -> str:
    """The page with its policy in force before anything else in it; the last step, since any later change breaks a hash."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(html, development=development)}">'
    protected, count = _HEAD.subn(lambda head: head[0] + tag, html, count=1)
    if not count:
        raise ValueError("the page has no <head> in which its Content-Security-Policy could stand")
    return protected
