"""The screen of Claims."""
