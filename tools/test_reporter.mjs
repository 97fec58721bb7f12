// Reporter for Node's test runner (Node 18 and later): one JSON line for each test without subtests,
// {"outcome": "passed"|"failed"|"skipped", "name", "ms", "text"}. Containers (describe, a test with subtests)
// only contribute their names, unless they fail themselves.

import { inspect } from "node:util";

export default async function* report(events) {
  const names = []; // names of the enclosing tests, outermost first
  let parents = new Set(); // nesting depths of tests with subtests

  for await (const { type, data } of events) {
    if (type === "test:start") {
      names.length = data.nesting;
      names.push(data.name);
      parents.add(data.nesting - 1);
      parents.delete(data.nesting);
    }
    if (type !== "test:pass" && type !== "test:fail") continue;

    const container = parents.has(data.nesting) || data.details?.type === "suite";
    parents = new Set([...parents].filter((depth) => depth < data.nesting));
    const error = type === "test:fail" ? data.details.error : undefined;
    if (container && (!error || error.failureType === "subtestsFailed")) continue;

    const skipped = data.skip !== undefined || data.todo !== undefined;
    const failed = error !== undefined && !skipped;
    yield `${JSON.stringify({
      outcome: failed ? "failed" : skipped ? "skipped" : "passed",
      name: [...names.slice(0, data.nesting), data.name].join(" > "),
      ms: data.details?.duration_ms,
      text: failed ? inspect(error.cause ?? error, { depth: 4 }) : undefined,
    })}\n`;
  }
}
