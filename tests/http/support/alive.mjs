// Whether a server still does its work beside, and after, what a test does to it.

import assert from "node:assert/strict";

/** A good request is answered; the client gives up on a server that hangs. */
export async function expectServing(server) {
  const answer = await server.api("GET", "/api/v1/me");
  assert.equal(answer.status, 200, answer.text);
  assert.ok(server.program.running);
}

/** Runs `attack` while good requests are answered one after another. */
export async function beside(server, attack) {
  let done = false;
  const attacking = attack().finally(() => (done = true));
  do await expectServing(server);
  while (!done);
  const result = await attacking;
  await expectServing(server);
  return result;
}

/** Memory comes back to near where it was: twice that and 64 MiB are allowed for the allocator. */
export async function expectMemoryBack(server, kilobytesBefore) {
  const bound = 2 * kilobytesBefore + 64 * 1024;
  const deadline = Date.now() + 20_000;
  while (server.residentKilobytes() > bound && Date.now() < deadline) await expectServing(server);
  const now = server.residentKilobytes();
  assert.ok(now <= bound, `${now} kB resident, ${kilobytesBefore} kB before`);
}
