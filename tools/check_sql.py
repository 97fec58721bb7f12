#!/usr/bin/env python3
"""Checks that SQL contains no strings of callers.

SQL is SqlText (base/core/sql_text.h): literals, checked names, numbers. Two of its functions accept a string that
is not a literal. This script lists the files that may call them, with the number of calls. The numbers only
decrease: one more call fails the check, and one less fails it until the list is updated.

Only the files in ENGINES pass SQL to a database engine. All other files use the stores, which accept only
SqlText.
"""

import pathlib
import re
import sys

# Allowed number of calls per file of the functions that make SQL from a string.
EXCEPTIONS = {
    # JSON pointers: DuckDB prepares a constant path once. Their characters cannot end a string literal.
    "SqlText::constant": {"src/query/field.cpp": 1},
    # Files of the server in ATTACH, COPY and read_parquet(), which take no parameters.
    "SqlText::fileName": {"src/columnar/duckdb/engine.cpp": 1, "src/columnar/duckdb/parquet.cpp": 1},
}
# Functions of the engines, and the files that may call them.
ENGINES = {
    r"\bduckdb_(?:query|prepare|prepare_extracted|extract_statements)\(": {
        "src/columnar/duckdb/query_result.cpp",
        "src/columnar/duckdb/connection.cpp",
        "src/columnar/duckdb/parquet.cpp",
    },
    r"\bsqlite3_(?:exec|prepare\w*)\(": {
        "src/storage/database/sqlite_connection.cpp",
        "src/storage/database/sqlite_snapshot.cpp",
        "src/storage/database/sqlite_snapshot_test.cpp",
    },
    r"\bPQ(?:exec|prepare|execParams|sendQuery)\w*\(": {
        "src/storage/database/postgres_connection.cpp",
        "src/storage/database/postgres_listener.cpp",
        "src/storage/testing/postgres_for_test.cpp",
    },
    r"\bstatementText\(": {
        "src/clickhouse/client/client.cpp",
        "src/clickhouse/client/statement_text.cpp",
        "src/clickhouse/client/statement_text.h",
        "src/clickhouse/client/statement_text_test.cpp",
    },
    r"\.prepare\((?:numbered\.sql|text)\)": {
        "src/storage/database/postgres_connection.cpp",
        "src/storage/database/sqlite_connection.cpp",
    },
}
# The definition of SqlText and its tests.
DEFINED = {"src/base/core/sql_text.h", "src/base/core/sql_text.cpp", "src/base/core/sql_text_test.cpp"}
FOLDERS = ("src", "fuzz")


def check_file(name: str, text: str) -> list[str]:
    """Returns the violations of one file, one line each."""
    if name in DEFINED:
        return []
    broken = []
    code = re.sub(r"//[^\n]*", "", text)
    for function, allowed in EXCEPTIONS.items():
        count, most = code.count(f"{function}("), allowed.get(name, 0)
        if count > most:
            broken.append(f"{name}: calls {function} {count} times, at most {most}: use a literal, a name or a parameter")
        elif count < most:
            broken.append(f"{name}: calls {function} {count} times: write {count} in tools/check_sql.py")
    for pattern, allowed in ENGINES.items():
        if name not in allowed and re.search(pattern, code):
            broken.append(f"{name}: only {', '.join(sorted(allowed))} may call {pattern}")
    return broken


def check(root: pathlib.Path) -> list[str]:
    """Returns all violations under the root of a checkout, one line each."""
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*") if file.suffix in (".h", ".cpp")]
    names = {file.relative_to(root).as_posix(): file for file in files}
    broken = [line for name in sorted(names) for line in check_file(name, names[name].read_text())]
    listed = {name for allowed in EXCEPTIONS.values() for name in allowed}
    return broken + [f"tools/check_sql.py: {name} is gone" for name in sorted(listed - names.keys())]


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "sql: all in order")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
