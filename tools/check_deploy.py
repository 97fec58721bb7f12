#!/usr/bin/env python3
"""Checks that the files of deploy/ use only settings that exist (docs/configuration.md).

1. Every variable SPINDLE_… is the environment variable of a setting, or one of spindle-trainer.
2. Every key of a settings file (*.toml, or a block `spindle.toml: |` of a manifest) is a setting.
"""

import pathlib
import re
import sys
import tomllib

CONFIGURATION = "docs/configuration.md"
PAGES = ("docs/deployment.md", "docs/sizing.md")
# SPINDLE_CONFIG names the settings file. The trainer reads the key; its unit passes the server as a flag.
OTHER_VARIABLES = {"SPINDLE_CONFIG", "SPINDLE_TRAINER_KEY", "SPINDLE_TRAINER_SERVER"}
VARIABLE = re.compile(r"\bSPINDLE_[A-Z0-9_]+\b")
BLOCK = re.compile(r"^( *)spindle\.toml: \|\n((?:\1 +.*\n|\s*\n)+)", re.MULTILINE)


def known_variables(configuration: str) -> set[str]:
    return set(re.findall(r"^- environment: `(SPINDLE_\w+)`", configuration, re.MULTILINE)) | OTHER_VARIABLES


def known_settings(configuration: str) -> set[str]:
    return set(re.findall(r"^### `([a-z0-9_.]+)`", configuration, re.MULTILINE))


def unknown_variables(text: str, known: set[str]) -> list[str]:
    return sorted(set(VARIABLE.findall(text)) - known)


def keys_of(table: dict, prefix: str = "") -> list[str]:
    """Returns the keys of a parsed settings file, with their sections."""
    found = []
    for key, value in table.items():
        found += keys_of(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]
    return found


def settings_texts(name: str, text: str) -> list[str]:
    """Returns the settings files that a file is or contains."""
    if name.endswith(".toml"):
        return [text]
    return [re.sub(rf"^{indent} +", "", block, flags=re.MULTILINE) for indent, block in BLOCK.findall(text)]


def check_text(name: str, text: str, variables: set[str], settings: set[str]) -> list[str]:
    broken = [f"{name}: {variable} is not a setting" for variable in unknown_variables(text, variables)]
    for part in settings_texts(name, text):
        broken += [f"{name}: {key} is not a setting" for key in keys_of(tomllib.loads(part)) if key not in settings]
    return broken


def check(root: pathlib.Path) -> list[str]:
    """Returns one line for each unknown setting."""
    configuration = (root / CONFIGURATION).read_text()
    variables, settings = known_variables(configuration), known_settings(configuration)
    files = [file for file in sorted((root / "deploy").rglob("*")) if file.is_file() and "__pycache__" not in file.parts]
    files += [root / page for page in PAGES]
    return [line for file in files if file.exists()
            for line in check_text(str(file.relative_to(root)), file.read_text(), variables, settings)]


def main() -> int:
    broken = check(pathlib.Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "deploy: every setting exists")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
