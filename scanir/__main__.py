"""``python -m scanir`` is the command ``scanir``."""

from __future__ import annotations

import sys

from scanir.cli import main

if __name__ == "__main__":
    sys.exit(main())
