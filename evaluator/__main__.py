"""`python -m receval`."""

import sys

from receval.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
