"""Tables of the prose: marked as ours, in a box that scrolls, when the page is built.

The theme's script would put each into such a box when the page is shown, and every element of the article would be styled
a second time for it. It looks for tables that have no class.
"""

_BARE, _END = "<table>", "</table>"


def mark_tables(html: str) -> str:
    """Give each table that Markdown made a class and a box around it."""
    head, *rest = html.split(_BARE)
    boxed = [
        f'<div class="kv-plain-box"><table class="kv-plain">{one.replace(_END, f"{_END}</div>", 1)}' for one in rest
    ]
    return head + "".join(boxed)
