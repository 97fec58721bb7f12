"""The terminal output of the demo: numbered steps, lines below them, one progress line."""

import os
import shutil
import sys
import time

BAR = 24
QUIET_SECONDS = 10  # between two progress lines if the output is not a terminal


def clock(seconds):
    seconds = int(seconds)
    return f"{seconds // 60}:{seconds % 60:02}"


class Screen:
    def __init__(self, out=sys.stdout):
        self._out = out
        self._moves = out.isatty()
        self._colours = self._moves and "NO_COLOR" not in os.environ
        self._step = 0
        self._began = time.monotonic()
        self._told = 0.0
        self._open = False  # true while a progress line is displayed

    def _paint(self, code, text):
        return f"\x1b[{code}m{text}\x1b[0m" if self._colours else text

    def bold(self, text):
        return self._paint("1", text)

    def dim(self, text):
        return self._paint("2", text)

    def green(self, text):
        return self._paint("32", text)

    def _write(self, text, end="\n"):
        if self._open:
            self._out.write("\r\x1b[K")
            self._open = False
        self._out.write(text + end)
        self._out.flush()

    @staticmethod
    def bar(share):
        full = round(max(0.0, min(1.0, share)) * BAR)
        return "█" * full + "░" * (BAR - full)

    def title(self, text):
        self._write("\n" + self.bold(text) + "\n")

    def step(self, text):
        self._step += 1
        self._told = time.monotonic()
        self._write(f"\n{self.dim(f'{clock(self.elapsed()):>5}')}  {self.bold(f'{self._step}. {text}')}")

    def say(self, *lines):
        for line in lines:
            self._write(f"       {line}")

    def quote(self, lines):
        """Prints quoted lines, given as (speaker, text)."""
        width = max(len(who) for who, _ in lines)
        self.say(*(self.dim(f"│ {who:<{width}}  {what}") for who, what in lines), self.dim("╵"))

    def progress(self, done, total, note=""):
        share = done / total if total else 0.0
        line = f"       {self.bar(share)} {done}/{total}  {note}"
        now = time.monotonic()
        if self._moves:
            self._write(line[:shutil.get_terminal_size().columns - 1], end="")
            self._open = True
        elif now - self._told >= QUIET_SECONDS:
            self._told = now
            self._write(line)

    def elapsed(self):
        return time.monotonic() - self._began
