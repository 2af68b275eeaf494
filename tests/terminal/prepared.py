"""Prepares all of the program, for the server that forks it."""

from tests.terminal.watched import prepare

prepare()
