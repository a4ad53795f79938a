"""Sets up, builds, serves and tests the site; a module with a `main` also runs alone, as `python -m site_hooks.runtime` does."""
