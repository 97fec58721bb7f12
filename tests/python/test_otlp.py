"""Spans of the standard Python exporter of OpenTelemetry, read over HTTP."""

import json
import unittest

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from support import ADMIN_KEY, SERVER, fresh_project


class Exported(unittest.TestCase):
    def export(self, compression: Compression, header: bool) -> tuple[str, str]:
        """Sends one trace and returns the project and the trace id."""
        project = fresh_project()
        entity, name = project.split("/")
        routed = {} if header else {"svcp.entity": entity, "svcp.project": name}
        exporter = OTLPSpanExporter(
            endpoint=f"{SERVER.url}/v1/traces", compression=compression,
            headers={"authorization": f"Bearer {ADMIN_KEY}", **({"project_id": project} if header else {})})
        provider = TracerProvider(resource=Resource.create({"service.name": "python", **routed}))
        provider.add_span_processor(BatchSpanProcessor(exporter))
        tracer = provider.get_tracer("test")
        with tracer.start_as_current_span("invoke_agent planner"):
            with tracer.start_as_current_span("chat m") as chat:
                chat.set_attribute("gen_ai.input.messages", '[{"role":"user","content":"Hi"}]')
                chat.set_attribute("gen_ai.output.messages", '[{"role":"assistant","content":"Hello"}]')
                chat.set_attribute("gen_ai.usage.input_tokens", 3)
            trace_id = format(chat.get_span_context().trace_id, "032x")
        provider.shutdown()
        return project, trace_id

    def test_trace_is_a_chat_and_calls(self):
        for compression, header in [(Compression.Gzip, True), (Compression.Deflate, False), (Compression.NoCompression, True)]:
            with self.subTest(compression=compression, header=header):
                project, trace_id = self.export(compression, header)
                view = json.loads(SERVER.post("/agents/traces/chat", {"project_id": project, "trace_id": trace_id}))
                self.assertEqual([message["type"] for message in view["messages"]],
                                 ["user_message", "agent_start", "assistant_message"])
                self.assertEqual(view["messages"][2]["assistant_message"]["text"], "Hello")
                calls = json.loads(SERVER.post("/calls/query", {"project_id": project}))["calls"]
                self.assertEqual(len(calls), 2)
