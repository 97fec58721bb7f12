#!/usr/bin/env python3
"""Checks the words of source files and documents (docs/glossary.md).

1. No file contains a word of the section "Refused words" of the glossary, also not as part of a name such as
   `CallWishes` or `make_wish`.
2. No comment that documents a declaration (`///`) begins with "What", "Whoever", "Of" or "There is".
"""

import pathlib
import re
import subprocess
import sys

GLOSSARY = "docs/glossary.md"
SUFFIXES = {".h", ".cpp", ".mjs", ".py", ".md", ".sh", ".cmake", ".txt"}
# The glossary names the words; the tests of this check use them; spindle-nano learns from English sentences.
EXCLUDED = {GLOSSARY, "tools/check_words.py", "tools/check_words_test.py"}
EXCLUDED_FOLDERS = ("data/", "nano/", "native/", "tests/golden/")
WIRE_NAMES = re.compile(r"\bTrainerWish\b")  # names in the OpenAPI document, from which clients generate code
WORD = re.compile(r"[A-Z]?[a-z]+(?:-[a-z]+)*|[A-Z]+(?![a-z])")
OPENING = re.compile(r"^\s*/// (What|Whoever|Of|There (?:is|are)) ")
COMMENT = re.compile(r"^\s*///")


def refused_words(glossary: str) -> set[str]:
    section = re.search(r"^## Refused words\n(.*?)(?=^## |\Z)", glossary, re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([a-z-]+)`", section.group(1))) if section else set()


def check_text(text: str, refused: set[str]) -> list[tuple[int, str]]:
    """Returns the number of each bad line and what is wrong with it."""
    problems = []
    previous = ""
    for number, line in enumerate(text.splitlines(), 1):
        for word in WORD.findall(WIRE_NAMES.sub("", line)):
            if word.lower() in refused:
                problems.append((number, f"'{word}': see {GLOSSARY}"))
        opening = OPENING.match(line)
        if opening and not COMMENT.match(previous):
            problems.append((number, f"a comment begins with '{opening.group(1)}': say what it is"))
        previous = line
    return problems


def check(root: pathlib.Path) -> list[str]:
    """Returns one line for each problem in the tracked and new files of a checkout."""
    refused = refused_words((root / GLOSSARY).read_text())
    if not refused:
        return [f"{GLOSSARY}: has no section 'Refused words'"]
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                             capture_output=True, text=True).stdout.splitlines()
    broken = []
    for name in listing:
        path = root / name
        excluded = name in EXCLUDED or name.startswith(EXCLUDED_FOLDERS) or path.suffix not in SUFFIXES
        if excluded or not path.is_file():
            continue
        broken += [f"{name}:{number}: {what}" for number, what in check_text(path.read_text(errors="replace"), refused)]
    return broken


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    for line in broken:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
