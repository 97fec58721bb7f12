"""Plants refused words and comment openings, and checks that check_words.py finds them."""

import pathlib
import subprocess
import tempfile
import unittest

from check_words import check, check_text, refused_words

REFUSED = {"wish", "wishes", "stand-in"}


class CheckText(unittest.TestCase):
    def test_finds_words_in_sentences_and_names(self):
        for line in ("// A wish of the caller", "class CallWishes;", "make_wish()", "the Stand-in", "kWish"):
            self.assertEqual([number for number, _ in check_text("ok\n" + line, REFUSED)], [2], line)

    def test_accepts_other_words(self):
        self.assertEqual(check_text("swishing wishful standing in", REFUSED), [])

    def test_finds_bad_openings_of_comments(self):
        for line in ("/// What it does.", "  /// There is one.", "/// Of each row."):
            self.assertEqual(len(check_text(line, REFUSED)), 1, line)

    def test_accepts_these_words_inside_a_comment(self):
        self.assertEqual(check_text("/// Returns the text.\n/// What follows is a second sentence.", REFUSED), [])


class CheckTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, check=True)
        (self.root / "docs").mkdir()
        (self.root / "docs/glossary.md").write_text("# Glossary\n\n## Refused words\n\n`wish`, `stand-in`\n")

    def test_reads_the_words_from_the_glossary(self):
        self.assertEqual(refused_words((self.root / "docs/glossary.md").read_text()), {"wish", "stand-in"})
        (self.root / "page.md").write_text("One\ntwo wish\n")
        self.assertEqual(check(self.root), ["page.md:2: 'wish': see docs/glossary.md"])

    def test_reports_a_glossary_without_the_section(self):
        (self.root / "docs/glossary.md").write_text("# Glossary\n")
        self.assertEqual(len(check(self.root)), 1)


if __name__ == "__main__":
    unittest.main()
