"""Charts and tables drawn into terminal cells: the only package that imports plotext."""
