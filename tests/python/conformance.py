"""Sends requests that schemathesis generates from /openapi.json to a running server, and collects responses that
violate the document. openapi_exceptions.py lists the known deviations."""

import base64
import collections
import dataclasses
import hashlib
import json
import urllib.error
import urllib.request
import uuid

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.engine import events, from_schema

import openapi_exceptions

CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "negative_data_rejection", "positive_data_acceptance", "unsupported_method",
]
SEED = 20261116


# Operations that would delete resources that other requests need.
DESTRUCTIVE = {
    "deleteTeam", "deleteProject", "deleteRegistry", "deleteCollection", "deleteRun", "deleteVersion", "deleteAnnotationQueue",
    "removeMember", "removeProjectMember", "revokeApiKey",
}


@schemathesis.serializer("application/x-protobuf", "application/protobuf")
def protobuf(context, value):
    """Generates the empty message: a JSON Schema cannot describe valid messages."""
    return b""


class Api:
    """A client of the management API that creates resources for the requests."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key

    def send(self, method: str, path: str, body=None, raw: bytes | None = None):
        data = raw if raw is not None else None if body is None else json.dumps(body).encode()
        target = path if path.startswith("http") else self.url + path
        request = urllib.request.Request(target, data, {
            "Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error


@dataclasses.dataclass
class Resources:
    """Existing resources, by name of the parameter or member that refers to them."""

    project_id: str
    parameters: dict[str, list[str]]
    by_operation: dict[str, dict[str, list[str]]]
    keys: set[str]  # ids of the keys in use


def make_resources(admin: Api, member: str, team: str) -> Resources:
    """Creates one resource of each kind in a team. Names end with the team's name, so that runs can share a server."""
    admin.send("POST", "/api/v1/teams", {"name": team})
    admin.send("PUT", f"/api/v1/teams/{team}/members/{member}", {"role": "MEMBER"})
    project = f"{team}/lab"
    place = f"/api/v1/projects/{team}/lab"
    admin.send("POST", "/api/v1/projects", {"team": team, "name": "lab"})
    op = admin.send("POST", "/obj/create", {"obj": {"project_id": project, "object_id": "greet", "val": {"a": 1}}})
    table = admin.send("POST", "/table/create", {"table": {"project_id": project, "rows": [{"a": 1}, {"a": 2}]}})
    call = str(uuid.uuid4())
    trace = str(uuid.uuid4())
    admin.send("POST", f"/v2/{team}/lab/calls/complete", {"batch": [{
        "project_id": project, "id": call, "trace_id": trace, "op_name": "greet", "started_at": "2026-01-01T00:00:00Z",
        "ended_at": "2026-01-01T00:00:01Z", "attributes": {}, "inputs": {"a": 1}, "summary": {}}]})
    run = admin.send("POST", f"{place}/runs", {"run_id": f"run-{team}"})["run"]["run_id"]
    admin.send("POST", f"{place}/runs/{run}/history", {"rows": [{"metrics": {"loss": 1.5}}, {"metrics": {"loss": 0.5}}]})
    begun = admin.send("POST", f"{place}/collections/things/versions", {"type": "dataset", "manifest": {
        "a.txt": {"digest": _md5(b"hello"), "size": 5}}})
    for upload in begun["uploads"]:
        admin.send(upload["method"], upload["url"], raw=b"hello")
    admin.send("POST", f"{place}/collections/things/versions/{begun['version']['id']}/commit")
    registry = f"reg-{team}"
    admin.send("POST", "/api/v1/registries", {"name": registry, "visibility": "organization"})
    queue = admin.send("POST", "/annotation_queues", {
        "project_id": project, "name": "queue", "description": "", "scorer_refs": []})["id"]
    webhook = admin.send("POST", f"/api/v1/teams/{team}/webhooks", {
        "name": "hook", "url_endpoint": "https://example.test/hook"})["id"]
    return Resources(
        project_id=project,
        parameters={
            "team": [team], "entity": [team], "project": ["lab"], "run": [run], "collection": ["things"],
            "version": ["v0", "latest"], "registry": [registry], "queue_id": [queue], "path": ["a.txt"],
            "call_id": [call], "trace_id": [trace], "object_id": ["greet"], "digest": [op["digest"], table["digest"]],
        },
        by_operation={name: {"id": [webhook]} for name in ("getWebhook", "changeWebhook")},
        keys={key["id"] for user in ("", member) for key in _all_keys(admin, user)},
    )


