#!/usr/bin/env python3
"""Builds the packages of Spindle from a finished build: two Debian packages and a tarball.

  deploy/package/build.py [--preset release] [--out build/package]

Prints the path and size of each file. The same sources, commit and Debian release give the same bytes: all times in the
files are SOURCE_DATE_EPOCH, which defaults to the time of the commit.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import debs
import licenses
import tarball

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def run(*command, **options) -> str:
    """Returns the standard output of a command that must succeed."""
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        raise SystemExit(f"package: {' '.join(map(str, command))} failed with status {done.returncode}")
    return done.stdout


def version() -> str:
    return re.search(r"^project\(spindle VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def commit_time() -> str:
    """Returns the time of the last commit, or 0 outside of a checkout."""
    done = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], check=False, capture_output=True, text=True)
    return done.stdout.strip() or "0"


def install(build: pathlib.Path, component: str, prefix: pathlib.Path) -> None:
    """Installs the stripped programs and libraries of a component."""
    run("cmake", "--install", build, "--component", component, "--prefix", prefix, "--strip")
    libraries = sorted(prefix.glob("lib/*/*.so"))
    run("strip", "--strip-unneeded", *libraries)
    for library in libraries:
        library.chmod(0o644)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="release", help="the build to take the programs from (release)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build/package", help="folder of the packages")
    options = parser.parse_args()
    for tool in ("cmake", "strip", "dpkg-deb", "dpkg-shlibdeps"):
        if shutil.which(tool) is None:
            raise SystemExit(f"package: {tool} is missing: scripts/setup.sh package")
    os.umask(0o022)
    os.environ.setdefault("SOURCE_DATE_EPOCH", commit_time())
    build = ROOT / "build" / options.preset
    work = options.out / "work"
    shutil.rmtree(options.out, ignore_errors=True)

    server, trainer = work / "server", work / "trainer"
    install(build, "server", server)
    install(build, "trainer", trainer)
    licenses.copy_built_in(ROOT, server / "share/doc/spindle/licenses")
    licenses.copy_built_in(ROOT, trainer / "share/doc/spindle-trainer/licenses", is_server=False)
    made = [debs.build(HERE, "spindle", version(), server, options.out),
            debs.build(HERE, "spindle-trainer", version(), trainer, options.out),
            tarball.build(ROOT, version(), server, options.out)]
    shutil.rmtree(work)
    for file in made:
        print(f"{file.relative_to(pathlib.Path.cwd()) if file.is_relative_to(pathlib.Path.cwd()) else file}"
              f"  {file.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
