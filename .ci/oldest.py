"""Prints the oldest versions that the dependencies allow, as pip constraints: `torch>=2.6` becomes `torch==2.6`.

Packages with an exact version, or without one, are left as they are.
"""

import re
import tomllib
from pathlib import Path


def oldest(requirements: list[str]) -> list[str]:
    """One constraint for every requirement with a lowest version.

    >>> oldest(["torch>=2.6", "jsonargparse[signatures]>=4.49", "types-pyyaml", "a==0.1"])
    ['torch==2.6', 'jsonargparse==4.49']
    """
    found = [re.match(r"([\w.-]+)(?:\[[^]]*\])?>=([\w.]+)", requirement) for requirement in requirements]
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    print("\n".join(sorted(set(oldest(project["dependencies"])))))
