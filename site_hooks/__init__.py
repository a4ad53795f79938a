"""Sets up, builds, serves and tests the site; each step also runs alone as `python -m site_hooks.STEP`."""
