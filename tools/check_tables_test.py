"""Tests of check_tables.py."""

import unittest

import check_tables

MIGRATIONS = {
    "src/identity/store/migrations.cpp": """R"sql(
      CREATE TABLE teams (id TEXT PRIMARY KEY);
      CREATE VIEW published_teams AS SELECT id FROM teams;
    )sql" """
}


def check(name: str, text: str) -> list[str]:
    return check_tables.check_file(name, text, check_tables.owners(MIGRATIONS))


class CheckFile(unittest.TestCase):
    def test_the_owner_names_its_table(self):
        self.assertEqual(check("src/identity/store/team_repository.cpp", '"UPDATE teams SET name = ?"'), [])

    def test_the_migration_itself_passes(self):
        name, text = next(iter(MIGRATIONS.items()))
        self.assertEqual(check(name, text), [])

    def test_another_area_reads_the_view(self):
        self.assertEqual(check("src/runs/a.cpp", '"SELECT id FROM published_teams"'), [])

    def test_another_area_does_not_read_the_table(self):
        broken = check("src/runs/a.cpp", '"SELECT 1 FROM runs r JOIN teams t ON t.id = r.team_id"')
        self.assertEqual(len(broken), 1)
        self.assertIn("table teams of identity", broken[0])

    def test_literals_of_several_lines_are_one_statement(self):
        self.assertEqual(len(check("src/runs/a.cpp", '"SELECT 1 FROM runs r JOIN "\n    "teams t ON true"')), 1)

    def test_another_area_does_not_write_the_table(self):
        for statement in ("INSERT INTO teams", "UPDATE teams SET", "DELETE FROM teams", "INSERT OR IGNORE INTO teams"):
            self.assertEqual(len(check("src/runs/a.cpp", f'"{statement} x"')), 1, statement)

    def test_names_that_functions_put_into_statements_count(self):
        for code in ('columns().insertInto("teams")', 'row.update("teams")', 'removeRow({.table = "teams"})'):
            self.assertEqual(len(check("src/runs/a.cpp", code)), 1, code)
            self.assertEqual(check("src/identity/a.cpp", code), [], code)

    def test_nobody_writes_a_view(self):
        broken = check("src/identity/a.cpp", '"UPDATE published_teams SET name = ?"')
        self.assertIn("writes the view", broken[0])

    def test_comments_and_other_names_do_not_count(self):
        self.assertEqual(check("src/runs/a.cpp", '// "FROM teams"\n"FROM teams_of_a_run"'), [])

    def test_a_listed_exception_passes(self):
        owned = {"annotation_items": ("tracing", "TABLE")}
        text = '"SELECT call_id FROM annotation_items"'
        self.assertEqual(check_tables.check_file("src/app/commands/row_check.cpp", text, owned), [])
        self.assertEqual(len(check_tables.check_file("src/app/commands/other.cpp", text, owned)), 1)


if __name__ == "__main__":
    unittest.main()
