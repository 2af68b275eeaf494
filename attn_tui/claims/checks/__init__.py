"""Checks of claims, by family: each is a function of a trial that yields cases, and a picture."""
