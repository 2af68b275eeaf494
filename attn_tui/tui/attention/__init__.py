"""The screen of Attention."""
