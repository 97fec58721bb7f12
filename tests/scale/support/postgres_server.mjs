// A PostgreSQL server of the Debian package in a temporary folder.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { makeFolder, removeFolder } from "../../http/support/program.mjs";

const ROOT = "/usr/lib/postgresql";

/** Returns the numbers of the user `postgres`: PostgreSQL does not run as root. */
function account() {
  if (process.getuid() !== 0) return {};
  const number = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: number("-u"), gid: number("-g") };
}

/** Starts a server with an empty database. `uri` is the value of storage.metadata. */
export async function startPostgres() {
  const version = readdirSync(ROOT).sort((a, b) => b - a)[0];
  const program = (name) => join(ROOT, version, "bin", name);
  const folder = makeFolder();
  const as = account();
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid);
  const data = join(folder, "data");
  execFileSync(program("initdb"), ["-D", data, "-U", "spindle", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"], {
    ...as,
    stdio: "ignore",
  });
  let child;
  process.on("exit", () => child?.kill("SIGKILL"));
  const ready = () => {
    try {
      execFileSync(program("pg_isready"), ["-h", folder, "-U", "spindle"], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  const start = async () => {
    child = spawn(program("postgres"), ["-D", data, "-k", folder, "-c", "listen_addresses="], { ...as, stdio: "ignore" });
    for (let waited = 0; !ready(); waited += 1) {
      if (waited > 300) throw new Error("PostgreSQL does not start");
      await sleep(100);
    }
  };
  /** Ends the server without a checkpoint: the next start recovers, as after a crash. */
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGQUIT");
    await ended;
    child = undefined;
  };
  await start();
  const uriOf = (database) => `postgres://spindle@/${database}?host=${encodeURIComponent(folder)}`;
  /** Runs one SQL statement. */
  const run = async (database, sql) => {
    execFileSync(program("psql"), ["-h", folder, "-U", "spindle", "-d", database, "-q", "-c", sql], { stdio: "ignore" });
  };
  return {
    folder,
    uri: uriOf("postgres"),
    run,
    /** Lets others read a table, but not write it. Resolves with a function that ends this. */
    async lock(database, table) {
      const holder = spawn(program("psql"), ["-h", folder, "-U", "spindle", "-d", database, "-q", "-t", "-v", "ON_ERROR_STOP=1"], { stdio: ["pipe", "pipe", "ignore"] });
      const ended = once(holder, "exit");
      holder.stdin.write(`BEGIN;\nLOCK TABLE ${table} IN SHARE MODE;\nSELECT 'held';\n`);
      const [answer] = await Promise.race([once(holder.stdout, "data"), ended]);
      if (!String(answer).includes("held")) throw new Error(`cannot lock ${table}`);
      return async () => {
        holder.stdin.end();
        await ended;
      };
    },
    start,
    stop,
    /** Creates an empty database and returns its URI. */
    async createDatabase(name) {
      await run("postgres", `CREATE DATABASE "${name}"`);
      return uriOf(name);
    },
    async dispose() {
      if (child) await stop();
      removeFolder(folder);
    },
  };
}
