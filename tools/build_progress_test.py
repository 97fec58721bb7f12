"""Tests of build_progress.py."""

import io
import unittest

import build_progress


def shown(lines: list[str], terminal: bool) -> str:
    out = io.StringIO()
    build_progress.show(lines, build_progress.Display(out, terminal))
    return out.getvalue()


class Progress(unittest.TestCase):
    def test_formats_durations(self):
        for seconds, text in ((0.4, "0 s"), (59.4, "59 s"), (60, "1 min"), (200, "3 min 20 s"), (725, "12 min")):
            self.assertEqual(build_progress.duration(seconds), text)

    def test_estimates_from_the_steps_that_ended(self):
        self.assertEqual(build_progress.progress(25, 100, 40.0), "building: 25 of 100 steps, 40 s, about 2 min left")

    def test_estimates_nothing_at_the_start_and_at_the_end(self):
        self.assertEqual(build_progress.progress(2, 100, 3.0), "building: 2 of 100 steps, 3 s")
        self.assertEqual(build_progress.progress(0, 100, 30.0), "building: 0 of 100 steps, 30 s")
        self.assertEqual(build_progress.progress(100, 100, 90.0), "building: 100 of 100 steps, 1 min 30 s")


class Show(unittest.TestCase):
    def test_a_terminal_has_one_line_that_changes(self):
        text = shown(["@@1 2 0.5@@ Building a.o\n", "@@2 2 1.0@@ Linking a\n"], terminal=True)
        self.assertNotIn("\n", text)
        self.assertIn("2 of 2 steps", text)
        self.assertTrue(text.endswith("\r\x1b[K"))

    def test_elsewhere_a_line_is_printed_now_and_then(self):
        lines = [f"@@{i} 100 {i}.0@@ Building {i}.o\n" for i in range(1, 41)]
        self.assertEqual(len(shown(lines, terminal=False).splitlines()), 2)

    def test_messages_of_the_compiler_are_printed(self):
        text = shown(["@@1 2 0.5@@ Building a.o\n", "a.cpp:1: error: no\n"], terminal=True)
        self.assertIn("\r\x1b[Ka.cpp:1: error: no\n", text)

    def test_nothing_is_printed_if_all_is_up_to_date(self):
        lines = ["[0/2] Re-checking globbed directories...\n", "ninja: no work to do.\n"]
        self.assertEqual(shown(lines, terminal=False), "")


if __name__ == "__main__":
    unittest.main()
