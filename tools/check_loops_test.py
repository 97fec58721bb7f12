"""Tests of check_loops.py."""

import unittest

import check_loops


class LoopsOverTemporaries(unittest.TestCase):
    def lines(self, text):
        return check_loops.loops_over_temporaries(text)

    def test_a_loop_over_what_a_call_points_to_fails(self):
        self.assertEqual(self.lines("\nfor (const auto& [a, b] : cache.current()->items) {"), [2])
        self.assertEqual(self.lines("for (const Row& row : find(key(1), 2)->rows) use(row);"), [1])

    def test_a_loop_over_a_named_pointer_passes(self):
        self.assertEqual(self.lines("for (const auto& item : current->items) {"), [])
        self.assertEqual(self.lines("for (const auto& item : (*current)->items) {"), [])

    def test_a_member_of_a_returned_object_passes(self):
        self.assertEqual(self.lines("for (const auto& item : plan(engine).going) stop(item);"), [])
        self.assertEqual(self.lines("for (const float number : copyOf(find(name)->data)) add(number);"), [])

    def test_calls_in_the_body_pass(self):
        self.assertEqual(self.lines("for (const Node item : value) add(item.find(name)->text());"), [])

    def test_other_loops_pass(self):
        self.assertEqual(self.lines("for (auto it = all().begin(); it != last()->end(); ++it) {"), [])


if __name__ == "__main__":
    unittest.main()
