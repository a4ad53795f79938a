"""The examples in docs/kvcore.md are run as doctests."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "kvcore.md"


def test_the_examples_of_the_package_page_give_the_output_that_is_shown():
    text = PAGE.read_text("utf-8").replace("```", "")
    test = doctest.DocTestParser().get_doctest(text, {}, "kvcore.md", str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.tries >= 10
    assert runner.failures == 0
