"""The screens and charts of before, until each has its successor beside `attn_tui.ui`."""
