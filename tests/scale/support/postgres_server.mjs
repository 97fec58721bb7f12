// PostgreSQL servers of the Debian package in temporary folders.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { makeFolder, removeFolder } from "../../http/support/program.mjs";

const ROOT = "/usr/lib/postgresql";
const READY_SECONDS = 60;

/** Returns the numbers of the user `postgres`: PostgreSQL does not run as root. */
function account() {
  if (process.getuid() !== 0) return {};
  const number = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}

/** Runs a program of PostgreSQL to its end. */
function execute(name, args, options = {}) {
  return execFileSync(programOf(name), args, { stdio: "ignore", ...options });
}

function programOf(name) {
  const version = readdirSync(ROOT).sort((a, b) => b - a)[0];
  return join(ROOT, version, "bin", name);
}

class PostgresServer {
  #as = account();
  #child;

  constructor() {
    this.folder = makeFolder();
    this.data = join(this.folder, "data");
    if (this.#as.uid !== undefined) chownSync(this.folder, this.#as.uid, this.#as.gid);
    process.on("exit", () => this.#child?.kill("SIGKILL"));
  }

  initialize() {
    execute("initdb", ["-D", this.data, "-U", "spindle", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"], this.#as);
  }

  /** Starts the server, also after stop(). */
  async start() {
    this.#child = spawn(programOf("postgres"), ["-D", this.data, "-k", this.folder, "-c", "listen_addresses="], { ...this.#as, stdio: "ignore" });
    for (let waited = 0; !this.#isReady(); waited += 1) {
      if (waited > READY_SECONDS * 10) throw new Error("PostgreSQL does not start");
      await sleep(100);
    }
  }

  #isReady() {
    try {
      execute("pg_isready", ["-h", this.folder, "-U", "spindle"]);
      return true;
    } catch {
      return false;
    }
  }

  /** Ends the server without a checkpoint: the next start recovers, as after a crash. */
  async stop() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGQUIT");
    await ended;
    this.#child = undefined;
  }

  /** The value of storage.metadata for the database `postgres`. */
  get uri() {
    return uriOf("postgres", [this]);
  }

  /** Runs one SQL statement and returns its rows as text. */
  async run(database, sql) {
    return execute("psql", ["-h", this.folder, "-U", "spindle", "-d", database, "-q", "-A", "-t", "-c", sql], {
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
  }

  /** Lets others read a table, but not write it. Resolves with a function that ends this. */
  async lock(database, table) {
    const args = ["-h", this.folder, "-U", "spindle", "-d", database, "-q", "-t", "-v", "ON_ERROR_STOP=1"];
    const holder = spawn(programOf("psql"), args, { stdio: ["pipe", "pipe", "ignore"] });
    const ended = once(holder, "exit");
    holder.stdin.write(`BEGIN;\nLOCK TABLE ${table} IN SHARE MODE;\nSELECT 'held';\n`);
    const [answer] = await Promise.race([once(holder.stdout, "data"), ended]);
    if (!String(answer).includes("held")) throw new Error(`cannot lock ${table}`);
    return async () => {
      holder.stdin.end();
      await ended;
    };
  }

  /** Creates an empty database and returns its URI. */
  async createDatabase(name) {
    await this.run("postgres", `CREATE DATABASE "${name}"`);
    return uriOf(name, [this]);
  }

  /** Starts a standby of this server. From now on a commit returns when the standby has it too. */
  async addStandby() {
    const standby = new PostgresServer();
    const { folder, data } = standby;
    execute("pg_basebackup", ["-h", this.folder, "-U", "spindle", "-D", data, "-R", "-c", "fast", "-N"], { ...this.#as, cwd: folder });
    await standby.start();
    await this.run("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.run("postgres", "SELECT pg_reload_conf()");
    return standby;
  }

  /** Makes a standby the primary server. */
  async promote() {
    // The former primary was its standby's synchronous one; this server has none.
    await this.run("postgres", "SELECT pg_promote()");
    await this.run("postgres", "ALTER SYSTEM RESET synchronous_standby_names");
    await this.run("postgres", "SELECT pg_reload_conf()");
  }

  async dispose() {
    if (this.#child) await this.stop();
    removeFolder(this.folder);
  }
}

/** Returns the URI of a database of a primary server, which is one of `servers`. */
export function uriOf(database, servers) {
  const hosts = servers.map(({ folder }) => encodeURIComponent(folder)).join(",");
  return `postgres://spindle@/${database}?host=${hosts}${servers.length > 1 ? "&target_session_attrs=read-write" : ""}`;
}

/** Starts a server with an empty database. `uri` is the value of storage.metadata. */
export async function startPostgres() {
  const server = new PostgresServer();
  server.initialize();
  await server.start();
  return server;
}
