// DNS rebinding with the real resolver: in a separate network namespace, a DNS server returns a public
// address first and a loopback address afterwards.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { makeFolder, removeFolder } from "./support/program.mjs";

const PUBLIC = "93.184.216.34"; // inside the namespace an address of its loopback interface
const NETWORK_SCRIPT = fileURLToPath(new URL("./support/rebinding_network.mjs", import.meta.url));
const SET_UP = `mount --bind "$1" /etc/resolv.conf && ip link set lo up && ip addr add ${PUBLIC}/32 dev lo`;

function inNamespace(resolver, line, ...args) {
  const script = `${SET_UP} && ${line}`;
  return spawnSync("unshare", ["-rmn", "sh", "-c", script, "sh", resolver, ...args], { encoding: "utf8" });
}

test("a webhook connects only to the checked address", (t) => {
  const folder = makeFolder();
  const resolver = join(folder, "resolv.conf");
  writeFileSync(resolver, "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
  try {
    const possible = inNamespace(resolver, "true");
    if (possible.status !== 0) {
      t.skip(`no network namespaces here: ${possible.stderr ?? possible.error}`);
      return;
    }
    const run = inNamespace(resolver, 'exec "$2" "$3" "$4"', process.execPath, NETWORK_SCRIPT, PUBLIC);
    assert.equal(run.status, 0, run.stderr);
    const observed = JSON.parse(run.stdout);
    const delivered = { status: 200, success: true, error: null, lookups: 1, outside: 1, inside: 0 };
    const blocked = { status: 200, success: false, error: "blocked_address", lookups: 1, outside: 0, inside: 0 };
    assert.deepEqual(observed, {
      turns_after_the_check: delivered,
      has_turned: blocked,
      both_at_once: delivered,
      turned_back: delivered,
    });
  } finally {
    removeFolder(folder);
  }
});
