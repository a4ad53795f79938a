"""`python -m kvcore` is the command `kvcore`, with nothing installed."""

import sys

from kvcore.cli import main

if __name__ == "__main__":
    sys.exit(main())
