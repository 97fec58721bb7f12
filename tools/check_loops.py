#!/usr/bin/env python3
"""Rejects a range-based for loop over a member of what a call points to: for (x : cache.current()->items).

Before C++23 the pointer that the call returns is destroyed before the first round of the loop. If it is the last
std::shared_ptr to the object, the loop reads freed memory. Name the pointer first:
  const auto current = cache.current();   for (x : current->items)
The check is textual. Without arguments it reads all of src/.
"""

import pathlib
import re
import sys

LOOP = re.compile(r"\bfor \(")


def loops_over_temporaries(text: str) -> list[int]:
    """Returns the numbers of the lines on which such loops start."""
    return [text.count("\n", 0, found.start()) + 1 for found in LOOP.finditer(text) if over_temporary(text, found.end())]


def over_temporary(text: str, start: int) -> bool:
    """Says whether the range of the loop whose header starts here calls a function and follows the pointer it returns."""
    is_call = []  # of each open parenthesis
    in_range = False
    for at in range(start, len(text)):
        if text[at] == "(":
            is_call.append(re.match(r"[\w>]", text[at - 1]) is not None)
        elif text[at] == ")":
            if not is_call:
                return False  # the end of the header
            if is_call.pop() and in_range and not is_call and text.startswith("->", at + 1):
                return True
        elif text[at] == ";":
            return False
        elif text[at] == ":" and not is_call and ":" not in (text[at - 1], text[at + 1]):
            in_range = True
    return False


def main(arguments: list[str]) -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    paths = [pathlib.Path(each) for each in arguments] or sorted((root / "src").rglob("*.[ch]*"))
    found = [f"{path}:{line}: the loop's range is in an object that may be destroyed; see tools/check_loops.py"
             for path in paths if path.suffix in (".cpp", ".h")
             for line in loops_over_temporaries(path.read_text())]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
