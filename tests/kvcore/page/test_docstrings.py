"""Runs the examples in the docstrings of kvcore.page."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import kvcore.page

MODULES = ["kvcore.page", *(found.name for found in pkgutil.walk_packages(kvcore.page.__path__, "kvcore.page."))]
EXAMPLES = [test for name in MODULES for test in doctest.DocTestFinder().find(import_module(name)) if test.examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_in_a_docstring_gives_the_result_that_it_shows(example):
    assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0


def test_the_examples_are_found():
    assert {"kvcore.page.update", "kvcore.page.html.el", "kvcore.page.lab.shape.divisors"} <= {
        example.name for example in EXAMPLES
    }
