// Access control of agent spans: outsiders can neither read nor send them.

import { after, before } from "node:test";

import { AgentProject, moment } from "./support/agent_spans.mjs";
import { request, span, toJson } from "./support/otlp.mjs";
import { makeTeam } from "./support/people.mjs";
import { startServer } from "./support/server.mjs";
import { checkAccess } from "./support/access_checks.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.dispose());

const reads = true;
const post = (path, body = () => ({})) => ({ reads, ask: (id, made) => ["POST", path, { project_id: id, ...body(made) }] });
const metric = { alias: "n", value_type: "string", value: { key: "span_id" } };

/** An OTLP request that names its project. */
const exported = (path) => ({
  reads: false,
  ask: (id) => {
    const [entity, project] = id.split("/");
    return ["POST", path, toJson(request([{ "svcp.entity": entity, "svcp.project": project }, span("chat m")]))];
  },
});

const TABLE = {
  "POST /agents/otel/v1/traces": exported("/agents/otel/v1/traces"),
  "POST /otel/v1/traces": exported("/otel/v1/traces"),
  "POST /v1/traces": exported("/v1/traces"),
  "POST /agents/traces/chat": post("/agents/traces/chat", (made) => ({ trace_id: made.trace, include_feedback: true })),
  "POST /agents/conversations/chat": post("/agents/conversations/chat", () => ({ conversation_id: "c1" })),
  "POST /agents/conversations/spans": post("/agents/conversations/spans", () => ({ conversation_ids: ["c1"] })),
  "POST /agents/spans/query": post("/agents/spans/query"),
  "POST /agents/spans/stats": post("/agents/spans/stats", () => ({ start: moment(0), end: moment(60), metrics: [metric] })),
  "POST /agents/spans/custom-attrs/schema": post("/agents/spans/custom-attrs/schema"),
  "POST /agents/query": post("/agents/query"),
  "POST /agents/agent-versions/query": post("/agents/agent-versions/query", () => ({ agent_name: "bot" })),
  "POST /trace/outline": post("/trace/outline", (made) => ({ trace_id: made.trace })),
  "POST /agents/search": post("/agents/search", () => ({ query: "secret" })),
};

/** Creates a project that contains data of every kind. */
async function populatedProject() {
  const { name } = await makeTeam(server);
  const project = new AgentProject(server, `${name}/lab`);
  const trace = await project.send([
    { id: "a", name: "invoke_agent bot", t: [0, 1], attrs: { OP: "invoke_agent", "gen_ai.agent.name": "bot", "gen_ai.conversation.id": "c1", secret: "x", "gen_ai.input.messages": [{ role: "user", content: "secret" }] } },
  ]);
  return { team: name, project, made: { trace } };
}

/** Reads all data of a project. */
async function snapshot(project) {
  const looks = ["/agents/spans/query", "/agents/search", "/calls/stream_query"];
  const answers = await Promise.all(looks.map((path) => project.post(path, { project_id: project.id })));
  return answers.map(({ text }) => text);
}

checkAccess({ server: () => server, tags: ["agents", "otlp"], table: TABLE, populatedProject, snapshot });
