#!/usr/bin/env python3
"""Checks that SQL names only tables of its own area.

A table belongs to the area that creates it. Other areas read the views that the owner creates for them (`CREATE VIEW
published_…` in its migrations), so that the owner can change its tables. Nobody writes through a view. Foreign keys may
refer to any table, and tests may name any table. The columnar store has tables of its own, in another database.
"""

import pathlib
import re
import sys

# Files that read a closed database of any version, which may be older than the views.
EXCEPTIONS = {
    "src/app/commands/row_check.cpp": {"annotation_items"},
    "src/backup/folder_check.cpp": {"storage_key_check"},
}
CREATED = re.compile(r"\bCREATE (TABLE|VIEW)(?: IF NOT EXISTS)? (\w+)")
READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)")
WRITTEN = re.compile(r"\b(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+(\w+)")
# Names of tables that functions put into statements: insertInto("teams"), {.table = "teams"}.
PASSED = re.compile(r'(?:\binsertInto\(\s*|\bupdate\(\s*|\.table = |\.references = )"(\w+)"')
LITERALS = re.compile(r'"((?:[^"\\\n]|\\.)*)"(?:\s*"((?:[^"\\\n]|\\.)*)")*')


def area_of(name: str) -> str:
    return name.split("/")[1]


def owners(files: dict[str, str]) -> dict[str, tuple[str, str]]:
    """Returns the area and the kind (TABLE or VIEW) of everything that SQL in `files` creates."""
    return {
        created: (area_of(name), kind)
        for name, text in files.items()
        for kind, created in CREATED.findall(text)
    }


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", "", text)


def sql_of(text: str) -> str:
    """Returns the string literals of a source, neighbours joined, one per line."""
    code = without_comments(text)
    joined = []
    for found in LITERALS.finditer(code):
        parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', found.group(0))
        joined.append("".join(parts))
    return "\n".join(joined + re.findall(r'R"sql\((.*?)\)sql"', text, re.S))


def check_file(name: str, text: str, owned: dict[str, tuple[str, str]]) -> list[str]:
    """Returns the violations of one file, one line each."""
    broken = []
    sql = sql_of(text)
    written = set(WRITTEN.findall(sql)) | set(PASSED.findall(without_comments(text)))
    for table in sorted(set(READ.findall(sql)) | written):
        area, kind = owned.get(table, (area_of(name), "TABLE"))
        if table in EXCEPTIONS.get(name, ()):
            continue
        if kind == "VIEW":
            if table in written:
                broken.append(f"{name}: writes the view {table}: call a function of {area}")
        elif area != area_of(name):
            broken.append(f"{name}: names the table {table} of {area}: use a published view or a function of {area}")
    return broken


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    files = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in sorted((root / "src").rglob("*"))
        if path.suffix in (".h", ".cpp") and not re.search(r"_test\.|_for_test\.|/testing/", str(path))
    }
    owned = owners({name: text for name, text in files.items() if area_of(name) != "columnar"})
    if not owned:
        print("no tables found", file=sys.stderr)
        return 1
    broken = [line for name, text in files.items() for line in check_file(name, text, owned)]
    for line in broken:
        print(line, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
