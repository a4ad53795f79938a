"""Slow every thread of a browser's pages: its renderers run a quarter of the time, in turns of milliseconds.

The browser's own throttling slows the main thread of a page alone, and flatters all that runs in a worker. This stops
and continues the renderer processes of the one browser that it is given, and touches nothing else.

    python -m tests.bench.duty BROWSER_PID      until it is terminated; it then leaves them running
"""

import contextlib
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from site_hooks.environment import ROOT

RUN_S, STOP_S = 0.003, 0.009
PROC = Path("/proc")


def possible() -> bool:
    """Whether this system shows processes as Linux does."""
    return (PROC / "self" / "task").is_dir() and any((PROC / "self" / "task").glob("*/children"))


def descendants(process: int, known: Mapping[int, bool]) -> Iterator[int]:
    """The processes that a process started, and those that they did; renderers that are known start none."""
    for task in (PROC / str(process) / "task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text("ascii").split()):
                yield child
                if not known.get(child):
                    yield from descendants(child, known)


def is_renderer(process: int) -> bool:
    """Whether this process runs pages."""
    with contextlib.suppress(OSError):
        return b"--type=renderer" in (PROC / str(process) / "cmdline").read_bytes()
    return False


def browser_of(profile: str) -> int:
    """The process of the browser that was started with this profile folder."""
    option = f"--user-data-dir={profile}".encode()
    for folder in PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if option in words and not any(word.startswith(b"--type=") for word in words):
                return int(folder.name)
    raise LookupError(f"no browser with the profile {profile}")


@contextmanager
def slowed(browser: int) -> Iterator[None]:
    """Slow the pages of this browser while the block runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.duty", str(browser)], cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # it is at work
        yield
    finally:
        process.terminate()
        process.communicate()


def _send(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def main(browser: int) -> None:
    """Stop and continue, until told to end, or until whoever asked for it is gone."""
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ending.append(number))
    with contextlib.suppress(PermissionError):  # punctual where that is allowed
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    gc.disable()
    asked_by = os.getppid()
    print("at work", flush=True)
    known: dict[int, bool] = {}
    renderers: set[int] = set()
    try:
        while not ending and os.getppid() == asked_by:
            _send(renderers, signal.SIGCONT)
            time.sleep(RUN_S)
            _send(renderers, signal.SIGSTOP)
            until = time.monotonic() + STOP_S
            alive = set(descendants(browser, known))
            known |= {process: is_renderer(process) for process in alive if not known.get(process)}
            renderers = {process for process in alive if known[process]}
            time.sleep(max(0.0, until - time.monotonic()))
    finally:
        _send(renderers, signal.SIGCONT)


if __name__ == "__main__":
    main(int(sys.argv[1]))
