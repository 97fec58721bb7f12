#!/usr/bin/env python3
"""Fails for C++ files that `make format` would change. Without arguments it reads all that git knows or would add."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = "clang-format-14"
FILES_PER_CALL = 100


def sources() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.h", "*.cpp"],
                            cwd=ROOT, text=True, capture_output=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def misformatted(files: list[str]) -> str:
    """Returns the complaints of clang-format about these files; empty if there are none."""
    done = subprocess.run([PROGRAM, "--dry-run", "-Werror", *files], cwd=ROOT, text=True, capture_output=True, check=False)
    return done.stderr if done.returncode else ""


def main(arguments: list[str]) -> int:
    files = arguments or sources()
    parts = [files[at:at + FILES_PER_CALL] for at in range(0, len(files), FILES_PER_CALL)]
    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = "".join(pool.map(misformatted, parts))
    except FileNotFoundError:
        found = f"{PROGRAM} is not installed: run make setup GROUPS=test\n"
    print(found, end="")
    if not found:
        print(f"format: {len(files)} files are formatted")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
