"""Tests of run_tests: it must not report false passes from reports, crashes or missing output."""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent


def load_runner():
    loader = importlib.machinery.SourceFileLoader("run_tests", str(TOOLS / "run_tests"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # needed by dataclasses
    loader.exec_module(module)
    return module


runner = load_runner()


class RunTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def node(self, text: str):
        file = self.folder / "some.test.mjs"
        file.write_text('import { describe, it, test } from "node:test";\n' + text)
        return runner.run_node_file(file, dict(os.environ), self.folder)

    def assert_counts(self, suite, passed: int, failed: list[str], skipped: int = 0):
        self.assertEqual((suite.passed, [name for name, _ in suite.failures], suite.skipped),
                         (passed, failed, skipped))

    def test_counts_the_innermost_tests_of_a_node_file(self):
        suite = self.node("""
            test("plain", () => {});
            test("left out", { skip: true }, () => {});
            test("parent", async (t) => { await t.test("a", () => {}); await t.test("b", () => {}); });
            describe("group", () => { it("x", () => {}); describe("inner", () => { it("y", () => {}); }); });
            test("last", async () => {});
        """)
        self.assert_counts(suite, passed=6, failed=[], skipped=1)

    def test_counts_a_failure_once_and_tells_where_and_why(self):
        suite = self.node("""
            test("parent", async (t) => { await t.test("child", () => { throw new Error("the reason"); }); });
            describe("group", () => { it("x", () => {}); it("y", () => Promise.reject(new Error("no"))); });
        """)
        self.assert_counts(suite, passed=1, failed=["parent > child", "group > y"])
        self.assertIn("the reason", suite.failures[0][1])

    def test_counts_a_parent_that_fails_by_itself(self):
        suite = self.node('test("parent", async (t) => { await t.test("a", () => {}); throw new Error("late"); });')
        self.assert_counts(suite, passed=1, failed=["parent"])

    def test_fails_a_node_file_that_ends_early(self):
        suite = self.node('test("a", () => {}); console.log("words");'
                          'test("b", () => new Promise(() => setTimeout(() => process.exit(3), 50)));')
        self.assertEqual(len(suite.failures), 1)
        self.assertIn("ended with status 3", suite.failures[0][0])
        self.assertIn("words", suite.failures[0][1])

    def test_fails_a_node_file_without_tests(self):
        self.assertEqual(len(self.node("").failures), 1)

    def test_reads_the_report_of_a_googletest_program(self):
        (self.folder / "base_test.xml").write_text("""<testsuites><testsuite name="Id">
            <testcase classname="Id" name="IsUnique" status="run" result="completed"/>
            <testcase classname="Id" name="DISABLED_Later" status="notrun" result="suppressed"/>
            <testcase classname="Id" name="Waits" status="run" result="skipped"><skipped message="x"/></testcase>
            <testcase classname="Id" name="Sorts" status="run" result="completed">
              <failure message="1 is not 2"/><failure message="3 is not 4"/></testcase>
          </testsuite></testsuites>""")
        suite = runner.Suite("unit/base")
        runner.count_cases(suite, self.folder, "base_test")
        self.assert_counts(suite, passed=1, failed=["Id.Sorts"], skipped=2)
        self.assertEqual(suite.failures[0][1], "1 is not 2\n3 is not 4")

    def test_fails_for_each_report_of_a_sanitizer(self):
        (self.folder / "report.17").write_text("WARNING: ThreadSanitizer: data race")
        [suite] = runner.sanitizer_reports(self.folder)
        self.assert_counts(suite, passed=0, failed=["report.17"])

    def test_gives_sanitizer_options_to_their_preset_alone(self):
        self.assertIn("log_path=", runner.environment_of("tsan")["TSAN_OPTIONS"])
        self.assertEqual(runner.environment_of("release"), dict(os.environ))


if __name__ == "__main__":
    unittest.main()
