// The console's filter language against the server: every construct is accepted and selects the right calls.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { importSources } from "../../web/console/test/support/bundle.mjs";
import { Project, at, uuid7 } from "./support/calls.mjs";
import { startServer } from "./support/server.mjs";

const { callQuery, parseFilter } = await importSources("query/compile.ts", "query/parse.ts");

const ALL_TIME = { from: null, to: null };
const NOW = Date.parse(at(3600));

let server;
let project;
const ids = [];

before(async () => {
  server = await startServer();
  project = new Project(server);
  for (let i = 0; i < 6; i++) ids.push(uuid7());
  const ref = (name) => `svc:///${project.id}/object/${name}:abc`;
  await project.complete(
    {
      id: ids[0], op_name: `svc:///${project.id}/op/search:v1`, started_at: at(0), ended_at: at(1), thread_id: "th 1", turn_id: "tu",
      attributes: { tenant: "t7", n: 5, f: 5.5, ok: true, "a.b": "dot", "my key": "x", deep: { list: [{ role: "user" }] }, day: "2024-05-01", star: "a*b" },
      inputs: { q: 'Where is my "Refund"?', model: "gpt-x", m: ref("model") }, output: { answer: "line one\nline two" },
      summary: { usage: { "gpt-4.1": { total_tokens: 1391 } }, status_counts: { success: 1, error: 1 } },
    },
    {
      id: ids[1], parent_id: ids[0], op_name: "search", started_at: at(10), ended_at: at(13), exception: "TimeoutError: too slow", thread_id: "th2",
      attributes: { tenant: "t8", n: 50, f: 0.5, ok: "true" }, inputs: { q: "lamp" }, output: "plain text with a refund\nand more",
    },
    { id: ids[2], op_name: "Chat", display_name: "Plan A", started_at: at(20), ended_at: at(20.25), attributes: { n: "5", tenant: "" }, output: ref("model") },
    { id: ids[3], op_name: "chat (x)", started_at: at(86_400), ended_at: at(86_402), attributes: { n: -3, big: 12345678901234567890n.toString() }, inputs: { list: [1, 2] } },
    { id: ids[4], op_name: "tool", started_at: at(86_500), ended_at: at(86_501), attributes: { n: "many", tiny: 0.001 } },
  );
  await project.start({ id: ids[5], op_name: "slow", started_at: at(30) });
  const call = `svc:///${project.id}/call/`;
  for (const [index, type, payload] of [[0, "quality", { score: 0.9 }], [1, "quality", { score: 0.25 }], [1, "svc.note.1", { note: "Very wrong" }], [2, "svc.reaction.1", { emoji: "👍" }]]) {
    await project.ok("/feedback/create", { project_id: project.id, svc_ref: call + ids[index], feedback_type: type, payload });
  }
});
after(() => server.dispose());

async function select(source) {
  const query = callQuery(parseFilter(source), ALL_TIME, { now: NOW });
  const found = await project.query(query ? { query, columns: ["id"] } : { columns: ["id"] });
  return found.map(({ id }) => ids.indexOf(id)).sort();
}

