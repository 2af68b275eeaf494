"""The screens, charts and words of before, until each has its successor beside `attn_tui.ui`."""
