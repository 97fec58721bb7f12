"""Collects the licence texts of software that is part of the packages."""

import json
import pathlib
import shutil
import subprocess

DEBIAN_TEXTS = pathlib.Path("/usr/share/doc")
# Header-only or static libraries that are compiled into the programs.
COMPILED_IN = ("libboost1.81-dev", "libcli11-dev")
LICENSE_NAMES = ("LICENSE", "LICENSE.md", "LICENSE.txt")


def copy_built_in(root: pathlib.Path, target: pathlib.Path, is_server: bool = True) -> None:
    """Copies the licences of the libraries from npm and of the libraries that are compiled in."""
    for folder in sorted((root / "native/prefix/share/licenses").iterdir()):
        if is_server or folder.name != "duckdb":
            copy(folder / "LICENSE", target / folder.name)
    for package in COMPILED_IN:
        copy_of_debian_package(package, target)
    if is_server:
        copy_of_console(root / "web/console", target)


def copy_of_console(console: pathlib.Path, target: pathlib.Path) -> None:
    """Copies the licences of the npm packages that are part of the console, also of indirect ones."""
    modules = console / "node_modules"
    waiting = list(json.loads((console / "package.json").read_text())["dependencies"])
    seen = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        waiting += json.loads((modules / name / "package.json").read_text()).get("dependencies", {})
        texts = [modules / name / file for file in LICENSE_NAMES if (modules / name / file).exists()]
        if not texts:
            raise SystemExit(f"package: {modules / name} has no licence text")
        copy(texts[0], target / name.replace("/", "-").lstrip("@"))


def copy_of_debian_package(package: str, target: pathlib.Path) -> None:
    text = DEBIAN_TEXTS / package / "copyright"
    if not text.exists():
        raise SystemExit(f"package: {text} is missing; the machine excludes documentation from packages")
    copy(text, target / package)


def copy_of_library(library: pathlib.Path, target: pathlib.Path) -> None:
    """Copies the licence of the Debian package that a library comes from."""
    # Packages of Debian 12 may name their files below /lib, which is a link to /usr/lib.
    names = {str(library), str(library).removeprefix("/usr")}
    done = subprocess.run(["dpkg-query", "--search", *names], check=False, capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"package: {library} belongs to no Debian package")
    copy_of_debian_package(done.stdout.split(":")[0], target)


def copy(text: pathlib.Path, folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(text, folder / text.name)
