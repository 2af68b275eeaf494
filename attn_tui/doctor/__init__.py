"""The doctor: what a capture's heads were computed with, compared with what is expected."""
