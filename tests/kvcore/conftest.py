"""What all tests of kvcore share, in CPython and in the browser's Python."""

from hypothesis import settings

settings.register_profile(
    "repeatable", derandomize=True, deadline=None
)  # a run that passed passes again, on any machine
settings.load_profile("repeatable")
