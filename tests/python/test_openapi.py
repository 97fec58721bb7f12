"""Conformance of the server to /openapi.json: valid requests are accepted, others are rejected, and every response
matches the document. See conformance.py.

SCHEMATHESIS_CASES=20000 sets the number of requests per key, for a longer run."""

import itertools
import os
import unittest

import conformance
import openapi_exceptions
import support

CASES = int(os.environ.get("SCHEMATHESIS_CASES", "700"))
SETTINGS = {"SPINDLE_INFERENCE_DEFAULT_MODEL": "none", "SPINDLE_TRAINING_LOCAL": "false"}
SHOWN = 20

_counter = itertools.count(1)


class OpenApiConformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = support.Server(SETTINGS)
        cls.admin = conformance.Api(cls.server.url, support.ADMIN_KEY)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.stop()

    def run_with(self, key: str | None) -> conformance.Conformance:
        """Runs with this key, or by default with the key of a member of the team that has the resources."""
        number = next(_counter)
        member = f"member-{number}"
        self.admin.send("POST", "/api/v1/users", {"username": member, "email": f"{member}@example.test"})
        own = self.admin.send("POST", f"/api/v1/api-keys?owner={member}", {"name": "conformance"})["key"]
        resources = conformance.make_resources(self.admin, member, f"team-{number}")
        run = conformance.Conformance(self.server.url, key or own, resources, CASES)
        run.run()
        print(f"\n{run.summary()}")
        return run

    def expect_conformance(self, run: conformance.Conformance) -> None:
        self.assertEqual(run.errors, [])
        self.assertEqual(run.failures[:SHOWN], [], f"{len(run.failures)} failures")
        self.assertGreaterEqual(run.cases, CASES)
        self.assertIsNone(self.server.process.poll(), "the server has ended")

    def test_admin(self) -> None:
        self.expect_conformance(self.run_with(support.ADMIN_KEY))

    def test_member(self) -> None:
        self.expect_conformance(self.run_with(None))

    def test_exceptions_have_reasons(self) -> None:
        for deviation in openapi_exceptions.REFUSED:
            self.assertTrue(deviation.reason, deviation.name)


if __name__ == "__main__":
    unittest.main()
