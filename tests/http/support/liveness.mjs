// Checks that a server keeps serving requests during and after an attack.

import assert from "node:assert/strict";

import { expectGrowthBelow } from "./expect.mjs";

/** Expects a valid request to succeed. The client times out if the server hangs. */
export async function expectServing(server) {
  const answer = await server.api("GET", "/api/v1/me");
  assert.equal(answer.status, 200, answer.text);
  assert.ok(server.program.running);
}

/** Runs `attack` and sends valid requests one after another meanwhile; each must succeed. */
export async function whileServing(server, attack) {
  let done = false;
  const attacking = attack().finally(() => (done = true));
  do await expectServing(server);
  while (!done);
  const result = await attacking;
  await expectServing(server);
  return result;
}

/** Expects resident memory to fall to at most twice the earlier value plus 64 MiB, which the allocator may keep. */
export async function expectMemoryReleased(server, kilobytesBefore) {
  const bound = 2 * kilobytesBefore + 64 * 1024;
  const deadline = Date.now() + 20_000;
  while (server.residentKilobytes() > bound && Date.now() < deadline) await expectServing(server);
  expectGrowthBelow(server.residentKilobytes() - kilobytesBefore, bound - kilobytesBefore);
}
