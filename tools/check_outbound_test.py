"""Tests of check_outbound.py: rejected and accepted code."""

import unittest

from check_outbound import OPERATOR_TARGETS, complaint, main

UNFILTERED = "http::ClientRequest request;\nrequest.url = url;\n"
FILTERED = UNFILTERED + "request.filter = [](auto, auto) -> Result<void> { return {}; };\n"


class CheckOutbound(unittest.TestCase):
    def test_rejects_a_request_without_a_filter(self):
        self.assertIn("src/automation/new_client.cpp", complaint("automation/new_client.cpp", UNFILTERED))

    def test_accepts_a_filtered_request(self):
        self.assertIsNone(complaint("automation/new_client.cpp", FILTERED))

    def test_accepts_listed_files_and_the_client_itself(self):
        self.assertIsNone(complaint(next(iter(OPERATOR_TARGETS)), UNFILTERED))
        self.assertIsNone(complaint("http/client/client.cpp", UNFILTERED))

    def test_rejects_a_listed_file_that_makes_no_requests(self):
        self.assertIn("remove it", complaint(next(iter(OPERATOR_TARGETS)), "int x;"))

    def test_the_tree_is_clean(self):
        self.assertEqual(main(), 0)


if __name__ == "__main__":
    unittest.main()
