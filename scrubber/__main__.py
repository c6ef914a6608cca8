"""`python -m scrubber`."""

from __future__ import annotations

from scrubber.cli import main

if __name__ == "__main__":
    main()
