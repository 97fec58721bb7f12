"""Parses and type-checks every PromQL expression of deploy/monitoring. Needs PyYAML and promql-parser from PyPI."""

import json
import pathlib
import sys

import promql_parser
import yaml

MONITORING = pathlib.Path(__file__).resolve().parent.parent / "deploy/monitoring"
# Variables that Grafana replaces.
REPLACED = {"$__rate_interval": "5m", "$instance": ".*"}


def expressions() -> list[tuple[str, str]]:
    """Returns the name and the expression of each alert and of each query of the dashboard."""
    groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    found = [(rule["alert"], rule["expr"]) for group in groups for rule in group["rules"]]
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        found += [(panel["title"], target["expr"]) for target in panel.get("targets", [])]
    return found


def problem(expression: str) -> str:
    for variable, value in REPLACED.items():
        expression = expression.replace(variable, value)
    try:
        promql_parser.parse(expression)
    except ValueError as error:
        return str(error)
    return ""


def main() -> int:
    broken = [f"{name}: {text}" for name, expression in expressions() if (text := problem(expression))]
    print("\n".join(broken), end="\n" if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
