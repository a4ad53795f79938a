"""Every example in a docstring of kvcore is run: modules are found by walking the package, so none can be forgotten."""

import doctest
import importlib
import pkgutil

import pytest

import kvcore

EXCLUDED = {"kvcore.__main__"}
"""The entry point of `python -m kvcore` only calls kvcore.cli.main; test_cli.py runs it."""

MODULES = [
    "kvcore",
    *sorted(module.name for module in pkgutil.walk_packages(kvcore.__path__, "kvcore.") if module.name not in EXCLUDED),
]


def examples(name):
    """The docstrings of a module that contain examples, as doctest finds them."""
    tests = doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name))
    return [test for test in tests if test.examples]


WITH_EXAMPLES = [name for name in MODULES if examples(name)]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_in_docstrings_are_right(name):
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    for test in examples(name):
        runner.run(test, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_at_least_25_modules_show_examples():
    assert len(WITH_EXAMPLES) >= 25
