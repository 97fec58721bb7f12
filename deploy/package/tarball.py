"""Builds the tarball: the server, its engine and every library except those of the C and C++ runtimes."""

import os
import pathlib
import platform
import re
import shutil
import subprocess

import licenses

# Every Debian has these; a copy could be older than one that another library on the machine needs.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux-.*|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s)\.so")


def build(root: pathlib.Path, version: str, installed: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """@return the file OUT/spindle-<version>-linux-<machine>.tar.gz"""
    name = f"spindle-{version}-linux-{platform.machine()}"
    tree = out / "work" / name
    shutil.copytree(installed, tree)
    texts = tree / "share/doc/spindle/licenses"
    for soname, file in sorted(closure(tree).items()):
        shutil.copyfile(file, tree / "lib/spindle" / soname)
        (tree / "lib/spindle" / soname).chmod(0o644)
        licenses.copy_of_library(file, texts)
    shutil.copyfile(root / "LICENSE", tree / "LICENSE")
    shutil.copyfile(root / "deploy/package/README.tarball", tree / "README")
    shutil.copyfile(root / "deploy/package/spindle.toml", tree / "share/spindle/spindle.toml")
    service = (root / "deploy/systemd/spindle.service").read_text()
    (tree / "share/spindle/spindle.service").write_text(service.replace("/usr/bin/", "/opt/spindle/bin/"))
    file = out / f"{name}.tar.gz"
    times = f"--mtime=@{os.environ['SOURCE_DATE_EPOCH']}"
    packed = subprocess.Popen(["tar", "--create", "--sort=name", times, "--owner=0", "--group=0", "--numeric-owner",
                               "--format=gnu", "--directory", tree.parent, name], stdout=subprocess.PIPE)
    with file.open("wb") as output:
        subprocess.run(["gzip", "-9", "--no-name"], stdin=packed.stdout, stdout=output, check=True)
    if packed.wait() != 0:
        raise SystemExit("package: tar failed")
    return file


def closure(tree: pathlib.Path) -> dict[str, pathlib.Path]:
    """Returns the libraries outside of the tree that its programs need, also indirectly: soname and file."""
    found = {}
    for program in [*tree.glob("bin/*"), *tree.glob("lib/*/*.so")]:
        environment = {**os.environ, "LD_LIBRARY_PATH": str((tree / "lib/spindle").resolve())}
        listing = subprocess.run(["ldd", program], check=True, capture_output=True, text=True, env=environment).stdout
        for soname, path in re.findall(r"^\s*(\S+) => (.+?)(?: \(0x[0-9a-f]+\))?$", listing, re.MULTILINE):
            if path == "not found":
                raise SystemExit(f"package: {program.name} needs {soname}, which is not installed")
            file = pathlib.Path(path).resolve()
            if not SYSTEM.match(soname) and not file.is_relative_to(tree.resolve()):
                found[soname] = file
    return found
