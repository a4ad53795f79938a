"""Runs the tools of .venv and node_modules: MkDocs, Node, esbuild, tsc."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from site_hooks import environment
from site_hooks.environment import NODE_MODULES, ROOT, UnmetNeed

ESBUILD = NODE_MODULES / "esbuild" / "bin" / "esbuild"
TSC = NODE_MODULES / "typescript" / "bin" / "tsc"


def python(*arguments: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Run `.venv/bin/python ARGUMENTS`; returns its output, raises as `run` does."""
    return run([sys.executable, *arguments], env=env)


def node(*arguments: str | Path, given: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run `node ARGUMENTS` with this text as its input; returns its output, raises as `run` does."""
    return run(["node", *arguments], given=given, env=env)


def bundle(source: Path, *options: str, **defines: str) -> str:
    """A script and all that it imports as one classic script, minified by esbuild.

    `options` are more options of esbuild; each of `defines` is the JavaScript that takes the place of that global name.
    """
    common = (
        "--bundle",
        "--format=iife",
        "--target=es2022",
        "--minify",
        "--legal-comments=none",
        "--log-level=warning",
    )
    replaced = [f"--define:{name}={text}" for name, text in defines.items()]
    return node(ESBUILD, source, *common, *options, *replaced, env={"NODE_PATH": str(NODE_MODULES)})


def run(command: Sequence[str | Path], *, given: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """Run a command from the project's root; returns its output.

    Raises:
        UnmetNeed: It failed; the message is all that it wrote.
    """
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={**environment.variables(), **(env or {})},
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        name = " ".join(Path(str(word)).name for word in command[:3])
        raise UnmetNeed(f"`{name}` failed; it wrote:\n{(done.stdout + done.stderr).strip()}")
    return done.stdout


def show(command: Sequence[str | Path]) -> int:
    """Run a command with its output shown, and return its exit status."""
    sys.stdout.flush()
    return subprocess.run(
        [str(word) for word in command], cwd=ROOT, env=environment.variables(), check=False
    ).returncode
