#!/usr/bin/env python3
"""Builds targets of a CMake preset and shows the progress with an estimate of the time left.

  tools/build_progress.py PRESET [TARGET...]      no target: all

On a terminal one line is updated in place; elsewhere a line is printed every 15 seconds. Warnings and errors of the
compiler are printed as they come. Prints nothing if everything is up to date. The exit status is that of CMake.
"""

import os
import re
import subprocess
import sys
import time

# Ninja starts each line of progress with this text: finished steps, all steps, seconds since the start.
STATUS = "@@%f %t %e@@"
STEP = re.compile(r"@@(\d+) (\d+) ([\d.]+)@@ (.*)")
QUIET = re.compile(r"ninja: no work to do\.|ninja: Entering directory|\[\d+/\d+\] Re-checking globbed")
FIRST_ESTIMATE_S = 10  # Before, too few steps have ended.
LINE_INTERVAL_S = 15


def duration(seconds: float) -> str:
    """Formats a time: `40 s`, `3 min 20 s`, `12 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min" if minutes >= 10 or rest == 0 else f"{minutes} min {rest} s"


def progress(done: int, total: int, elapsed: float) -> str:
    """Returns `building: 41 of 130 steps, 1 min 20 s, about 3 min left`."""
    text = f"building: {done} of {total} steps, {duration(elapsed)}"
    if done == total or done == 0 or elapsed < FIRST_ESTIMATE_S:
        return text
    # To ten seconds: an estimate is not more precise.
    left = max(10.0, round(elapsed / done * (total - done) / 10) * 10)
    return f"{text}, about {duration(left)} left"


class Display:
    """Prints progress and the other lines of a build."""

    def __init__(self, out, terminal: bool):
        self._out = out
        self._terminal = terminal
        self._shown = False  # whether the current line of the terminal contains progress
        self._next_line = LINE_INTERVAL_S

    def step(self, done: int, total: int, elapsed: float) -> None:
        if self._terminal:
            self._out.write("\r\x1b[K" + progress(done, total, elapsed))
            self._shown = True
        elif elapsed >= self._next_line:
            self._out.write(progress(done, total, elapsed) + "\n")
            self._next_line = elapsed + LINE_INTERVAL_S
        self._out.flush()

    def line(self, text: str) -> None:
        self.end()
        self._out.write(text + "\n")
        self._out.flush()

    def end(self) -> None:
        if self._shown:
            self._out.write("\r\x1b[K")
            self._shown = False
        self._out.flush()


def show(lines, display: Display) -> None:
    """Shows the output of Ninja."""
    for raw in lines:
        line = raw.rstrip("\n")
        if found := STEP.fullmatch(line):
            display.step(int(found[1]), int(found[2]), float(found[3]))
        elif not QUIET.match(line):
            display.line(line)
    display.end()


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    command = ["cmake", "--build", "--preset", arguments[0]]
    if arguments[1:]:
        command += ["--target", *arguments[1:]]
    began = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, "NINJA_STATUS": STATUS + " "}) as build:
        try:
            show(build.stdout, Display(sys.stdout, sys.stdout.isatty()))
        except KeyboardInterrupt:
            build.terminate()
            build.wait()
            return 130
    seconds = time.monotonic() - began
    if build.returncode == 0 and seconds >= FIRST_ESTIMATE_S:
        print(f"built in {duration(seconds)}")
    return build.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
