// The evaluation of tests/soak/run.mjs with synthetic samples.

import assert from "node:assert/strict";
import { test } from "node:test";

import { verdictOf } from "../soak/trend.mjs";

/** Returns samples in which each quantity is a function of the time from 0 to 1. */
function samples({ resident = () => 1e8, files = () => 40, folder = (t) => 1e6 + 2e6 * t } = {}) {
  return Array.from({ length: 40 }, (_, i) => {
    const time = i / 39;
    return { resident: resident(time), files: files(time), folder: folder(time), data: 1e6 + 2e6 * time };
  });
}

test("growth during the warm-up does not count", () => {
  const resident = (time) => 1e8 * (1 + Math.min(time, 0.2));
  assert.deepEqual(verdictOf(samples({ resident })).faults, []);
});

test("memory that grows by more than 5 % is a fault", () => {
  assert.deepEqual(verdictOf(samples({ resident: (time) => 1e8 * (1 + 0.05 * time) })).faults, []);
  const [fault] = verdictOf(samples({ resident: (time) => 1e8 * (1 + 0.2 * time) })).faults;
  assert.match(fault, /^memory grows by \+/);
});

test("open files that grow are a fault", () => {
  assert.match(verdictOf(samples({ files: (time) => 40 + 20 * time })).faults[0], /^open files grow by \+/);
});

test("a folder that grows faster than the data is a fault", () => {
  const [fault] = verdictOf(samples({ folder: (time) => 1e6 + 8e6 * time })).faults;
  assert.match(fault, /^the folder grows faster than the data/);
});

test("too few samples give no result", () => {
  assert.match(verdictOf(samples().slice(0, 5)).faults[0], /only 3 samples/);
});
