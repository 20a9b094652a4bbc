"""Print pip constraints that pin each dependency of the package to the lowest version it admits."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = (dependency for extra in project["optional-dependencies"].values() for dependency in extra)
for dependency in (*project["dependencies"], *extras):
    name, lowest = re.fullmatch(r"([\w-]+)(?:\[[\w,-]+\])?>=([\d.]+).*", dependency).groups()
    print(f"{name}=={lowest}")
