// node trace_one.mjs PROJECT: traces one op and prints the project. If the environment has LOGIN, logs in
// with that key first.

import weave from "weave";

if (process.env.LOGIN) await weave.login(process.env.LOGIN, new URL(process.env.WANDB_BASE_URL).host);
const client = await weave.init(process.argv[2]);
await weave.op(() => "done", { name: "one" })();
await client.waitForBatchProcessing();
console.log(`project ${client.projectId}`);
