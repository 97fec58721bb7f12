"""Builds a Debian package from an installed tree."""

import hashlib
import pathlib
import shutil
import subprocess

SCRIPTS = ("postinst", "prerm", "postrm")


def architecture() -> str:
    return subprocess.run(["dpkg", "--print-architecture"], check=True, capture_output=True, text=True).stdout.strip()


def build(here: pathlib.Path, name: str, version: str, installed: pathlib.Path, out: pathlib.Path) -> pathlib.Path:
    """Builds package `name` with the files of `installed` below /usr.

    @return the file OUT/<name>_<version>_<architecture>.deb
    """
    root = out / "work" / f"{name}.deb"
    shutil.copytree(installed, root / "usr")
    add_service(here, name, root)
    add_settings(here, name, root)
    add_copyright(name, root)
    control = root / "DEBIAN"
    control.mkdir()
    for script in SCRIPTS:
        shutil.copyfile(here / "debian" / name / script, control / script)
        (control / script).chmod(0o755)
    write_checksums(root)
    settings = [f"/{file.relative_to(root)}\n" for file in sorted(root.glob("etc/**/*")) if file.is_file()]
    if settings:
        (control / "conffiles").write_text("".join(settings))
    kibibytes = sum(-(-file.stat().st_size // 1024) for file in root.glob("**/*") if file.is_file())
    values = {"VERSION": version, "ARCHITECTURE": architecture(), "SIZE": str(kibibytes),
              "DEPENDS": dependencies(name, root)}
    text = (here / "debian" / name / "control").read_text()
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    (control / "control").write_text(text)
    file = out / f"{name}_{version}_{architecture()}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file], check=True,
                   stdout=subprocess.DEVNULL)
    return file


def add_service(here: pathlib.Path, name: str, root: pathlib.Path) -> None:
    folder = root / "lib/systemd/system"
    folder.mkdir(parents=True)
    shutil.copyfile(here.parent / "systemd" / f"{name}.service", folder / f"{name}.service")


def add_settings(here: pathlib.Path, name: str, root: pathlib.Path) -> None:
    file = here / f"{name}.toml"
    if file.exists():
        (root / "etc" / name).mkdir(parents=True)
        shutil.copyfile(file, root / "etc" / name / file.name)


def add_copyright(name: str, root: pathlib.Path) -> None:
    folder = root / "usr/share/doc" / name
    parts = ", ".join(sorted(each.name for each in (folder / "licenses").iterdir()))
    (folder / "copyright").write_text(
        "Spindle is licensed under the Apache License, Version 2.0:\n"
        "/usr/share/common-licenses/Apache-2.0\n\n"
        f"The package contains, or was compiled from, parts of: {parts}.\n"
        f"Their licences are in /usr/share/doc/{name}/licenses.\n")


def write_checksums(root: pathlib.Path) -> None:
    lines = []
    for file in sorted(root.glob("**/*")):
        name = file.relative_to(root)
        if file.is_file() and name.parts[0] not in ("DEBIAN", "etc"):
            lines.append(f"{hashlib.md5(file.read_bytes()).hexdigest()}  {name}\n")
    (root / "DEBIAN/md5sums").write_text("".join(lines))


def dependencies(name: str, root: pathlib.Path) -> str:
    """Returns the packages, with minimum versions, that the programs and private libraries of the tree need."""
    work = root.parent / f"{name}.shlibdeps"
    (work / "debian").mkdir(parents=True)
    (work / "debian/control").write_text(f"Source: {name}\n\nPackage: {name}\nArchitecture: any\n")
    files = [*root.glob("usr/bin/*"), *root.glob("usr/lib/*/*.so")]
    # Private libraries have no package of their own; `-S` finds them in the tree.
    command = ["dpkg-shlibdeps", "-O", "--warnings=0", "--ignore-missing-info", f"-S{root.resolve()}",
               f"-l{(root / 'usr/lib' / name).resolve()}", *(f"-e{file.resolve()}" for file in sorted(files))]
    done = subprocess.run(command, cwd=work, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"package: dpkg-shlibdeps failed:\n{done.stderr}")
    return done.stdout.strip().removeprefix("shlibs:Depends=")
