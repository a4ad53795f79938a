"""Slow every thread of a browser's pages: its renderer processes are stopped for three quarters of the time.

The browser's own throttling slows only the main thread of a page, so whatever runs in a worker looks better than it is.
This sends SIGSTOP and SIGCONT, every few milliseconds, to the renderers of the one browser that it is given, and to nothing else.

    python -m tests.bench.duty BROWSER_PID      runs until it is terminated, and leaves the renderers running
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
    """Whether this system lists processes under /proc as Linux does."""
    return (PROC / "self" / "task").is_dir() and any((PROC / "self" / "task").glob("*/children"))


def descendants(process: int, known: Mapping[int, bool]) -> Iterator[int]:
    """The child processes of a process and theirs; `known` renderers are not asked, since they start none."""
    for task in (PROC / str(process) / "task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in map(int, task.read_text("ascii").split()):
                yield child
                if not known.get(child):
                    yield from descendants(child, known)


def is_renderer(process: int) -> bool:
    """Whether this process is a renderer: one that runs web pages."""
    with contextlib.suppress(OSError):
        return b"--type=renderer" in (PROC / str(process) / "cmdline").read_bytes()
    return False


def browser_of(profile: str) -> int:
    """The id of the browser process that was started with this profile folder."""
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
        process.stdout.readline()  # it writes a line when it begins
        yield
    finally:
        process.terminate()
        process.communicate()


def _send(processes: set[int], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


def main(browser: int) -> None:
    """Stop and continue the renderers until SIGTERM comes or the parent process ends."""
    ending: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ending.append(number))
    with contextlib.suppress(PermissionError):  # real-time priority, if allowed, keeps the intervals exact
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    gc.disable()
    parent = os.getppid()
    print("started", flush=True)
    known: dict[int, bool] = {}
    renderers: set[int] = set()
    try:
        while not ending and os.getppid() == parent:
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
