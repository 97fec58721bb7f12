#!/usr/bin/env python3
"""Checks that the map of the source tree is true.

1. Every area and every room under src/ has a README.md.
2. The README of a folder names every .h and .cpp file beside it, except tests, and no file that does not exist.
   A pair `name.h`, `name.cpp` is named by either of its files.
3. The README of an area with rooms names every room, as `room/`.
4. docs/architecture.md names every area in the row of its rank (tools/check_layers.py).
"""

import pathlib
import re
import sys

from check_layers import LAYERS, PROGRAMS

FILE_NAME = re.compile(r"`([a-z0-9_]+\.(?:h|cpp))`")
TEST_FILE = re.compile(r"(_test|_for_test|_fixture)\.(h|cpp)$")


def check_folder(folder: pathlib.Path) -> list[str]:
    files = {file.name for pattern in ("*.h", "*.cpp") for file in folder.glob(pattern)}
    rooms = sorted(child.name for child in folder.iterdir() if (child / "CMakeLists.txt").exists())
    if not files and not rooms:
        return []
    readme = folder / "README.md"
    if not readme.exists():
        return [f"{folder}: has no README.md"]
    text = readme.read_text()
    named = set(FILE_NAME.findall(text))
    stems = {name.rsplit(".", 1)[0] for name in named}
    unnamed = sorted(file for file in files if not TEST_FILE.search(file) and file.rsplit(".", 1)[0] not in stems)
    broken = [f"{readme}: does not name {file}" for file in unnamed]
    broken += [f"{readme}: names {file}, which does not exist" for file in sorted(named - files)]
    broken += [f"{readme}: does not name the room {room}/" for room in rooms if f"`{room}/`" not in text]
    return broken


def check_ranks(page: pathlib.Path) -> list[str]:
    rows = dict(re.findall(r"^\| (\d+) \| ([^|]+) \|", page.read_text(), re.MULTILINE)) if page.exists() else {}
    expected = {str(rank): set(layer) for rank, layer in enumerate(LAYERS)}
    found = {rank: set(re.findall(r"`([a-z0-9_]+)`", areas)) for rank, areas in rows.items()}
    broken = [f"{page}: rank {rank} is {', '.join(sorted(areas))}"
              for rank, areas in expected.items() if found.get(rank) != areas]
    programs = [f"{page}: does not name {program}" for program in sorted(PROGRAMS)
                if page.exists() and f"`{program}`" not in page.read_text()]
    return broken + programs


def check(root: pathlib.Path) -> list[str]:
    """Returns one line for each false or missing statement under the root of a checkout."""
    src = root / "src"
    folders = [src / area for area in sorted(path.name for path in src.iterdir() if path.is_dir())]
    folders += sorted(build.parent for build in src.glob("*/*/CMakeLists.txt"))
    broken = [line for folder in folders for line in check_folder(folder)]
    broken += check_ranks(root / "docs/architecture.md")
    return [line.replace(f"{root}/", "") for line in broken]


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "map: every file is named")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
