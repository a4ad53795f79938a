"""Numbers that inference engines printed, compared with what kvcore computes for the same model and settings.

`records` reads the published logs and their sources from evidence.json, `engine_rules` has the rules by which engines
allocate more than a model needs, `counts` computes the number for a line, `verdicts` compares it with the printed one.
The browser does not load this package.
"""
