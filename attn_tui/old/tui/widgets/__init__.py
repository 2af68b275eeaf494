"""Widgets for any instrument's screen; none of them imports the application or a screen."""
