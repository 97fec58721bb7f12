#!/usr/bin/env python3
"""Checks the dependencies between areas.

1. An area's DEPS name only areas of strictly lower rank. The other programs (engine, trainer) depend
   only on the ground layers, and nothing depends on them.
2. An area includes only itself and its DEPS.
3. Above the ground layers domain files have no infrastructure includes: the name of a file determines what
   it may include (ROLES). Tests may include anything declared.
4. Only the areas in CONFINED include a third-party library, so that it can be replaced there.
5. Every source file is in its area's CMakeLists.txt.
6. No file is longer than MAX_LINES.
7. Vendor names occur in one area only (SPELLINGS); everywhere else names are neutral.
"""

import pathlib
import re
import sys

MAX_LINES = 600
LAYERS = [
    ["base"],
    ["json"],
    ["wire"],
    ["schema"],
    ["config"],
    ["http", "storage", "columnar"],
    ["query", "transfer", "weights", "jobs", "otlp", "events", "backup"],
    ["identity"],
    ["registry", "objects", "pricing"],
    ["feedback", "runs"],
    ["tracing"],
    ["agents", "evaluation", "training", "inference", "automation"],
    ["app"],
]
RANK = {area: rank for rank, layer in enumerate(LAYERS) for area in layer}
PROGRAMS = {"engine", "trainer"}
GROUND = {area for area, rank in RANK.items() if rank <= RANK["jobs"]}
PURE = {area for area, rank in RANK.items() if RANK["jobs"] < rank < RANK["app"]}
ROLES = {
    "http": r"(^|_)(api|client)\.",
    "schema": r"(^|_)(api|config)\.",
    "json": r"(^|_)(api|config|json|repository|store)\.",
    "storage": r"(^|_)(repository|store|migrations)\.",
    "columnar": r"(^|_)(repository|store)\.",
}
CONFINED = {
    "boost/asio": {"http"},
    "boost/beast": {"http"},
    "duckdb": {"columnar"},
    "libpq": {"storage"},
    "llama": {"engine", "trainer"},
    "simdjson": {"json", "schema"},
    "soci": {"storage"},
    "sqlite3": {"storage"},
    "torch": {"trainer"},
}
SPELLINGS = "wire"
VENDOR_NAME = re.compile(r"weave|wandb|\bwb_", re.IGNORECASE)
SOURCES = ("*.h", "*.cpp")
ELSEWHERE = {
    "bench": ("*.cpp", "*.h", "*.mjs", "*.py"),
    "fuzz": SOURCES,
    "scripts": ("*",),
    "tests": (*SOURCES, "*.mjs", "*.py"),
    "tools": ("*",),
}


def declared_deps(text: str) -> set[str]:
    text = re.sub(r"#[^\n]*", "", text)
    found = re.findall(r"\bDEPS\s+([a-z_\s]+?)(?=\s+[A-Z_]+\b|\s*\))", text)
    return {dep for deps in found for dep in deps.split()}


def may_depend(area: str, dep: str) -> bool:
    if area in PROGRAMS:
        return dep in GROUND
    return RANK.get(dep, len(LAYERS)) < RANK[area]


def may_include(area: str, file: str, target: str, deps: set[str]) -> bool:
    if target == area:
        return True
    if target not in deps:
        return False
    restricted = area in PURE and "_test." not in file and target in ROLES
    return not restricted or re.search(ROLES[target], file) is not None


def check_include(area: str, file: str, line: str, deps: set[str]) -> str:
    """Returns the violation of the include on this line, or an empty string."""
    ours = re.match(r'\s*#\s*include\s+"([a-z_0-9]+)/', line)
    if ours and not may_include(area, file, ours.group(1), deps):
        return f"may not include {ours.group(1)}/"
    theirs = re.match(r"\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", line)
    for library, areas in CONFINED.items() if theirs and not ours else ():
        if re.match(rf"{library}\b", theirs.group(1)) and area not in areas:
            return f"only {', '.join(sorted(areas))} may include {library}"
    return ""


def check_area(path: pathlib.Path) -> list[str]:
    area, build = path.name, path / "CMakeLists.txt"
    if area not in RANK and area not in PROGRAMS:
        return [f"{path}: give this area a rank in tools/check_layers.py"]
    if not build.exists():
        return [f"{path}: has no CMakeLists.txt"]
    listed = build.read_text()
    deps = declared_deps(listed)
    broken = [f"{build}: {area} may not depend on {dep}" for dep in sorted(deps) if not may_depend(area, dep)]
    for file in files_in(path, SOURCES):
        name = file.relative_to(path).as_posix()
        if file.suffix == ".cpp" and not re.search(rf"(?<![\w/]){re.escape(name)}\b", listed):
            broken.append(f"{file}: is not in {build}")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            complaint = check_include(area, file.name, line, deps)
            if not complaint and area != SPELLINGS and VENDOR_NAME.search(line):
                complaint = f"only {SPELLINGS} may spell a vendor's name"
            if complaint:
                broken.append(f"{file}:{number}: {complaint}")
    return broken


def files_in(folder: pathlib.Path, patterns: tuple[str, ...]) -> list[pathlib.Path]:
    found = {file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()}
    return sorted(file for file in found if not {"node_modules", "__pycache__"} & set(file.parts))


def check_length(file: pathlib.Path) -> list[str]:
    length = len(file.read_text().splitlines())
    return [f"{file}: {length} lines, more than {MAX_LINES}"] if length > MAX_LINES else []


def check(root: pathlib.Path) -> list[str]:
    """Returns all violations under the root of a checkout, one line each."""
    areas = sorted(path for path in (root / "src").iterdir() if path.is_dir())
    areas += [root / program for program in sorted(PROGRAMS) if (root / program).is_dir()]
    broken = [line for area in areas for line in check_area(area)]
    places = [(area, SOURCES) for area in areas]
    places += [(root / folder, patterns) for folder, patterns in ELSEWHERE.items()]
    broken += [line for place in places for file in files_in(*place) for line in check_length(file)]
    return [line.replace(f"{root}/", "") for line in broken]


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "layers: all in order")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
