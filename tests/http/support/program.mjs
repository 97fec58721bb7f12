// Starts and stops the program under test as a child process and reads its streams. Kills remaining
// processes and deletes remaining folders when the test process exits.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const BINARY =
  process.env.SPINDLE_BIN ?? fileURLToPath(new URL("../../../build/bin/spindle", import.meta.url));
/** The other programs are in the same folder as the server. */
export const ENGINE = join(dirname(BINARY), "spindle-engine");

const children = new Set();
const folders = new Set();

process.on("exit", () => {
  for (const child of children) child.kill("SIGKILL");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns the memory that a process occupies. */
export function residentKilobytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
}

export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "spindle-test-"));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  folders.delete(folder);
}

/** Returns all files below a folder, as paths relative to it. */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}

/** Returns the environment of this process without SPINDLE_ settings, plus `env`. */
function cleanEnvironment(env) {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("SPINDLE_"));
  return { ...Object.fromEntries(inherited), ...env };
}

/** A started process. `stdout` and `stderr` grow while it runs. */
export class Program {
  constructor(args, { env = {}, cwd, fileLimit, binary = BINARY, stdin = "ignore" } = {}) {
    if (!existsSync(binary)) throw new Error(`${binary} is not built`);
    const [file, line] = fileLimit
      ? ["/bin/sh", ["-c", `ulimit -n ${fileLimit} && exec "$@"`, "sh", binary, ...args]]
      : [binary, args];
    this.stdout = "";
    this.stderr = "";
    this.child = spawn(file, line, {
      cwd,
      env: cleanEnvironment(env),
      stdio: [stdin, "pipe", "pipe"],
    });
    children.add(this.child);
    for (const name of ["stdout", "stderr"]) {
      this.child[name].setEncoding("utf8").on("data", (text) => (this[name] += text));
    }
    // "close" is emitted after the last byte of both streams; "exit" may be emitted earlier.
    this.ended = once(this.child, "close").then(([code, signal]) => {
      children.delete(this.child);
      return { code, signal, stdout: this.stdout, stderr: this.stderr };
    });
  }

  get pid() {
    return this.child.pid;
  }

  get running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  signal(name) {
    this.child.kill(name);
  }

  /** Resolves with the first match in stderr; rejects if the program ends before. */
  async waitForLine(pattern) {
    for (;;) {
      const found = pattern.exec(this.stderr);
      if (found) return found;
      const ended = await Promise.race([
        this.ended,
        once(this.child.stderr, "data").then(() => undefined),
      ]);
      if (ended && !pattern.test(this.stderr)) {
        throw new Error(`ended with ${ended.code ?? ended.signal}: ${this.stderr}`);
      }
    }
  }
}

/** Runs `spindle ARGS` and resolves when it has ended. */
export function runSpindle(args, options = {}) {
  return new Program(args, options).ended;
}
