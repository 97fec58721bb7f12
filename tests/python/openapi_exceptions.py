"""Deviations from /openapi.json that are meant, each with its reason. Every other one fails the run."""

import dataclasses
import re

import jsonschema_rs
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import RejectedPositiveData

PROJECT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}/[^/\\#?%:\r\n]{1,128}")

_INTEGER_TEXT = r"^\s*[-+]?[0-9][0-9_]*(\.0*)?\s*$"
_NUMBER_TEXT = r"^\s*[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$"
_BOOLEAN_TEXT = r"^(?i:true|false|t|f|yes|no|y|n|on|off|1|0)$"
_TIME_TEXT = r"^\s*([-+]?[0-9.]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*)\s*$"
_UUID_TEXT = r"^(urn:uuid:)?\{?[0-9a-fA-F-]{32,36}\}?$"


class Leniency:
    """The request schemas with the conversions that the contract asks for: an integer is also read from "10", 10.0
    and true, and so on. The document states them once, for all operations, in its description."""

    def __init__(self, document: dict) -> None:
        self._components = {"schemas": {
            name: _lenient(schema) for name, schema in document["components"]["schemas"].items()}}

    def accepts(self, schema: dict, value: object) -> bool:
        lenient = {**_lenient(schema), "components": self._components}
        return jsonschema_rs.Draft202012Validator(lenient).is_valid(value)


def _lenient(schema):
    if isinstance(schema, list):
        return [_lenient(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kind, form = schema.get("type"), schema.get("format")
    result = {name: value if name in ("enum", "const", "default", "required") else
              {key: _lenient(item) for key, item in value.items()} if name == "properties" else _lenient(value)
              for name, value in schema.items()}
    added = []
    if kind == "integer":
        added = [{"type": "boolean"}, {"type": "string", "pattern": _INTEGER_TEXT}]
    elif kind == "number":
        added = [{"type": "boolean"}, {"type": "string", "pattern": _NUMBER_TEXT}]
    elif kind == "boolean":
        added = [{"enum": [0, 1]}, {"type": "string", "pattern": _BOOLEAN_TEXT}]
    elif form == "date-time":
        added = [{"type": "number"}, {"type": "string", "pattern": _TIME_TEXT}]
    elif form == "uuid":
        added = [{"type": "string", "pattern": _UUID_TEXT}]
    if not added:
        return result
    own = {key: result.pop(key) for key in list(result) if key not in ("description", "default", "title")}
    return {**result, "anyOf": [own, *added]}


@dataclasses.dataclass(frozen=True)
class Deviation:
    """Valid requests that some operations refuse, because of a rule that JSON Schema cannot state."""

    name: str
    reason: str
    operations: str  # a regular expression over "METHOD /path"
    answer: str  # a regular expression over the response body
    statuses: tuple[int, ...] = (400, 422)

    def covers(self, label: str, status: int, body: str) -> bool:
        return (status in self.statuses and re.search(self.operations, label) is not None
                and re.search(self.answer, body) is not None)


REFUSED: list[Deviation] = []


def exception_for(leniency: Leniency, failure: Failure, case, response) -> str | None:
    """The name of the exception that covers a failure, or nothing."""
    if isinstance(failure, AcceptedNegativeData) and _converted(leniency, case):
        return "converted"
    if isinstance(failure, RejectedPositiveData):
        body = response.content.decode("utf-8", "replace")
        for deviation in REFUSED:
            if deviation.covers(case.operation.label, response.status_code, body):
                return deviation.name
    return None


def _converted(leniency: Leniency, case) -> bool:
    """True when the request is valid once its values are converted."""
    raw = case.operation.definition.raw
    content = raw.get("requestBody", {}).get("content", {})
    if content:
        schema = content.get("application/json", {}).get("schema")
        if schema is None or isinstance(case.body, bytes) or not leniency.accepts(schema, case.body):
            return False
    sent = {"query": case.query or {}, "path": case.path_parameters or {}, "header": case.headers or {}}
    for parameter in raw.get("parameters", []):
        values = sent[parameter["in"]]
        if parameter["name"] not in values:
            if parameter["required"]:
                return False
            continue
        value = values[parameter["name"]]
        if not leniency.accepts(parameter["schema"], value) and not leniency.accepts(parameter["schema"], str(value)):
            return False
    return True
