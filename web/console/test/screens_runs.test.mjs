// The logic of the screens of runs, artifacts and registries.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { importSources } from "./support/bundle.mjs";

const runs = await importSources("screens/runs/metrics.ts");
const { registryRole } = await importSources("screens/registries/roles.ts");
const { canLook, findCollections } = await importSources("screens/shared_artifacts/filters.ts");

const point = (step, mean) => ({ step, last_step: step, count: 1, min: mean, max: mean, mean, last: mean });

describe("metrics", () => {
  test("of several runs share an axis", () => {
    const plots = runs.plotsOf([
      { name: "a", samples: [{ key: "loss", count: 2, points: [point(0, 3), point(2, 1)] }] },
      { name: "b", samples: [{ key: "loss", count: 1, points: [point(1, 2)] }, { key: "none", count: 0, points: [] }] },
    ]);
    assert.deepEqual(plots, [{ key: "loss", x: [0, 1, 2], series: [{ name: "a", values: [3, null, 1] }, { name: "b", values: [null, 2, null] }] }]);
  });

  test("are the numbers of the summaries", () => {
    assert.deepEqual(runs.metricKeys([{ summary: { loss: 1, name: "x" } }, { summary: { acc: 2 } }]), ["acc", "loss"]);
    assert.deepEqual(runs.inGroups([1, 2, 3], 2), [[1, 2], [3]]);
  });

  test("losses and what most runs have come first", () => {
    const summaries = [{ summary: { epoch: 1, loss: 1, rate: 1 } }, { summary: { epoch: 2, rate: 2 } }, { summary: { epoch: 3 } }];
    assert.deepEqual(runs.byInterest(["rate", "epoch", "loss"], summaries), ["loss", "epoch", "rate"]);
  });

  test("equal names can be told apart", () => {
    assert.deepEqual(runs.runLabels([{ name: "a", run_id: "1" }, { name: "a", run_id: "2" }, { name: "b", run_id: "3" }]), ["a (1)", "a (2)", "b"]);
  });
});

describe("configurations", () => {
  test("are compared by path, differences first", () => {
    const entries = runs.compareRecords([{ lr: 1, model: { size: 2, name: "x" } }, { lr: 1, model: { size: 3, name: "x" }, seed: 7 }]);
    assert.deepEqual(entries.map(({ name, values, differs }) => [name, values, differs]), [
      ["model.size", [2, 3], true], ["seed", [undefined, 7], true], ["lr", [1, 1], false], ["model.name", ["x", "x"], false],
    ]);
  });

  test("values are written on one line", () => assert.deepEqual([undefined, 0.1 + 0.2, "a", [1], null].map(runs.valueText), ["–", "0.3", "a", "[1]", "null"]));
});

test("pinned runs come first", () => {
  assert.deepEqual(runs.pinnedFirst([{ run_id: 1, tags: [] }, { run_id: 2, tags: ["pinned"] }]).map(({ run_id }) => run_id), [2, 1]);
});

test("the highest role in a registry counts", () => {
  const me = { username: "ada", kind: "user", organization_admin: false, memberships: [{ team: "acme", pending: false, role: "MEMBER" }, { team: "other", pending: true, role: "ADMIN" }] };
  const member = (kind, name, role) => ({ kind, name, role });
  assert.equal(registryRole(me, [], false), "RESTRICTED_VIEWER");
  assert.equal(registryRole(me, [member("users", "ada", "VIEWER"), member("teams", "acme", "MEMBER"), member("teams", "other", "ADMIN")], true), "MEMBER");
  assert.equal(registryRole({ ...me, organization_admin: true }, [], false), "ADMIN");
  assert.equal(registryRole({ ...me, organization_admin: true }, [], true), "RESTRICTED_VIEWER");
  assert.equal(registryRole(undefined, undefined, false), "RESTRICTED_VIEWER");
});

test("small texts can be looked at", () => {
  assert.equal(canLook({ path: "a/trajectories.jsonl", size: 10, ref: null }), true);
  assert.equal(canLook({ path: "adapter.safetensors", size: 10, ref: null }), false);
  assert.equal(canLook({ path: "big.json", size: 1e9, ref: null }), false);
  assert.equal(canLook({ path: "a.json", size: 10, ref: "s3://b/a.json" }), false);
});

test("collections are found by name, description, tag and type", () => {
  const row = (name, type, description = "", tags = []) => ({ name, type, description, tags });
  const rows = [row("good-answers", "dataset"), row("helper", "lora", "Answers questions"), row("other", "lora", "", ["answers"])];
  assert.equal(findCollections(rows, "ANSWERS", "").length, 3);
  assert.deepEqual(findCollections(rows, "", "lora").map(({ name }) => name), ["helper", "other"]);
});
