"""Lets ``python -m attn_tui`` do what ``attn-tui`` does."""

from attn_tui.cli import main

if __name__ == "__main__":
    main()
