"""Puts each table of the prose into a scrolling box, and gives it a class, at build time.

The theme's script would do it when the page is shown, and the browser would then compute the style of the whole article
a second time. The script leaves tables alone that have a class.
"""

_BARE, _END = "<table>", "</table>"


def mark_tables(html: str) -> str:
    """Give each table that has no attributes a class and a box around it."""
    head, *rest = html.split(_BARE)
    boxed = [
        f'<div class="kv-plain-box"><table class="kv-plain">{one.replace(_END, f"{_END}</div>", 1)}' for one in rest
    ]
    return head + "".join(boxed)
