"""Modules of the standard library that the snapshot goes without.

Pyodide imports them as it starts, to run an event loop and to unpack packages; the page's Python does neither, since it
answers one call after another and all it needs is in the snapshot already. Without them, and what they import in turn,
the snapshot is a fifth smaller. The second rung, which does load a package, has the real ones.

Each stand-in has what is asked of it while others are imported, and no more. `snapshot_modules.mjs` runs this text in
Pyodide, which is why it needs nothing itself.
"""

MISSING = ("bz2", "compression", "lzma", "ssl")
"""Modules that whoever imports them can do without: an ImportError says so."""

_ANYTHING = """
__all__ = ()
class Absent:
    def __init__(self, *_, **__): pass
def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return Absent
"""
_FUTURES = """
class Error(Exception): pass
class CancelledError(Error): pass
class InvalidStateError(Error): pass
"""
_LOGGING = """
DEBUG = 10
def getLogger(name=None): return None
"""
_UNIX_EVENTS = """
__all__ = ()
from .events import _BaseDefaultEventLoopPolicy as _DefaultEventLoopPolicy
"""

STAND_INS = {
    "asyncio.base_events": _ANYTHING,
    "asyncio.streams": _ANYTHING,
    "asyncio.subprocess": _ANYTHING,
    "asyncio.unix_events": _UNIX_EVENTS,
    "concurrent.futures": _ANYTHING + _FUTURES,
    "logging": _LOGGING,
    "socket": _ANYTHING,
    "subprocess": _ANYTHING,
    "tempfile": _ANYTHING,
    "zipfile": _ANYTHING,
}
"""What stands where the real module would: its name, and its source."""
