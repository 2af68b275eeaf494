"""Checks of claims, by family: functions of a trial that yield cases and a picture."""
