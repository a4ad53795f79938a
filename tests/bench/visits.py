"""A reader's first visit and a repeat visit, each measured until the page shows the right answer to a moved control."""

import contextlib
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import BrowserContext, Page, Playwright

from site_hooks import browser
from tests.bench import duty
from tests.bench.contenders import PAGES, THIS
from tests.bench.host import Link

LIMIT_MS = 180_000
SETTLED_S = 0.4
"""Seconds before the first navigation: a browser that has just started is busy with itself."""

VIEWPORT = {"width": 1280, "height": 900}


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The reader's link in megabits a second (None: as fast as the machine can), and whether their computer is slow."""

    megabits: float | None = None
    slow: bool = False

    def __str__(self) -> str:
        link = "full speed" if self.megabits is None else f"{self.megabits:g} Mbit/s"
        return f"{link}, every thread slowed" if self.slow else link


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What a visit needs: Playwright, the probe script for every page, the host's address, and the link to it."""

    playwright: Playwright
    probe: str
    base: str
    link: Link


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What was measured on a page: times in milliseconds from the start of the navigation, and the bytes sent."""

    answer: float
    first: float
    largest: float
    shift: float
    longest_task: float
    longest_booting: float
    sent: int


@contextmanager
def reader(stage: Stage, **options: str) -> Iterator[tuple[BrowserContext, int]]:
    """Start a browser with a new profile while the block runs; yields its context and the id of its process."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        context = stage.playwright.chromium.launch_persistent_context(
            profile,
            executable_path=browser.chromium(),
            args=[*browser.ARGUMENTS, "--no-first-run"],
            viewport=VIEWPORT,  # type: ignore[arg-type]
            **options,  # type: ignore[arg-type]
        )
        context.set_default_timeout(LIMIT_MS)
        context.add_init_script(stage.probe)
        time.sleep(SETTLED_S)
        try:
            yield context, duty.browser_of(profile)
        finally:
            context.close()


def visit(stage: Stage, page: Page, name: str) -> Visit:
    """Open a page, and wait for its first right answer."""
    stage.link.sent.clear()
    page.goto(stage.base + PAGES[name], wait_until="commit")
    seen = page.evaluate("() => window.bench.done")
    sent = sum(stage.link.sent.values())
    done = seen["answer"] or float("inf")
    tasks = [(start, length) for start, length in seen["tasks"] if start < done]
    return Visit(
        answer=seen["answer"],
        first=seen["first"],
        largest=seen["largest"],
        shift=seen["shift"],
        longest_task=max((length for _, length in tasks), default=0.0),
        longest_booting=max((length for start, length in tasks if start + length > seen["started"]), default=0.0),
        sent=sent,
    )


def cold_and_repeat(stage: Stage, name: str, condition: Condition, *, repeat: bool) -> list[Visit]:
    """A first visit with a new browser and, if `repeat`, a second one in another tab."""
    link = stage.link
    with reader(stage) as (context, process), duty.slowed(process) if condition.slow else contextlib.nullcontext():
        link.megabits = condition.megabits
        page = context.pages[0]
        visits = [visit(stage, page, name)]
        if repeat:
            link.megabits = None  # what the service worker still downloads is not measured
            if name == THIS:
                page.evaluate("() => navigator.serviceWorker.ready")
            page.close()
            link.megabits = condition.megabits
            visits.append(visit(stage, context.new_page(), name))
        link.megabits = None
    return visits
