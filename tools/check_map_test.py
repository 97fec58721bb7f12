"""Plants each fault that check_map.py must find into a small checkout."""

import pathlib
import tempfile
import unittest

from check_layers import LAYERS, PROGRAMS
from check_map import check


class CheckMap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        rows = "".join(f"| {rank} | {', '.join(f'`{area}`' for area in layer)} | text |\n"
                       for rank, layer in enumerate(LAYERS))
        self.write("docs/architecture.md", rows + " ".join(f"`{program}`" for program in PROGRAMS))
        self.write("src/json/CMakeLists.txt", "")
        self.write("src/json/README.md", "`writer.h`, `text/`")
        self.write("src/json/writer.h", "")
        self.write("src/json/writer.cpp", "")
        self.write("src/json/writer_test.cpp", "")
        self.write("src/json/text/CMakeLists.txt", "")
        self.write("src/json/text/README.md", "`escape.cpp`")
        self.write("src/json/text/escape.cpp", "")

    def write(self, name: str, text: str):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def assert_found(self, *expected: str):
        self.assertEqual(check(self.root), list(expected))

    def test_accepts_a_true_map(self):
        self.assert_found()

    def test_finds_a_file_that_the_readme_does_not_name(self):
        self.write("src/json/document.h", "")
        self.assert_found("src/json/README.md: does not name document.h")

    def test_finds_a_file_that_does_not_exist(self):
        self.write("src/json/README.md", "`writer.h`, `document.h`, `text/`")
        self.assert_found("src/json/README.md: names document.h, which does not exist")

    def test_finds_a_room_that_its_area_does_not_name(self):
        self.write("src/json/README.md", "`writer.h`")
        self.assert_found("src/json/README.md: does not name the room text/")

    def test_finds_a_room_without_a_readme(self):
        (self.root / "src/json/text/README.md").unlink()
        self.assert_found("src/json/text: has no README.md")

    def test_finds_a_wrong_rank(self):
        page = self.root / "docs/architecture.md"
        page.write_text(page.read_text().replace("| 1 | `json` |", "| 1 | `base` |"))
        self.assert_found("docs/architecture.md: rank 1 is json")


if __name__ == "__main__":
    unittest.main()
