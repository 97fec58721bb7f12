// The stock exporters of OpenTelemetry, pointed at a server of ours, and that server's view of what
// they sent.

import assert from "node:assert/strict";

import { context, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

import { freshName } from "../../http/support/people.mjs";

/** Traces into a project that nobody has used, until end(). Only one at a time. */
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

  /** Sends what is left. */
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

  /** The only trace as a conversation. */
  async chat() {
    assert.equal(this.ids.size, 1);
    return this.ask("/agents/traces/chat", { trace_id: [...this.ids][0] });
  }
}
