"""Tests of check_format.py."""

import pathlib
import shutil
import tempfile
import unittest

import check_format


@unittest.skipUnless(shutil.which(check_format.PROGRAM), "clang-format is not installed")
class FormatOfFiles(unittest.TestCase):
    def complaints(self, text):
        with tempfile.TemporaryDirectory(dir=check_format.ROOT / "tools") as folder:
            path = pathlib.Path(folder) / "example.cpp"
            path.write_text(text)
            return check_format.misformatted([str(path)])

    def test_a_formatted_file_passes(self):
        self.assertEqual(self.complaints("int doubled(int number) { return 2 * number; }\n"), "")

    def test_a_line_that_clang_format_would_change_fails(self):
        self.assertIn("example.cpp:1", self.complaints("int doubled(int number){return 2*number;}\n"))


if __name__ == "__main__":
    unittest.main()
