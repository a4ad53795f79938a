"""The Content-Security-Policy of a page, as a meta tag: what the page loads comes from its own origin.

The one other host that it may ask is Hugging Face, for a `config.json`, when the reader names a model to fetch. The worker that
runs Python is bound by the same policy: it is started from a Blob, and such a worker inherits the policy of its page. A worker
started from a network address would not; that is so for the service worker, which has no policy, as the host sends no headers.

The theme's inline scripts are allowed one by one, by hash. Inline `style` attributes have to be allowed as a whole:
KaTeX positions every symbol with one, and hashes do not cover attributes. A meta tag cannot forbid that the page is shown in
a frame of another site (`frame-ancestors` works only as a header).
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
    """The strictest policy under which this page works.

    `development` allows every inline script: MkDocs' server adds one to each response, with a different hash each time.
    """
    inline = [match["content"] for match in _SCRIPT.finditer(html) if _EXECUTED.match(match["attributes"])]
    styles = [match["content"] for match in _STYLE.finditer(html)]
    scripts = ["'unsafe-inline'"] if development else sources(inline)
    return "; ".join(
        [
            "default-src 'none'",
            " ".join(["script-src", "'self'", "'wasm-unsafe-eval'", *scripts]),
            "worker-src 'self' blob:",
            "connect-src 'self' https://huggingface.co",  # a model's config.json, when the reader clicks "fetch"
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
    """The hash of each inline element in the spelling of a policy, sorted and without repeats."""
    hashes = {base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() for content in contents}
    return [f"'sha256-{value}'" for value in sorted(hashes)]


def protect(html: str, *, development: bool = False) -> str:
    """The page with its policy as the first element of its head. This must be the last step: a later change would break a hash."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{policy(html, development=development)}">'
    protected, count = _HEAD.subn(lambda head: head[0] + tag, html, count=1)
    if not count:
        raise ValueError("the page has no <head> for its Content-Security-Policy")
    return protected
