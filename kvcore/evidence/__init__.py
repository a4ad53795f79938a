"""What inference engines printed, beside what kvcore computes for the same model and settings.

The records and their sources are in evidence.json, read by `records`; `engine_rules` holds what engines add to the
logical cache; `verdicts` compares the two. Nothing that the browser asks for imports this package.
"""