const CASES = [
  ["", [0, 1, 2, 3, 4, 5]],
  ["status:ok", [2, 3, 4]], ["status:success", [2, 3, 4]], ["status:error", [1]], ["status:running", [5]], ["status:descendant_error", [0]], ["status:failed", [0, 1]],
  ["status:error,running", [1, 5]],
  ["latency:>2s", [1]], ["latency:>=2s", [1, 3]], ["latency:<1s", [2]], ["latency:250ms", [2]], ["latency:1s..2s", [0, 3, 4]], ["latency:2s..", [1, 3]], ["latency:*", [0, 1, 2, 3, 4]],
  ["op:search", [0, 1]], ["op:chat", []], ["op:Chat,tool", [2, 4]], ['op:"chat (x)"', [3]], ["op:~CHAT", [2, 3]], ["op:=search", [1]], ["name:search", [0, 1]], ['name:"Plan A"', [2]], ["name:~plan", [2]],
  ["refund", [0, 1]], ['"my \\"refund"', [0]], ['"one\\nline two"', [0]], ['"refund\\nand"', [1]], ["toolong", []], ["timeouterror", [1]], ["plan", [2]], ["chat", [2, 3]],
  ["inputs:lamp", [1]], ["output:~LINE", [0]], ["output:*", [0, 1, 2]], ["exception:slow", [1]], ["exception:*", [1]], ['exception:="TimeoutError: too slow"', [1]],
  ["tenant:t7", [0]], ["tenant:t7,t8", [0, 1]], ["tenant:~T", [0, 1]], ["tenant:*", [0, 1]], ["attributes.tenant:t7", [0]],
  ["n:5", [0, 2]], ["n:5.0", [0, 2]], ['n:"5"', [0, 2]], ["n:>4", [0, 1, 2]], ["n:<0", [3]], ["n:5..50", [0, 1, 2]], ["f:5.5", [0]], ["f:>0.4", [0, 1]], ["f:>5", [0]], ["tiny:0.0010", [4]], ["tiny:<0.002", [4]],
  ["ok:true", [0, 1]], ["big:12345678901234567890", [3]], ["n:many", [4]],
  ["a\\.b:dot", [0]], ['"my key":x', [0]], ["deep.list.0.role:user", [0]], ["attributes.deep.list.0.role:user", [0]], ["day:>2024-04-30", [0]], ['day:<"2024-05-02"', [0]], ['star:"a*b"', [0]],
  ["model:gpt-4.1", [0]], ["model:gpt-x", [0]], ["model:none", []], ["summary.usage.gpt-4\\.1.total_tokens:>1000", [0]], ["model:*", [0]],
  ["started:2024-05-01", [0, 1, 2, 5]], ["started:>2024-05-01", [3, 4]], ["started:<=2024-05-01", [0, 1, 2, 5]], ["started:2024-05-01T00:00:10..2024-05-01T00:00:20", [1, 2]],
  ["started:>now-1h", [1, 2, 3, 4, 5]], ["started:>=now-1h", [0, 1, 2, 3, 4, 5]], ["ended:*", [0, 1, 2, 3, 4]], ["ended:<2024-05-02", [0, 1, 2]], ["started:2024-05-01T00:00:20Z", [2]],
  ["root:true", [0, 2, 3, 4, 5]], ["root:false", [1]], ['thread:"th 1"', [0]], ["thread:*", [0, 1]], ["thread:~TH", [0, 1]], ["turn:tu", [0]],
  ["reaction:👍", [2]], ["note:~WRONG", [1]], ["feedback.[quality].payload.score:>0.5", [0]], ["feedback.[*].payload.score:*", [0, 1]], ["feedback.[quality].payload.score:0.2..1", [0, 1]],
  ["run:*", []], ["run_step:>1", []], ["queue:none", []],
  ["lamp plan", []], ["refund status:error", [1]], ["status:error OR status:running", [1, 5]], ["(status:error OR status:running) tenant:t8", [1]], ["tenant:t7 OR tenant:t8 lamp", [0, 1]],
  ["-(status:ok OR tenant:t7)", [1, 5]], ["-(status:error tenant:t8)", [0, 2, 3, 4, 5]],
];

for (const [source, expected] of CASES) {
  test(`selects: ${source || "(everything)"}`, async () => assert.deepEqual(await select(source), expected));
}

describe("a negation selects exactly the other calls", () => {
  for (const [source, expected] of CASES.filter(([text]) => text !== "")) {
    test(`-(${source})`, async () => {
      assert.deepEqual(await select(`-(${source})`), [0, 1, 2, 3, 4, 5].filter((index) => !expected.includes(index)));
    });
  }
});

test("references of inputs and outputs", async () => {
  assert.deepEqual(await select(`input_ref:"svc:///${project.id}/object/model:abc"`), [0]);
  assert.deepEqual(await select(`-output_ref:"svc:///${project.id}/object/model:abc"`), [0, 1, 3, 4, 5]);
});

test("ids", async () => {
  assert.deepEqual(await select(`id:${ids[1]},${ids[2]}`), [1, 2]);
  assert.deepEqual(await select(`parent:${ids[0]}`), [1]);
  assert.deepEqual(await select(`-parent:${ids[0]}`), [0, 2, 3, 4, 5]);
});

test("bounds of the start time are half open", async () => {
  const query = callQuery(null, { from: Date.parse(at(10)), to: Date.parse(at(20)) });
  assert.deepEqual((await project.query({ query })).map(({ id }) => ids.indexOf(id)), [1]);
});
