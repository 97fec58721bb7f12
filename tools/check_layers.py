#!/usr/bin/env python3
"""Checks that the source tree has the structure that docs/architecture.md describes.

1. A folder under src/ is an area, or a room of an area: one CMake target each. DEPS name only areas of a
   lower rank and other rooms of the same area, without a cycle. The programs beside the server (engine,
   trainer) depend on the foundation areas alone, and no area depends on them.
2. A file includes only its own target and the targets in DEPS; a test also those in TEST_DEPS.
3. One area sees a third-party library (CONFINED), so that the library can be replaced there.
4. Every source file is in the CMakeLists.txt of its folder.
5. No file is longer than MAX_LINES, no folder under src/ has more than MAX_FILES files.
6. Names of a vendor's interface appear in one area (VENDOR_AREA); all other areas use neutral names.
"""

import pathlib
import re
import sys

MAX_LINES = 600
MAX_FILES = 45
LAYERS = [
    ["base"],
    ["json"],
    ["wire"],
    ["schema"],
    ["config"],
    ["http", "storage", "columnar"],
    ["clickhouse", "query", "transfer", "weights", "jobs", "otlp", "events", "live", "cluster", "backup", "s3"],
    ["identity", "statistics"],
    ["registry", "objects", "pricing"],
    ["feedback", "runs"],
    ["tracing"],
    ["agents", "evaluation", "training", "inference", "automation"],
    ["app"],
]
RANK = {area: rank for rank, layer in enumerate(LAYERS) for area in layer}
PROGRAMS = {"engine", "trainer"}
FOUNDATION = {area for area, rank in RANK.items() if rank <= RANK["jobs"]}
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
VENDOR_AREA = "wire"
VENDOR_NAME = re.compile(r"weave|wandb|\bwb_", re.IGNORECASE)
SOURCES = ("*.h", "*.cpp")
ELSEWHERE = {
    "bench": ("*.cpp", "*.h", "*.mjs", "*.py"),
    "fuzz": SOURCES,
    "scripts": ("*",),
    "tests": (*SOURCES, "*.mjs", "*.py"),
    "tools": ("*",),
}


class Target:
    """A folder with a CMakeLists.txt that defines a library: `http/client` in src/http/client."""

    def __init__(self, src: pathlib.Path, build: pathlib.Path):
        self.build = build
        self.folder = build.parent
        self.name = self.folder.relative_to(src).as_posix()
        self.area = self.name.split("/")[0]
        self.text = re.sub(r"#[^\n]*", "", build.read_text())
        self.deps = self.listed("DEPS") - {self.name}  # a program beside the library depends on it
        self.test_deps = self.listed("TEST_DEPS")

    def listed(self, keyword: str) -> set[str]:
        found = re.findall(rf"(?<!\w){keyword}\s+([a-z0-9_/\s]+?)(?=\s+[A-Z_]+\b|\s*\))", self.text)
        return {name for names in found for name in names.split()}

    def may_include(self, file: pathlib.Path, target: str) -> bool:
        allowed = {self.name} | self.deps
        if "_test." in file.name or "_for_test." in file.name or file.stem.endswith("_fixture"):
            allowed |= self.test_deps
        return target in allowed


def area_of(target: str) -> str:
    return target.split("/")[0]


def may_depend(target: Target, dep: str, known: set[str]) -> bool:
    if dep not in known:
        return False
    if area_of(dep) == target.area:
        return True
    if target.area in PROGRAMS:
        return area_of(dep) in FOUNDATION
    return RANK.get(area_of(dep), len(LAYERS)) < RANK[target.area]


def cycles(targets: dict[str, Target]) -> list[str]:
    """Returns one line for each room that depends on itself through other rooms of its area."""
    broken = []
    for name, target in sorted(targets.items()):
        siblings = {other: each for other, each in targets.items() if each.area == target.area}
        seen, stack = set(), list(target.deps)
        while stack:
            dep = stack.pop()
            if dep in siblings and dep not in seen:
                seen.add(dep)
                stack += siblings[dep].deps
        if name in seen:
            broken.append(f"{target.build}: {name} depends on itself through other rooms")
    return broken


def check_include(target: Target, file: pathlib.Path, line: str) -> str:
    """Returns the rule that the include on this line breaks, or an empty text."""
    ours = re.match(r'\s*#\s*include\s+"([a-z_0-9/]+)/[^/"]+"', line)
    if ours and not target.may_include(file, ours.group(1)):
        return f"may not include {ours.group(1)}/"
    theirs = re.match(r"\s*#\s*include\s+[<\"]([^>\"]+)[>\"]", line)
    for library, areas in CONFINED.items() if theirs and not ours else ():
        if re.match(rf"{library}\b", theirs.group(1)) and target.area not in areas:
            return f"only {', '.join(sorted(areas))} may include {library}"
    return ""


def check_target(target: Target, known: set[str]) -> list[str]:
    if target.area not in RANK and target.area not in PROGRAMS:
        return [f"{target.folder}: give this area a rank in tools/check_layers.py"]
    broken = [f"{target.build}: {target.name} may not depend on {dep}"
              for dep in sorted(target.deps | target.test_deps) if not may_depend(target, dep, known)]
    for file in sorted(file for pattern in SOURCES for file in target.folder.glob(pattern)):
        if file.suffix == ".cpp" and not re.search(rf"(?<![\w/]){re.escape(file.name)}\b", target.text):
            broken.append(f"{file}: is not in {target.build}")
        for number, line in enumerate(file.read_text().splitlines(), 1):
            complaint = check_include(target, file, line)
            if not complaint and target.area != VENDOR_AREA and VENDOR_NAME.search(line):
                complaint = f"only {VENDOR_AREA} may spell a vendor's name"
            if complaint:
                broken.append(f"{file}:{number}: {complaint}")
    return broken


def check_folders(src: pathlib.Path) -> list[str]:
    """Returns one line for each folder that is too large, or has sources without a target."""
    broken = []
    for folder in sorted(path for path in src.rglob("*") if path.is_dir()):
        files = [path for path in folder.iterdir() if path.is_file()]
        if len(files) > MAX_FILES:
            broken.append(f"{folder}: {len(files)} files, more than {MAX_FILES}")
        has_sources = any(file.suffix in (".h", ".cpp") for file in files)
        if has_sources and not (folder / "CMakeLists.txt").exists():
            broken.append(f"{folder}: has no CMakeLists.txt")
    return broken


def files_in(folder: pathlib.Path, patterns: tuple[str, ...]) -> list[pathlib.Path]:
    found = {file for pattern in patterns for file in folder.rglob(pattern) if file.is_file()}
    return sorted(file for file in found if not {"node_modules", "__pycache__"} & set(file.parts))


def check_length(file: pathlib.Path) -> list[str]:
    length = len(file.read_text().splitlines())
    return [f"{file}: {length} lines, more than {MAX_LINES}"] if length > MAX_LINES else []


def check(root: pathlib.Path) -> list[str]:
    """Returns one line for each broken rule under the root of a checkout."""
    src = root / "src"
    builds = [build for build in sorted(src.rglob("CMakeLists.txt")) if "spindle_library(" in build.read_text()]
    targets = {target.name: target for target in (Target(src, build) for build in builds)}
    broken = [line for target in targets.values() for line in check_target(target, set(targets))]
    broken += cycles(targets) + check_folders(src)
    places = [(src, SOURCES)] + [(root / folder, patterns) for folder, patterns in ELSEWHERE.items()]
    broken += [line for place in places for file in files_in(*place) for line in check_length(file)]
    return [line.replace(f"{root}/", "") for line in broken]


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "layers: no rule is broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
