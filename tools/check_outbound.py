#!/usr/bin/env python3
"""Rejects an outbound HTTP request without an address filter, unless the operator chooses its target.

A URL that a user of the API can choose must be checked right before connecting: the request has a
filter (http::ClientRequest::filter, usually by http::TargetRules). Files whose URLs come only from the
operator are listed here with the reason. Without arguments the check reads all of src/.
"""

import pathlib
import re
import sys

OPERATOR_TARGETS = {
    "app/commands/management_client.cpp": "commands call the server that their user names",
    "app/doctor/health_probe.cpp": "`spindle doctor` calls the server that its user names",
    "clickhouse/client/client.cpp": "the URL of ClickHouse is a setting",
    "clickhouse/client/response_stream.cpp": "the URL of ClickHouse is a setting",
    "evaluation/scoring/upstream_client.cpp": "evaluation.upstream_url is a setting",
    "inference/engines/engine_client.cpp": "engines listen on Unix sockets of the server",
    "inference/gateway/relay.cpp": "only organization admins set the URLs of upstreams",
    "inference/gateway/upstream_health_checker.cpp": "only organization admins set the URLs of upstreams",
    "inference/catalogue/upstream_probe.cpp": "only organization admins set the URLs of upstreams",
    "inference/upstream_adapters/vllm_adapter_client.cpp": "only organization admins set the URLs of upstreams",
    "s3/client/s3_client.cpp": "files.s3_endpoint is a setting",
    "trainer/worker/server_client.cpp": "a trainer calls the server that its operator names",
    "transfer/server_connection.cpp": "commands call the server that their user names",
    "transfer/artifact_api_client.cpp": "commands call the server that their user names",
    "transfer/http_call_api_client.cpp": "commands call the server that their user names",
}
REQUEST = re.compile(r"\bClientRequest\s+\w+")
FILTER = re.compile(r"\.filter\s*=")


def complaint(path: str, text: str) -> str | None:
    """Returns an error message for a file, given by its path below src/, or None."""
    makes = REQUEST.search(text) is not None
    if path.startswith("http/") or path.endswith("_test.cpp"):
        return None
    if path in OPERATOR_TARGETS:
        return None if "ClientRequest" in text else f"src/{path}: makes no requests, remove it from tools/check_outbound.py"
    if makes and not FILTER.search(text):
        return f"src/{path}: an outbound request without a filter; see tools/check_outbound.py"
    return None


def main() -> int:
    root = pathlib.Path(__file__).resolve().parent.parent / "src"
    files = {str(path.relative_to(root)): path for path in root.rglob("*.cpp")}
    found = [complaint(name, path.read_text()) for name, path in sorted(files.items())]
    found += [f"src/{name}: is gone, remove it from tools/check_outbound.py" for name in OPERATOR_TARGETS if name not in files]
    found = [each for each in found if each]
    for each in found:
        print(each)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
