// `spindle artifact put|get|ls|alias|link` with a running server.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { freshName, makeTeam } from "./support/people.mjs";
import { makeFolder, removeFolder } from "./support/program.mjs";
import { makeRegistry } from "./support/registries.mjs";
import { startServer } from "./support/server.mjs";

let server;
let project;
let scratch;
before(async () => {
  server = await startServer();
  project = new ArtifactProject(server, (await makeTeam(server)).name);
  scratch = makeFolder();
});
after(async () => {
  await server.dispose();
  removeFolder(scratch);
});

async function run(...args) {
  const ended = await server.cli("artifact", ...args);
  assert.equal(ended.code, 0, ended.stderr);
  return ended.stdout;
}

async function expectFailure(...args) {
  const ended = await server.cli("artifact", ...args);
  assert.equal(ended.code, 1, ended.stdout);
  return ended.stderr;
}

const nameOf = (collection) => `${project.team}/lab/${collection}`;

/** Creates a folder with files given as {path: content}. */
function folderOf(files) {
  const folder = join(scratch, freshName("folder"));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

const FILES = { "a.txt": "hello\n", "dir/ü b.bin": Buffer.from([0, 255, 7]), "dir/deep/c": "x".repeat(100_000), empty: "" };

describe("artifact put and get", () => {
  test("upload a folder and download it again", async () => {
    const folder = folderOf(FILES);
    const name = freshName("data");
    const said = await run("put", nameOf(name), folder, "--alias", "best", "--tag", "good", "--description", "text");
    assert.match(said, new RegExp(`^${nameOf(name)}:v0 \\(art_\\d+\\): 4 files, 97.7 KiB`));
    const version = await project.ok("GET", `/collections/${name}/versions/best`);
    assert.equal(version.type, "dataset");
    assert.deepEqual(version.tags, ["good"]);
    assert.equal(version.description, "text");
    const back = join(scratch, freshName("back"));
    assert.match(await run("get", `${nameOf(name)}:best`, "--output", back), /4 files.*4 downloaded/);
    for (const [path, content] of Object.entries(FILES)) {
      assert.deepEqual(readFileSync(join(back, path)), Buffer.from(content), path);
    }
    assert.ok(readdirSync(back, { recursive: true }).every((path) => !String(path).endsWith(".part")));
  });

  test("transfer only missing files", async () => {
    const folder = folderOf(FILES);
    const name = freshName("data");
    await run("put", nameOf(name), folder);
    assert.match(await run("put", nameOf(name), folder), /already has this content/);
    writeFileSync(join(folder, "new.txt"), name.padEnd(100, "."));
    assert.match(await run("put", nameOf(name), folder, "--type", "dataset"), /:v1 .*; 100 B sent/);
    const back = join(scratch, freshName("back"));
    await run("get", nameOf(name), "--output", back);
    assert.match(await run("get", nameOf(name), "--output", back), /0 downloaded/);
    writeFileSync(join(back, "a.txt"), "HELLO\n");
    assert.match(await run("get", nameOf(name), "--output", back), /1 downloaded/);
    assert.equal(readFileSync(join(back, "a.txt"), "utf8"), "hello\n");
  });

  test("resume a partial download, and detect other content in the partial file", async () => {
    const content = Buffer.alloc(3_000_000, "0123456789");
    const folder = folderOf({ "big.bin": content });
    const name = freshName("data");
    await run("put", nameOf(name), join(folder, "big.bin"));
    const back = join(scratch, freshName("back"));
    mkdirSync(back);
    writeFileSync(join(back, "big.bin.part"), content.subarray(0, 1_000_000));
    await run("get", nameOf(name), "--output", back);
    assert.deepEqual(readFileSync(join(back, "big.bin")), content);
    const other = join(scratch, freshName("back"));
    mkdirSync(other);
    writeFileSync(join(other, "big.bin.part"), Buffer.alloc(1_000_000, "x"));
    assert.match(await expectFailure("get", nameOf(name), "--output", other), /the downloaded bytes do not match/);
    assert.ok(!existsSync(join(other, "big.bin.part")));
    await run("get", nameOf(name), "--output", other);
    assert.deepEqual(readFileSync(join(other, "big.bin")), content);
  });

  test("report errors", async () => {
    const folder = folderOf({ a: "1" });
    assert.match(await expectFailure("put", "just-a-name", folder), /expected ENTITY\/PROJECT\/NAME/);
    assert.match(await expectFailure("put", nameOf("x"), join(folder, "none")), /No such file/);
    assert.match(await expectFailure("put", nameOf("x"), folder, "--type", "job"), /422/);
    assert.match(await expectFailure("get", nameOf("none")), /404: Collection not found/);
    assert.match(await expectFailure("get", nameOf("none"), "--key", "wrong-key"), /401/);
    const help = await server.cli("artifact", "put", "--help");
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Examples:\n {2}spindle artifact put/);
  });
});

describe("artifact ls, alias and link", () => {
  test("list versions, set aliases and create links", async () => {
    const name = freshName("data");
    await run("put", nameOf(name), folderOf({ a: "1" }));
    await run("put", nameOf(name), folderOf({ a: "2" }));
    assert.match(await run("ls", `${project.team}/lab`), new RegExp(`${name} +dataset +SEQUENCE`));
    await run("alias", `${nameOf(name)}:v0`, "best");
    const lines = (await run("ls", nameOf(name), "--json")).trim().split("\n").map(JSON.parse);
    assert.deepEqual(lines.map((line) => line.version), ["v1", "v0"]);
    assert.equal(lines[1].aliases, "best");
    await run("alias", `${nameOf(name)}:v0`, "best", "--remove");
    assert.match(await expectFailure("alias", `${nameOf(name)}:v0`, "best", "--remove"), /404/);
    const registry = await makeRegistry(server);
    const target = `svc-registry-${registry.name}/things`;
    const linked = await run("link", `${nameOf(name)}:v1`, target, "--alias", "prod");
    assert.equal(linked, `Linked ${nameOf(name)}:v1 as ${target}:v0.\n`);
    assert.match(await run("ls", target), /v0 .*latest, prod/);
    const back = join(scratch, freshName("back"));
    await run("get", `${target}:prod`, "--output", back);
    assert.equal(readFileSync(join(back, "a"), "utf8"), "2");
  });
});
