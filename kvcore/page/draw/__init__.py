"""Code that all figures share: the two widths, the axes, and the placement of labels."""
