#!/usr/bin/env python3
"""Rejects code that GCC 12 miscompiles: a braced or lambda temporary in a co_await full-expression.

GCC 12.2 destroys such a temporary twice (double free); Clang does not. Name the value first to avoid
this:   auto job = [id] { ... };   co_await onWorker(pool, std::move(job));
The check is textual and may reject valid code. Without arguments it reads all of src/.
"""

import pathlib
import re
import sys

OPEN, CLOSE = "({[", ")}]"
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)
CAPTURE = re.compile(r"\[[^\[\]]+\]\s*")
BODY = re.compile(r"\s*(?:mutable\s*|noexcept\s*)*(?:->[^{};]*)?\{")
BRACED = re.compile(r"(?:\b[A-Za-z_][\w:]*(?:<[^<>;]*>)?|[(,=])\s*\{")
BEFORE_BLOCK = re.compile(r"(?:^|[;{}:)\]])\s*$|\b(?:else|do|try|const|noexcept|mutable|override|final)\s*$|->[^;{}()]*$")


def without_noise(text: str) -> str:
    """Returns the text with comments and strings blanked and the same line numbers."""
    return NOISE.sub(lambda found: '""' + "\n" * found.group().count("\n"), text)


def balanced_end(text: str, start: int) -> int:
    """Returns the position after the bracket that closes the one at start."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in OPEN) - (text[at] in CLOSE)
        if depth == 0:
            return at + 1
    return len(text)


def statement_start(text: str, at: int) -> tuple[int, bool]:
    """Returns the start of the full-expression around text[at], and whether it is inside a braced initialiser."""
    depth = 0
    for position in range(at - 1, -1, -1):
        char = text[position]
        if char == ";" and depth <= 0:
            return position + 1, False
        if char == "}" and depth <= 0 and re.match(r"\s*[\w*:(~!&]", text[position + 1 :]):
            return position + 1, False  # the end of the previous block
        if char == "{" and depth <= 0:
            return position + 1, not BEFORE_BLOCK.search(text, max(0, position - 400), position)
        depth += (char in CLOSE) - (char in OPEN)
    return 0, False


def statement_end(text: str, at: int) -> int:
    depth = 0
    for position in range(at, len(text)):
        depth += (text[position] in OPEN) - (text[position] in CLOSE)
        if depth < 0 or (text[position] == ";" and depth == 0):
            return position
    return len(text)


def has_capturing_lambda(text: str) -> bool:
    for capture in CAPTURE.finditer(text):
        end = capture.end()
        if end < len(text) and text[end] == "(":
            end = balanced_end(text, end)
        if BODY.match(text, end):
            return True
    return False


def complaints(text: str):
    """Yields (line, message) for each suspicious co_await."""
    text = without_noise(text)
    for found in re.finditer(r"\bco_await\b", text):
        line = text.count("\n", 0, found.start()) + 1
        start, inside_braces = statement_start(text, found.start())
        statement = text[start : statement_end(text, found.end())]
        if inside_braces:
            yield line, "take co_await out of the braced initialiser"
        elif has_capturing_lambda(statement) or BRACED.search(statement):
            yield line, "name the temporary before co_await"


def main(names: list[str]) -> int:
    source = pathlib.Path(__file__).resolve().parent.parent / "src"
    files = [pathlib.Path(name) for name in names] or sorted(source.rglob("*.[hc]*"))
    broken = [
        f"{file}:{line}: {complaint}" for file in files for line, complaint in complaints(file.read_text())
    ]
    print("\n".join(broken) or f"coroutines: {len(files)} files, none suspicious")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
