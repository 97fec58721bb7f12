// A ClickHouse server for tests: the one in SPINDLE_TEST_CLICKHOUSE (http://host:port, with the optional variables
// SPINDLE_TEST_CLICKHOUSE_USER and SPINDLE_TEST_CLICKHOUSE_PASSWORD), or the engine from PyPI behind
// clickhouse_server.py, which the first use installs in build/scale.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { makeFolder, removeFolder } from "../../http/support/program.mjs";

const PACKAGE = "chdb-core==26.9.0";
const VENV = fileURLToPath(new URL("../../../build/scale/clickhouse", import.meta.url));
const SERVER = fileURLToPath(new URL("clickhouse_server.py", import.meta.url));
const PASSWORD = "scale-test-password";

function python() {
  const program = join(VENV, "bin", "python");
  if (existsSync(join(VENV, "installed"))) return program;
  execFileSync("python3", ["-m", "venv", VENV], { stdio: "inherit" });
  execFileSync(join(VENV, "bin", "pip"), ["install", "--quiet", "--no-deps", PACKAGE], { stdio: "inherit" });
  execFileSync("touch", [join(VENV, "installed")]);
  return program;
}

let databases = 0;

/** A server. `stop()` and `start()` exist if it belongs to the tests. */
class ClickHouse {
  constructor(url, user, password) {
    this.url = url;
    this.user = user;
    this.password = password;
  }

  /** Runs a statement and returns its result as text. */
  async query(statement, database = "default") {
    const answer = await fetch(`${this.url}/?database=${database}`, {
      method: "POST",
      headers: { "X-ClickHouse-User": this.user, "X-ClickHouse-Key": this.password },
      body: statement,
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  }

  /** Creates a database and returns the environment of a Spindle server whose traces are in it. */
  async newDatabase() {
    const name = `scale_${process.pid}_${Date.now()}_${(databases += 1)}`;
    await this.query(`CREATE DATABASE ${name}`);
    return this.environment(name);
  }

  environment(database) {
    return {
      SPINDLE_TRACES_STORE: "clickhouse",
      SPINDLE_TRACES_CLICKHOUSE_URL: this.url,
      SPINDLE_TRACES_CLICKHOUSE_USER: this.user,
      SPINDLE_TRACES_CLICKHOUSE_PASSWORD: this.password,
      SPINDLE_TRACES_CLICKHOUSE_DATABASE: database,
    };
  }

  async dispose() {}
}

class OwnClickHouse extends ClickHouse {
  #folder = makeFolder();
  #port = "0";

  constructor() {
    super("", "scale", PASSWORD);
    process.on("exit", () => this.child?.kill("SIGKILL"));
  }

  async start() {
    this.child = spawn(python(), [SERVER, join(this.#folder, "data"), this.#port], {
      env: { ...process.env, CLICKHOUSE_USER: this.user, CLICKHOUSE_PASSWORD: this.password },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const { child } = this;
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text) => (printed += text));
    while (!printed.includes("\n")) {
      const ended = await Promise.race([once(child, "exit"), once(child.stdout, "data").then(() => undefined)]);
      if (ended) throw new Error("the ClickHouse engine does not start");
    }
    this.#port = /listening on (\d+)/.exec(printed)[1];
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  async stop() {
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
    this.child = undefined;
  }

  async dispose() {
    if (this.child) await this.stop();
    removeFolder(this.#folder);
  }
}

/** Starts a ClickHouse server, or uses that of SPINDLE_TEST_CLICKHOUSE. */
export async function startClickHouse() {
  const { env } = process;
  if (env.SPINDLE_TEST_CLICKHOUSE) {
    const user = env.SPINDLE_TEST_CLICKHOUSE_USER ?? "default";
    return new ClickHouse(env.SPINDLE_TEST_CLICKHOUSE, user, env.SPINDLE_TEST_CLICKHOUSE_PASSWORD ?? "");
  }
  const server = new OwnClickHouse();
  await server.start();
  return server;
}
