"""Figures: each is a function from a result object to SVG. They compute layout, never domain values."""
