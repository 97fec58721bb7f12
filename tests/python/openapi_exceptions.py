"""Intended deviations from /openapi.json, each with its reason. Every other deviation fails the run."""

import dataclasses
import re
import urllib.parse

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
    """The request schemas extended by the conversions of the contract: an integer is also accepted as "10", 10.0 or
    true, and so on. The description of the document states them once for all operations."""

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
    """Valid requests that some operations reject because of a rule that JSON Schema cannot express."""

    name: str
    reason: str
    operations: str  # a regular expression for "METHOD /path"
    answer: str  # a regular expression for the response body
    statuses: tuple[int, ...] = (400, 422)

    def covers(self, label: str, status: int, body: str) -> bool:
        return (status in self.statuses and re.search(self.operations, label) is not None
                and re.search(self.answer, body) is not None)


_ANY = r"^"

REFUSED = [
    Deviation("field", "Fields of queries, sort orders and groups depend on the kind of row and on stored payloads.", _ANY,
              r"Field .* is not allowed|Unknown field|Unknown (derived )?value|[Uu]nsupported sort field|Invalid sort field|"
              r"cannot be (sorted|grouped) by|Not an identifier|Duplicate alias|Summary field|Usage can be grouped by"),
    Deviation("page", "A page with a cursor needs a limit and no offset; previews show no expanded references.",
              r"^POST /calls/(stream_)?query$",
              r"pages with a cursor require a limit|not allowed with a cursor|must be false with preview_bytes", (422,)),
    Deviation("operands", "The types and number of operands are checked when a query is compiled.", _ANY,
              r"Empty (OR|AND) operation|[Nn]o common type|cannot be (compared|converted)|Illegal type|Only count needs no value|is of type \w+"),
    Deviation("purge", "A purge accepts only expression trees that select ids.", r"/(cost|feedback)/purge$",
              r"Can only purge|Expected key \w+, got"),
    Deviation("reference", "The syntax, kind and target of a reference are checked when the request runs.", _ANY,
              r"Invalid ref|[Nn]ot a reference|must be a reference|Only object and op refs|A ref is read by its digest|"
              r"expected entity/project/name|has no team and project|unknown_reference|String too long: \w+:///|not a digest|is not the digest|"
              r"Queue item .* not found|Invalid UUID"),
    Deviation("range", "The ends of a range are compared with each other, and with the current time.", _ANY,
              r"must be after start|`from` is after `to`|cannot exceed 31 days|must not be before|must not be greater than max|"
              r"Too many (buckets|models)|min must|expires_at|in the past|must be in the future"),
    Deviation("time_zone", "Time zone names are those of the server's database.", _ANY, r"Unknown timezone"),
    Deviation("name_in_use", "All versions of an object have the type of the first version.", _ANY, r"Cannot publish"),
    Deviation("team_name", "A write of an administrator to a missing team creates it, so its name must be valid.", _ANY,
              r"This cannot be the name of a team|A project name has 1 to 128 characters|Invalid project_id|project_name"),
    Deviation("object_name", "The id of an object is derived from its name without invalid characters.",
              r"/v2/", r"Object name cannot be empty|String too long: an object name"),
    Deviation("evaluation_call", "Only the stored calls show which of them are evaluations, and which evaluations the server runs.",
              r"/evaluations/(status|cancel)$", r"is not an evaluation|does not execute this evaluation"),
    Deviation("builtin_class", "A value of a built-in class has the members of that class.", r"/obj/create$", r"Invalid \w+: "),
    Deviation("label", "Aliases and digests have rules for the complete string.", r"/(objs|table)/", r"Invalid (alias|tag)|A row digest contains"),
    Deviation("regular_expression", "A regular expression is checked by compiling it (RE2).", r"/automations", r"invalid_regex"),
    Deviation("automation", "The scope, the event and the template of an automation depend on each other.", r"/automations",
              r"invalid_scope_for_event|string_type|float_type|unknown_variable|json_invalid|value_error|string_too_long"),
    Deviation("address", "Allowed addresses depend on settings and on name resolution.", r"webhooks|upstreams|sft",
              r"url_not_allowed|url_parsing|URL"),
    Deviation("model_target", "A model has targets that exist and differ.", r"/api/v1/models", r'"targets"|"file"|"fallbacks"|reserved_name'),
    Deviation("base_model", "The base models are those of the server's settings.", r"/v1/preview/models$", r"is not supported"),
    Deviation("sampled_keys", "Metric keys may also be one comma-separated string.", r"/samples$", r"1 to 20 keys"),
    Deviation("text_length", "The length of some strings is checked after trimming white space.", r"/api/v1/(users|api-keys|teams)",
              r"has 1 to \d+ characters|An e-mail address|valid e-mail"),
    Deviation("order", "Steps of a run and events of a job must increase.", r"/(runs|trainer)/", r"step_out_of_order|sequence|too_long|value_error"),
    Deviation("training_data", "The project must have traces.", r"/api/v1/trajectories$", r"There is no project|nothing was traced|None of the \d+ calls"),
    Deviation("event_place", "A collection needs its project, and a project needs its team.", r"/api/v1/events$", r'"missing"'),
    Deviation("form", "The generator creates invalid names of form parts.", r"/files?/create$", r"Bad form"),
]

# Errors of the generator itself: operation, part of the message, reason.
GENERATOR_ERRORS = [
    ("POST /cost/create", "Invalid Schema Object in response definition",
     "schemathesis 4.32 converts prefixItems (OpenAPI 3.1) into a list of items and rejects it"),
]
# Statuses of a request that is rejected before routing; see the description of the document.
BEFORE_ROUTING = {414, 431}


def exception_for(leniency: Leniency, failure: Failure, case, response) -> str | None:
    """Returns the name of the exception that covers a failure, or None."""
    if isinstance(failure, AcceptedNegativeData) and _converted(leniency, case):
        return "converted"
    if response.status_code in BEFORE_ROUTING:
        return "before_routing"
    if isinstance(failure, RejectedPositiveData):
        body = response.content.decode("utf-8", "replace")
        for deviation in REFUSED:
            if deviation.covers(case.operation.label, response.status_code, body):
                return deviation.name
    return None


def _is_json(body: object) -> bool:
    return body is None or isinstance(body, (dict, list, str, int, float, bool))


def _converted(leniency: Leniency, case) -> bool:
    """Returns true if the request is valid after the conversion of its values."""
    raw = case.operation.definition.raw
    content = raw.get("requestBody", {}).get("content", {})
    if content:
        schema = content.get("application/json", {}).get("schema")
        if schema is None or not _is_json(case.body) or not leniency.accepts(schema, case.body):
            return False
    sent = {"query": case.query or {}, "path": case.path_parameters or {}, "header": case.headers or {}}
    for parameter in raw.get("parameters", []):
        values = sent[parameter["in"]]
        if parameter["name"] not in values:
            if parameter["required"]:
                return False
            continue
        value = values[parameter["name"]]
        readings = (value, str(value), urllib.parse.unquote(str(value)))
        if not any(leniency.accepts(parameter["schema"], reading) for reading in readings):
            return False
    return True
