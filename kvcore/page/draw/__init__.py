"""What all figures share: the two widths, axes, and the placing of labels."""
