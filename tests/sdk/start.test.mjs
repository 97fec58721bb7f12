// Configuration of the real Node SDK: server, key and team.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { makeFolder } from "../http/support/program.mjs";
import { makeMember, makeTeam } from "../http/support/people.mjs";
import { startServer } from "../http/support/server.mjs";

const TRACE_ONE = fileURLToPath(new URL("support/trace_one.mjs", import.meta.url));

let folder;
let server;
before(async () => {
  folder = makeFolder();
  const [certificate, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
    ...["-keyout", key, "-out", certificate, "-days", "1", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=IP:127.0.0.1"],
  ], { stdio: "ignore" });
  const args = ["--tls-certificate", certificate, "--tls-key", key];
  server = await startServer({ args, ca: readFileSync(certificate) });
  server.certificate = certificate;
});
after(() => server.dispose());

/** Runs a separate program that traces one op into `project`; resolves with its output. */
async function traceOne(project, env) {
  const home = makeFolder();
  const child = spawn(process.execPath, [TRACE_ONE, project], {
    cwd: home,
    env: {
      ...{ PATH: process.env.PATH, HOME: home, NODE_EXTRA_CA_CERTS: server.certificate },
      ...{ WF_TRACE_SERVER_URL: server.url, WANDB_BASE_URL: server.url, ...env },
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (text) => (said[name] += text));
  const [code] = await once(child, "close");
  return { code, home, ...said };
}

describe("the SDK", () => {
  test("traces into a team with the admin's name if the admin has no team", async () => {
    const { code, stdout, stderr } = await traceOne("chat", { WANDB_API_KEY: server.adminKey });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^project admin\/chat$/m);
  });

  test("requests the default team of the key if the project has none", async () => {
    const team = await makeTeam(server);
    const member = await makeMember(server, team.name, "MEMBER");
    const { code, stdout, stderr } = await traceOne("chat", { WANDB_API_KEY: member.key });
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^project ${team.name}/chat$`, "m"));
    const body = { project_id: `${team.name}/chat` };
    const { json } = await server.api("POST", "/calls/query_stats", { body });
    assert.equal(json.count, 1);
  });

  test("logs in and stores the key", async () => {
    const { code, home, stderr } = await traceOne("admin/chat", { LOGIN: server.adminKey });
    assert.equal(code, 0, stderr);
    assert.ok(existsSync(join(home, ".netrc")));
    assert.ok(readFileSync(join(home, ".netrc"), "utf8").includes(server.adminKey));
  });

  test("is rejected with an invalid key", async () => {
    const { code, stderr } = await traceOne("chat", { WANDB_API_KEY: "wrong-key-0123456789" });
    assert.notEqual(code, 0);
    assert.match(stderr, /401/);
  });
});
