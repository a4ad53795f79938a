import subprocess
import sys
from pathlib import Path

import pytest

from site_hooks import environment
from site_hooks.environment import ROOT, UnmetNeed


def test_every_requirement_is_pinned_exactly() -> None:
    assert all("==" in requirement for requirement in environment.requirements())
    constraints = (environment.HERE / "constraints.txt").read_text("utf-8").split()
    for requirement in environment.requirements():
        assert requirement.lower() in {pin.lower() for pin in constraints}


def test_without_a_new_enough_python_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(
        UnmetNeed, match=r"this is Python 3\.9 and no newer one was found; install Python 3\.12 or newer\."
    ):
        environment._new_enough()


def test_a_newer_python_is_found_on_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "python3.13").symlink_to(sys.executable)
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert environment._new_enough() == str(tmp_path / "python3.13")


def test_a_step_is_done_again_only_when_its_pins_change(tmp_path: Path) -> None:
    stamp = tmp_path / "stamp"
    for pins, due in [("a", True), ("a", False), ("b", True), ("b", False)]:
        with environment._unless_done(stamp, pins) as found:
            assert found is due


def test_a_step_that_failed_is_still_due(tmp_path: Path) -> None:
    with pytest.raises(UnmetNeed), environment._unless_done(tmp_path / "stamp", "a"):
        raise UnmetNeed("no")
    assert not (tmp_path / "stamp").exists()


def test_an_unknown_command_prints_the_usage() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "site_hooks", "dance"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "usage: python -m site_hooks COMMAND" in done.stderr
