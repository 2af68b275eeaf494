"""Prints the lowest version of each dependency that pyproject.toml allows, for pip."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]
for requirement in project["dependencies"]:
    sys.stdout.write(requirement.partition(",")[0].replace(">=", "==") + "\n")
