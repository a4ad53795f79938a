"""What the command line reads and writes: a config from a file or a pipe, lines that any terminal can show.

Characters that the terminal cannot spell or should not obey are written as escapes, and an error that cannot be written
does not change the exit status.
"""

import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from os import fstat
from pathlib import Path
from typing import TextIO

from kvcore.config import MOST_CHARACTERS
from kvcore.errors import Invalid, UnknownName
from kvcore.units import format_count

__all__ = ["complain", "config_text", "discard", "write_lines"]

_STANDARD_INPUT = "-"


def config_text(name: str) -> str:
    """Return the text of a config.json in a file or a pipe, or of standard input for "-"; no more is read than kvcore accepts.

    Raises:
        UnknownName: when there is no such file.
        Invalid: when it is too long, with its size.
        OSError, UnicodeDecodeError: when it cannot be read.
    """
    path = Path(name)
    if name != _STANDARD_INPUT and (path.is_dir() or not path.exists()):
        raise UnknownName("model", name, "the id of a model (see `kvcore models`) or the path of a config.json")
    source = 0 if name == _STANDARD_INPUT else path
    # -sig: some editors start a UTF-8 file with a byte order mark
    with open(source, encoding="utf-8-sig", closefd=source != 0) as file:
        text = file.read(MOST_CHARACTERS + 1)
        if len(text) <= MOST_CHARACTERS:
            return text
        status = fstat(file.fileno())
        limit = f"{format_count(MOST_CHARACTERS)} characters"
        size = f"{format_count(status.st_size)} bytes" if stat.S_ISREG(status.st_mode) else f"more than {limit}"
        raise Invalid("config", size, f"at most {limit}, the limit of kvcore.config")


def write_lines(lines: Iterable[str], stream: TextIO) -> None:
    """Write lines, with an escape in place of each character that is not printable or not in the stream's encoding.

    A control character in the name of a file could otherwise move the cursor or hide text.
    """
    text = "".join(f"{_printable(line)}\n" for line in lines)
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def complain(line: str) -> None:
    """Write a line to standard error, if it can be written: the exit status says as much where it cannot."""
    try:
        write_lines([line], sys.stderr)
    except (OSError, ValueError, AttributeError):  # full; closed; not there at all: sys.stderr is None
        discard(sys.stderr)


def discard(stream: TextIO | None) -> None:
    """Close a stream that cannot be written, else Python would try again at exit, fail, and change the exit status."""
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.close()
