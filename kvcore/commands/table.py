"""The text output of commands: a label and a value on each line, and a line for each assumed value."""

from collections.abc import Mapping

from kvcore.assumed import assumptions

__all__ = ["table"]


def table(rows: Mapping[str, str], assumed: Mapping[str, object]) -> list[str]:
    """Return a line for each row, and for each value that was assumed because the config does not give it.

    >>> table({"weights": "131.4 GiB"}, {"sliding_window": 4096})
    ['weights               131.4 GiB', 'assumed               sliding_window 4,096, which the config does not give']
    """
    lines = [
        *rows.items(),
        *(("assumed", f"{value}, which the config does not give") for value in assumptions(assumed)),
    ]
    return [f"{label:22}{value}" for label, value in lines]
