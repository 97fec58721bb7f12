// A running server with its own data folder and port, and a client for it. `make test-scale` sets SPINDLE_TEST_STORES and
// SPINDLE_TEST_NODES, so that tests run on other stores, and on several nodes behind a balancer.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "./client.mjs";
import { forbidInResponses } from "./leaks.mjs";
import { Program, makeFolder, removeFolder, residentKilobytes, runSpindle } from "./program.mjs";

export const ADMIN_KEY = "test-bootstrap-key-0123456789";

const NODES = Number(process.env.SPINDLE_TEST_NODES ?? 1);
const stores = process.env.SPINDLE_TEST_STORES ? await import(process.env.SPINDLE_TEST_STORES) : undefined;

const LISTENING = /listening on (https?:\/\/[^\s"]+)/;

/**
 * Starts `spindle serve` and waits until it listens.
 *
 * args       additional flags
 * env        additional environment; SPINDLE_ADMIN_API_KEY: undefined makes the server generate its key
 * dataDir    an existing data folder; by default a new one, which dispose() deletes
 * listen     the address of an earlier server of that folder, for clients that know it
 * fileLimit  limit of open files of the server
 * ca         the certificate to trust, if the server uses TLS
 */
export async function startServer({ dataDir, env: given = {}, ...options } = {}) {
  const folder = dataDir ?? join(makeFolder(), "data");
  const env = { ...(await stores?.storesOf(folder)), ...given };
  const ownsFolder = dataDir === undefined;
  if (NODES === 1 || options.listen || options.ca) return startNode({ folder, ownsFolder, env, ...options });
  const { startDeployment } = await import("../../scale/support/deployment.mjs");
  return startDeployment({ folder, ownsFolder, env, count: NODES, ...options });
}

/** Starts one `spindle serve` on a data folder; see startServer() for the other options. */
export async function startNode({ folder, ownsFolder = false, env = {}, args = [], listen = "127.0.0.1:0", fileLimit, ca }) {
  const program = new Program(
    ["serve", "--listen", listen, "--data-dir", folder, ...args],
    { env: withAdminKey(env), fileLimit },
  );
  try {
    const [, url] = await program.waitForLine(LISTENING);
    return new Server(program, url, folder, ownsFolder, { env, ca, documented: !args.includes("--wire-profile") });
  } catch (error) {
    program.signal("SIGKILL");
    await program.ended;
    throw error;
  }
}

/** Starts a server, passes it to `work`, and always disposes of it afterwards. */
export async function withServer(options, work) {
  const server = await startServer(options);
  try {
    return await work(server);
  } finally {
    await server.dispose();
  }
}

function withAdminKey(env) {
  // Tests configure their own models and trainers.
  const whole = {
    SPINDLE_ADMIN_API_KEY: ADMIN_KEY,
    SPINDLE_INFERENCE_DEFAULT_MODEL: "none",
    SPINDLE_TRAINING_LOCAL: "false",
    // Receivers listen on loopback and tests have several users, so `auto` would reject the receivers.
    SPINDLE_WEBHOOKS_ALLOW_PRIVATE: "always",
    ...env,
  };
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined));
}

class Server {
  constructor(program, url, dataDir, ownsFolder, { env, ca, documented }) {
    this.program = program;
    this.url = url;
    this.dataDir = dataDir;
    this.ownsFolder = ownsFolder;
    this.env = env;
    this.adminKey = withAdminKey(env).SPINDLE_ADMIN_API_KEY ?? this.generatedKey();
    forbidInResponses(url, { "the data folder's path": dataDir, "the administrator's key": this.adminKey });
    this.client = new Client(url, this.adminKey, { ca, documented });
  }

  get logs() {
    return this.program.stderr;
  }

  generatedKey() {
    return readFileSync(join(this.dataDir, "admin-api-key"), "utf8").trim();
  }

  /** Sends one request to the server; see Client.request. */
  api(method, path, options) {
    return this.client.request(method, path, options);
  }

  /** Runs `spindle ARGS` on the same data folder. */
  cli(...args) {
    return runSpindle([...args, "--data-dir", this.dataDir], { env: withAdminKey(this.env) });
  }

  residentKilobytes() {
    return residentKilobytes(this.program.pid);
  }

  /** Sends SIGTERM and resolves with the exit code, signal and output. */
  stop() {
    return this.#end("SIGTERM");
  }

  /** Sends SIGKILL and resolves with the exit code, signal and output. */
  kill() {
    return this.#end("SIGKILL");
  }

  /** Ends the process and checks that its log contains no credential of the test. */
  async #end(signal) {
    this.client.close();
    this.program.signal(signal);
    const ended = await this.program.ended;
    this.client.secrets.check(this.logs);
    return ended;
  }

  async dispose() {
    await this.kill();
    if (this.ownsFolder) removeFolder(join(this.dataDir, ".."));
  }
}
