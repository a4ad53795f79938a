"""Modules of the standard library that are left out of the snapshot.

Pyodide imports them when it starts, to run an event loop and to unpack packages. The page's Python does neither: it answers
one call after another, and everything it needs is in the snapshot. Without these modules and their own imports the
snapshot is a fifth smaller. The boot method "api" loads a package, and has the real modules.

A stand-in replaces a module that others use while they are imported, and has only what they use then. `snapshot_modules.mjs`
runs this file in Pyodide, so it imports nothing.
"""

MISSING = ("bz2", "compression", "lzma", "ssl")
"""Modules that can be missing: their importers catch the ImportError."""

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
"""The stand-ins: the name of a module, and the source that replaces it."""
