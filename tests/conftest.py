"""What all tests share: one build before a parallel run, and `--shuffle SEED` to show that no test depends on the one before it."""

import random

import pytest

from site_hooks import build


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in an order made from this seed")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Build the site if it is not up to date, before several processes would each do so in the same folder."""
    if session.config.getoption("numprocesses", None):
        build.fresh()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Shuffle; every process of a parallel run makes the same order from the same seed."""
    if seed := config.getoption("--shuffle"):
        random.Random(seed).shuffle(items)
