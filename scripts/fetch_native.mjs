// Installs the native libraries of native/package-lock.json into native/prefix.
//
//   node scripts/fetch_native.mjs          download, verify, unpack
//   node scripts/fetch_native.mjs --lock   rewrite the lock file after a change of package.json
//
// `npm ci` is not suitable: it installs about 300 unused packages, and with Node 18 it omits the llama.cpp
// libraries because their package requires Node 20. So npm only downloads, this script verifies the integrity
// hashes of the lock file, and unpacks only the files named below.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const native = path.join(root, "native");
const manifestFile = path.join(native, "package.json");
const lockFile = path.join(native, "package-lock.json");
const prefix = path.join(native, "prefix");
const arch = process.arch;

function fail(message) {
  console.error(`fetch_native: ${message}`);
  process.exit(1);
}

function run(command, args, cwd) {
  // The GIT_DIR of a git hook would make git use the wrong repository.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_DIR") && name !== "GIT_INDEX_FILE"),
  );
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function npm(args) {
  try {
    return run("npm", args, native);
  } catch (error) {
    const said = `${error.stderr ?? ""}`.trim() || error.message;
    fail(`npm ${args[0]} failed:\n${said}\nIs the registry that npm is configured for reachable?`);
  }
}

function wanted() {
  const manifest = JSON.parse(fs.readFileSync(manifestFile, "utf8"));
  return { manifest, versions: { ...manifest.dependencies, ...manifest.optionalDependencies } };
}

function writeLock() {
  const { manifest, versions } = wanted();
  const packages = {
    "": {
      name: manifest.name,
      version: manifest.version,
      license: manifest.license,
      dependencies: manifest.dependencies,
      optionalDependencies: manifest.optionalDependencies,
    },
  };
  for (const name of Object.keys(versions).sort()) {
    const fields = ["version", "dist.integrity", "license", "os", "cpu"];
    const seen = JSON.parse(npm(["view", `${name}@${versions[name]}`, ...fields, "--json"]));
    const optional = name in manifest.optionalDependencies;
    packages[`node_modules/${name}`] = {
      version: seen.version,
      integrity: seen["dist.integrity"],
      ...(seen.cpu && { cpu: [name.split("-").pop()] }),
      license: seen.license,
      ...(optional && { optional }),
      ...(seen.os && { os: seen.os }),
    };
  }
  const lock = { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true, packages };
  fs.writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Returns the locked packages for this machine: [{name, version, integrity}]. */
function lockedPackages() {
  const { packages } = JSON.parse(fs.readFileSync(lockFile, "utf8"));
  const { versions } = wanted();
  return Object.keys(versions).map((name) => {
    const entry = packages[`node_modules/${name}`];
    if (entry?.version !== versions[name]) {
      fail(`native/package-lock.json does not hold ${name}@${versions[name]}: run with --lock`);
    }
    return { name, ...entry };
  }).filter(({ cpu }) => !cpu || cpu.includes(arch));
}

/** Downloads the packages and returns name -> archive, each matching its locked integrity. */
function download(packages, folder) {
  const specs = packages.map(({ name, version }) => `${name}@${version}`);
  npm(["pack", "--loglevel=error", "--ignore-scripts", "--prefer-offline", "--pack-destination", folder, ...specs]);
  const archives = new Map();
  for (const file of fs.readdirSync(folder)) {
    const archive = path.join(folder, file);
    const digest = createHash("sha512").update(fs.readFileSync(archive)).digest("base64");
    archives.set(`sha512-${digest}`, archive);
  }
  return new Map(packages.map(({ name, version, integrity }) => {
    const archive = archives.get(integrity);
    if (!archive) fail(`${name}@${version} as downloaded does not match native/package-lock.json`);
    return [name, archive];
  }));
}

function unpack(archive, folder, strip, members) {
  fs.mkdirSync(folder, { recursive: true });
  run("tar", ["-xzf", archive, "-C", folder, `--strip-components=${strip}`, "--no-same-owner",
    "--wildcards", ...members.map((member) => `package/${member}`)]);
}

function unpackDuckdb(archives, into) {
  const binding = archives.get(`@duckdb/node-bindings-linux-${arch}`);
  unpack(binding, path.join(into, "lib"), 1, ["libduckdb.so"]);
  unpack(binding, path.join(into, "share/licenses/duckdb"), 1, ["LICENSE"]);
  unpack(archives.get("duckdb"), path.join(into, "include"), 5, ["src/duckdb/src/include/duckdb.h"]);
}

function unpackLlama(archives, into, scratch) {
  const libraries = archives.get(`@node-llama-cpp/linux-${arch}`);
  unpack(libraries, path.join(into, "lib/llama"), 3, [`bins/linux-${arch}/lib*.so`]);
  unpack(archives.get("node-llama-cpp"), scratch, 2, ["llama/gitRelease.bundle", "llama/llama.cpp.info.json"]);

  const repository = path.join(scratch, "llama.git");
  run("git", ["clone", "--quiet", "--bare", path.join(scratch, "gitRelease.bundle"), repository], scratch);
  const source = path.join(scratch, "llama");
  const headers = path.join(scratch, "headers.tar");
  run("git", ["archive", "-o", headers, "HEAD", "--", "LICENSE", "include", "ggml/include", "common"],
    repository);
  fs.mkdirSync(source);
  run("tar", ["-xf", headers, "-C", source, "--no-same-owner"]);

  const target = path.join(into, "include/llama");
  const isHeader = (from) => fs.statSync(from).isDirectory() || /\.(h|hpp)$/.test(from);
  const folders = { include: "", "ggml/include": "", common: "common" };
  for (const [from, to] of Object.entries(folders)) {
    fs.cpSync(path.join(source, from), path.join(target, to), { recursive: true, filter: isHeader });
  }
  const { tag } = JSON.parse(fs.readFileSync(path.join(scratch, "llama.cpp.info.json"), "utf8"));
  fs.writeFileSync(path.join(target, "VERSION"), `${tag.replace(/^v/, "")}\n`);
  fs.mkdirSync(path.join(into, "share/licenses/llama.cpp"), { recursive: true });
  fs.copyFileSync(path.join(source, "LICENSE"), path.join(into, "share/licenses/llama.cpp/LICENSE"));
}

function install() {
  if (!["x64", "arm64"].includes(arch)) fail(`there are no native libraries for ${arch}: x64 and arm64 only`);
  const scratch = fs.mkdtempSync(path.join(native, ".fetch-"));
  process.on("exit", () => fs.rmSync(scratch, { recursive: true, force: true }));
  try {
    const downloads = path.join(scratch, "downloads");
    const next = path.join(scratch, "prefix");
    fs.mkdirSync(downloads);
    const archives = download(lockedPackages(), downloads);
    unpackDuckdb(archives, next);
    unpackLlama(archives, next, scratch);
    // Keeps the old libraries until the new ones are complete.
    fs.rmSync(prefix, { recursive: true, force: true });
    fs.renameSync(next, prefix);
  } catch (error) {
    fail(`${error.message}\n${error.stderr ?? ""}`.trim());
  }
}

if (process.argv[2] === "--lock") writeLock();
else install();
