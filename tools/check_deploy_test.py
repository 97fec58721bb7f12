"""Tests of check_deploy.py."""

import unittest

import check_deploy

CONFIGURATION = """### `server.listen`

- environment: `SPINDLE_LISTEN`

### `auth.oidc.issuer`

- environment: `SPINDLE_OIDC_ISSUER`
"""
VARIABLES = check_deploy.known_variables(CONFIGURATION)
SETTINGS = check_deploy.known_settings(CONFIGURATION)


class CheckDeploy(unittest.TestCase):
    def check(self, name: str, text: str) -> list[str]:
        return check_deploy.check_text(name, text, VARIABLES, SETTINGS)

    def test_known_variables_and_settings_are_accepted(self):
        self.assertEqual(self.check("compose.yaml", "SPINDLE_LISTEN: a\nSPINDLE_TRAINER_KEY: b\n"), [])
        self.assertEqual(self.check("spindle.toml", '[server]\nlisten = "a:1"\n[auth.oidc]\nissuer = "b"\n'), [])

    def test_an_unknown_variable_is_reported_once(self):
        self.assertEqual(self.check("compose.yaml", "SPINDLE_LISTN: a\nSPINDLE_LISTN: a\n"),
                         ["compose.yaml: SPINDLE_LISTN is not a setting"])

    def test_an_unknown_key_of_a_settings_file_is_reported(self):
        self.assertEqual(self.check("spindle.toml", "[auth.oidc]\nisuer = 'b'\n"),
                         ["spindle.toml: auth.oidc.isuer is not a setting"])

    def test_a_settings_file_in_a_manifest_is_read(self):
        manifest = "data:\n  spindle.toml: |\n    [server]\n    listn = 'a'\n\n    # a comment\n    listen = 'a'\nkind: X\n"
        self.assertEqual(self.check("settings.yaml", manifest), ["settings.yaml: server.listn is not a setting"])


if __name__ == "__main__":
    unittest.main()
