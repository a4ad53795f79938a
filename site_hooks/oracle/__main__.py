"""`python -m site_hooks.oracle`, in the environment that has torch and transformers: asks, and writes the file.

With `--spoil` it writes nothing: it spoils fields of real configs, and fails if kvcore then gives a wrong number.
"""

import argparse
import datetime as dt
import importlib.metadata
import json
import logging
import re
import signal
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from kvcore.families import FAMILIES, NESTED
from site_hooks.oracle import rows
from site_hooks.oracle.caches import CONTEXTS
from site_hooks.oracle.small import ABSENT

FILE = Path(__file__).resolve().parents[2] / "tests" / "kvcore" / "oracle.jsonl"


def head(made: str) -> str:
    """The first line of the file."""
    versions = {name: importlib.metadata.version(name) for name in ("transformers", "torch")}
    return json.dumps({**versions, "made": made, "contexts": CONTEXTS, "absent": dict(ABSENT)}) + "\n"


def block(model_type: str) -> str:
    """The lines about a model_type."""
    from site_hooks.oracle.ask import about  # noqa: PLC0415 - each process imports torch for itself

    _quiet()
    started = time.perf_counter()
    found = about(model_type)
    seconds = time.perf_counter() - started
    print(f"{model_type}: {len(found.answers)} configs, {seconds:.0f} s", file=sys.stderr, flush=True)
    return "".join(line + "\n" for line in rows.lines(found))


def _write(parts: dict[str, str], types: list[str], old: dict[str, str]) -> None:
    """Write the file as far as it is known; it keeps its date if it says what it said."""
    now = [parts[name] for name in types if name in parts]
    made = json.loads(old[""])["made"] if old else ""
    if not old or now != [old[name] for name in types if name in old] or head(made) != old[""]:
        made = dt.datetime.now(dt.UTC).date().isoformat()
    FILE.write_text("".join([head(made), *now]), encoding="ascii")


def _spoiled(named: tuple[str, dict[str, object]]) -> tuple[Counter[str], list[str]]:
    from site_hooks.oracle.spoiled import compared  # noqa: PLC0415 - as above

    _quiet()
    found = compared(*named)
    print(f"{named[0]}: {dict(found[0])}", file=sys.stderr, flush=True)
    return found


def _spoil(only: str, jobs: int) -> int:
    """Spoil the configs whose names match, and return 1 if kvcore is wrong about one."""
    from site_hooks.oracle.spoiled import configs  # noqa: PLC0415 - as above

    total, wrong = Counter[str](), list[str]()
    with ProcessPoolExecutor(jobs) as pool:
        for tally, lines in pool.map(_spoiled, [named for named in configs() if re.search(only, named[0])]):
            total += tally
            wrong += lines
    print("\n".join([*wrong, f"spoiled fields: {dict(total)}"]), flush=True)
    return 1 if wrong else 0


def _quiet() -> None:
    """Silence what transformers says about odd configs: it is in its answers."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")


def _too_slow(*_: object) -> None:
    sys.exit("one answer took longer than any should")


def main(arguments: list[str]) -> int:
    """Ask about all model_types, or about those that match `--only`, and write the file; unchanged answers keep its date."""
    parser = argparse.ArgumentParser(prog="make oracle")
    parser.add_argument("--only", default="", help="a regular expression of model_types; the file keeps the others")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--spoil", action="store_true", help="spoil fields of the tests' real and small configs instead"
    )
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGALRM, _too_slow)
    if options.spoil:
        return _spoil(options.only, options.jobs)
    types = [name for name in sorted({*FAMILIES, *NESTED}) if name not in ABSENT]
    chosen = [name for name in types if re.search(options.only, name)]
    old = rows.split(FILE.read_text("ascii")) if FILE.exists() else {}
    parts = dict(old)
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, text in zip(chosen, pool.map(block, chosen), strict=True):
            parts[name] = text
            _write(parts, types, old)
    print(
        f"{FILE.name}: {FILE.stat().st_size:,} bytes, {len(chosen)} of {len(types)} model_types asked about", flush=True
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