def _all_keys(admin: Api, owner: str) -> list[dict]:
    return admin.send("GET", f"/api/v1/api-keys?limit=200{'&owner=' + owner if owner else ''}")["items"]


def _md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content).digest()).decode()


def _chosen(values: list[str], seed: object) -> str | None:
    """Returns one of the values, or None for one seed in four, which tests a missing resource."""
    number = int.from_bytes(hashlib.sha256(repr(seed).encode()).digest()[:4], "big")
    return None if number % 4 == 0 else values[number // 4 % len(values)]


class Conformance:
    """A test run over every operation with one key."""

    def __init__(self, url: str, key: str, resources: Resources, cases: int,
                 include: str | None = None) -> None:
        """`cases` is the minimum number of requests. `include` is a regular expression for paths."""
        self.resources = resources
        self.cases = 0
        self.statuses = collections.Counter()
        self.failures: list[tuple[str, str, str, str]] = []
        self.excused = collections.Counter()
        self.errors: list[str] = []
        with urllib.request.urlopen(url + "/openapi.json") as answer:
            document = json.load(answer)
        operations = sum(1 for path in document["paths"].values() for method in path)
        config = SchemathesisConfig.from_dict({
            "seed": SEED,
            "base-url": url,
            "headers": {"Authorization": f"Bearer {key}"},
            "continue-on-failure": True,
            "request-timeout": 30,
            "max-redirects": 0,
            "suppress-health-check": ["all"],
            "checks": {
                "enabled": False,
                **{name: {"enabled": True} for name in CHECKS},
                "positive_data_acceptance": {
                    "enabled": True, "expected-statuses": ["2xx", "3xx", "401", "403", "404", "409", "412", "429"]},
                "negative_data_rejection": {
                    "enabled": True, "expected-statuses": ["400", "401", "403", "404", "405", "406", "409", "411",
                                                           "412", "413", "414", "415", "422", "428", "431"]},
            },
            "generation": {
                "allow-x00": False, "codec": "utf-8", "max-examples": -(-cases * 5 // (operations * 4)), "no-shrink": True,
                "deterministic": True, "with-security-parameters": False, "database": "none",
            },
            # The coverage phase does not terminate for recursive schemas, such as those of queries.
            "phases": {
                "examples": {"enabled": False}, "coverage": {"enabled": False},
                "fuzzing": {"enabled": True}, "stateful": {"enabled": False},
            },
        })
        self.schema = schemathesis.openapi.from_dict(document, config=config)
        if include is not None:
            self.schema = self.schema.include(path_regex=include)
        self.lax = openapi_exceptions.Leniency(document)
        _install(self)

    def run(self) -> None:
        for event in from_schema(self.schema).execute():
            if isinstance(event, events.ScenarioFinished):
                self._take(event.recorder)
            elif isinstance(event, events.NonFatalError):
                self._take_error(event.label, repr(event.value))
            elif isinstance(event, events.FatalError):
                raise event.exception

    def _take_error(self, label: str, text: str) -> None:
        for operation, part, _ in openapi_exceptions.GENERATOR_ERRORS:
            if label == operation and part in text:
                self.excused["generator"] += 1
                return
        self.errors.append(f"{label}: {text}")

    def summary(self) -> str:
        excused = ", ".join(f"{name} {count}" for name, count in sorted(self.excused.items()))
        statuses = ", ".join(f"{status}: {count}" for status, count in sorted(self.statuses.items()))
        return f"{self.cases} cases; statuses {statuses}; {len(self.failures)} failures; exceptions used: {excused or 'none'}"

    def _take(self, recorder) -> None:
        self.cases += len(recorder.interactions)
        for case_id, interaction in recorder.interactions.items():
            if interaction.response is not None:
                self.statuses[interaction.response.status_code] += 1
        for case_id, checks in recorder.checks.items():
            for check in checks:
                if check.failure_info is None:
                    continue
                interaction = recorder.interactions.get(case_id)
                body = interaction.response.text if interaction and interaction.response else ""
                status = interaction.response.status_code if interaction and interaction.response else 0
                self.failures.append((recorder.label, check.name, f"{status}",
                                      f"{check.failure_info.failure}\n{check.failure_info.code_sample[:1500]}\n{body[:600]}"))

    def use_existing_resources(self, case) -> None:
        """Replaces valid generated names by those of existing resources, so that requests do not all end with 404."""
        meta = case.meta
        known = self.resources.parameters
        operation_id = case.operation.definition.raw.get("operationId")
        if operation_id in DESTRUCTIVE:
            self._spare(case)
            return
        own = self.resources.by_operation.get(operation_id, {})
        if case.path_parameters and not (meta and meta.is_negative_at(ParameterLocation.PATH)):
            for name, value in list(case.path_parameters.items()):
                values = own.get(name) or known.get(name)
                chosen = values and _chosen(values, (case.operation.label, name, value))
                if chosen:
                    case.path_parameters[name] = chosen
        if case.query and not (meta and meta.is_negative_at(ParameterLocation.QUERY)):
            if "project_id" in case.query:
                case.query["project_id"] = self.resources.project_id
            case.query.pop("cursor", None)
        if case.headers and not (meta and meta.is_negative_at(ParameterLocation.HEADER)):
            if "Idempotency-Key" in case.headers:
                case.headers["Idempotency-Key"] = str(uuid.uuid4())
            if "project_id" in case.headers:
                case.headers["project_id"] = self.resources.project_id
        if operation_id == "leaseTrainingJob" and isinstance(case.body, dict) and case.body.get("wait_seconds"):
            case.body["wait_seconds"] = min(case.body["wait_seconds"], 1) if _is_positive(case) else case.body["wait_seconds"]
        if isinstance(case.body, dict) and _is_positive(case):
            case.body.pop("cursor", None)
        self._replace_project(case.body)

    def _spare(self, case) -> None:
        """Replaces the target of a deletion by a missing resource if other requests need the target."""
        kept = self.resources.keys.union(*self.resources.parameters.values())
        for name, value in list((case.path_parameters or {}).items()):
            if value in kept:
                case.path_parameters[name] = "none"

    def _replace_project(self, value) -> None:
        if isinstance(value, list):
            for item in value:
                self._replace_project(item)
        if not isinstance(value, dict):
            return
        given = value.get("project_id")
        if isinstance(given, str) and openapi_exceptions.PROJECT_ID.fullmatch(given):
            if _chosen([self.resources.project_id], given):
                value["project_id"] = self.resources.project_id
        for item in value.values():
            self._replace_project(item)

    def excuse(self, failure, case, response) -> bool:
        """Counts a failure that is covered by a named exception. Returns true if it is covered."""
        name = openapi_exceptions.exception_for(self.lax, failure, case, response)
        if name is None:
            return False
        self.excused[name] += 1
        return True


def _is_positive(case) -> bool:
    return case.meta is None or case.meta.generation.mode.is_positive


_current: Conformance | None = None


def _install(run: Conformance) -> None:
    global _current
    _current = run


@schemathesis.hook
def before_call(context, case, kwargs) -> None:
    _current.use_existing_resources(case)


@schemathesis.hook
def filter_failure(context, failure, case, response) -> bool:
    return not _current.excuse(failure, case, response)
