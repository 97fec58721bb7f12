"""Runs the instructions of a Containerfile in a root: what a container engine would do, without images and layers."""

import dataclasses
import json
import pathlib
import re
import shutil

from chroot import Chroot, Failed

CONTEXT_OF_PACKAGES = "/src/build/package/"
# They describe the image and change no file.
DESCRIPTIONS = {"EXPOSE", "LABEL", "STOPSIGNAL", "VOLUME"}


@dataclasses.dataclass
class Stage:
    """One stage of a Containerfile."""

    instructions: list[tuple[str, str]]
    user: str | None = None
    variables: dict[str, str] = dataclasses.field(default_factory=dict)
    health_check: list[str] = dataclasses.field(default_factory=list)
    entry_point: list[str] = dataclasses.field(default_factory=list)
    arguments: list[str] = dataclasses.field(default_factory=list)

    @property
    def command(self) -> list[str]:
        return self.entry_point + self.arguments

    def apply(self, root: Chroot, packages: pathlib.Path) -> None:
        """Runs the instructions in a root that is the base image. `packages` is the result of the build stage."""
        for name, text in self.instructions:
            if name == "RUN":
                root.run("/bin/sh", "-c", text, user=self.user, variables=self.variables)
            elif name == "COPY":
                copy(text, root, packages)
            elif name == "ENV":
                self.variables.update(re.findall(r"(\w+)=(\S+)", text))
            elif name == "USER":
                self.user = text.split(":")[0]
            elif name == "WORKDIR":
                root.file(text).mkdir(parents=True, exist_ok=True)
            elif name == "HEALTHCHECK":
                self.health_check = json.loads(text.partition("CMD ")[2])
            elif name == "ENTRYPOINT":
                self.entry_point = json.loads(text)
            elif name == "CMD":
                self.arguments = json.loads(text)
            elif name not in DESCRIPTIONS:
                raise Failed(f"the test does not know the instruction {name}")
        if self.variables:
            assignments = [f"{name}={value}" for name, value in self.variables.items()
                           if name != "SPINDLE_LISTEN"]  # the test chooses a free port
            self.entry_point = ["/usr/bin/env", *assignments, *self.entry_point]


def copy(text: str, root: Chroot, packages: pathlib.Path) -> None:
    *options, source, target = text.split()
    if options != ["--from=build"] or not source.startswith(CONTEXT_OF_PACKAGES):
        raise Failed(f"the test does not know COPY {text}")
    files = list(packages.glob(source.removeprefix(CONTEXT_OF_PACKAGES)))
    if len(files) != 1:
        raise Failed(f"COPY {text} matches {len(files)} files")
    shutil.copyfile(files[0], root.file(target) / files[0].name)


class Containerfile:
    def __init__(self, file: pathlib.Path):
        text = re.sub(r"^\s*#.*\n", "", file.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
        self._instructions = [(line.split()[0], line.split(maxsplit=1)[1].strip())
                              for line in text.splitlines() if line.strip()]

    def last_stage(self) -> Stage:
        starts = [index for index, (name, _) in enumerate(self._instructions) if name == "FROM"]
        if not self._instructions[starts[-1]][1].startswith("debian:12-slim"):
            raise Failed("the last stage is not based on debian:12-slim")
        return Stage(self._instructions[starts[-1] + 1:])
