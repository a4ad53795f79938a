# An alias of `python3 -m site_hooks`, for hands that type make; ARGS="..." goes on to it.
PYTHON ?= python3

.PHONY: serve build test engines bench oracle check
serve build test engines bench oracle check:
	@$(PYTHON) -m site_hooks $@ $(ARGS)
