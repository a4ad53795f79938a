import pytest

from site_hooks.tables import mark_tables

BOX = '<div class="kv-plain-box"><table class="kv-plain">'


@pytest.mark.parametrize(
    ("html", "marked"),
    [
        pytest.param("<p>a</p><table><tr></tr></table><p>b</p>", f"<p>a</p>{BOX}<tr></tr></table></div><p>b</p>", id="one"),
        pytest.param("<table>1</table><table>2</table>", f"{BOX}1</table></div>{BOX}2</table></div>", id="two"),
        pytest.param('<table class="mine">1</table>', '<table class="mine">1</table>', id="a table with a class is unchanged"),
        pytest.param(
            '<table>1</table><table class="mine">2</table>',
            f'{BOX}1</table></div><table class="mine">2</table>',
            id="one of each",
        ),
    ],
)  # fmt: skip
def test_a_table_without_a_class_gets_one_and_a_box(html: str, marked: str) -> None:
    assert mark_tables(html) == marked
