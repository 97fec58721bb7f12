"""Tests of check_sql.py."""

import unittest

import check_sql


class CheckFile(unittest.TestCase):
    def test_code_that_builds_sql_from_literals_passes(self):
        self.assertEqual(check_sql.check_file("src/runs/a.cpp", 'session.query("SELECT 1");'), [])

    def test_a_new_constant_fails(self):
        broken = check_sql.check_file("src/runs/a.cpp", "sql += SqlText::constant(text);")
        self.assertEqual(len(broken), 1)
        self.assertIn("at most 0", broken[0])

    def test_one_call_more_fails(self):
        text = "SqlText::constant(a); SqlText::constant(b);"
        self.assertIn("at most 1", check_sql.check_file("src/query/field.cpp", text)[0])

    def test_one_call_less_fails_until_the_list_says_so(self):
        self.assertIn("write 0", check_sql.check_file("src/query/field.cpp", "")[0])

    def test_comments_do_not_count(self):
        self.assertEqual(check_sql.check_file("src/runs/a.cpp", "// SqlText::constant(text)"), [])

    def test_an_engine_is_called_in_its_file_only(self):
        code = "duckdb_query(connection, text.c_str(), &result);"
        self.assertEqual(check_sql.check_file("src/columnar/duckdb/connection.cpp", code), [])
        self.assertEqual(len(check_sql.check_file("src/tracing/a.cpp", code)), 1)


if __name__ == "__main__":
    unittest.main()
