// The standard OpenTelemetry exporters, configured for a test server, and the server's view of their
// spans.

import assert from "node:assert/strict";

import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

import { freshName } from "../../http/support/people.mjs";

/** Traces into a new project until end(). Only one instance may be active. */
export class Exported {
  constructor(server, { json = false, path = "/v1/traces", routed = "header" } = {}) {
    this.server = server;
    this.project = `${freshName("team")}/otel`;
    const [entity, project] = this.project.split("/");
    const header = routed === "header" ? { project_id: this.project } : {};
    const attributes = routed === "resource" ? { "svcp.entity": entity, "svcp.project": project } : {};
    const exporter = new (json ? JsonExporter : ProtobufExporter)({
      url: `${server.url}${path}`,
      headers: { authorization: `Bearer ${server.adminKey}`, ...header },
      compression: json ? "none" : "gzip",
    });
    this.ids = new Set();
    const noting = { onStart: (span) => this.ids.add(span.spanContext().traceId), onEnd() {}, forceFlush: async () => {}, shutdown: async () => {} };
    this.provider = new NodeTracerProvider({
      resource: resourceFromAttributes({ "service.name": "otel-test", ...attributes }),
      spanProcessors: [noting, new BatchSpanProcessor(exporter)],
    });
    this.provider.register();
    this.tracer = this.provider.getTracer("test");
  }

  /** Sends the remaining spans. */
  async end() {
    await this.provider.forceFlush();
    await this.provider.shutdown();
    trace.disable();
    context.disable();
  }

  async ask(path, body) {
    const answer = await this.server.api("POST", path, { body: { project_id: this.project, ...body } });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  async calls() {
    return (await this.ask("/calls/query", {})).calls;
  }

  /** Returns the only trace as a chat. */
  async chat() {
    assert.equal(this.ids.size, 1);
    return this.ask("/agents/traces/chat", { trace_id: [...this.ids][0] });
  }
}
