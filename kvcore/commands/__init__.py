"""The commands of the terminal, one module each, and the options that they share."""
