// SIGKILL while versions are committed and linked: acknowledged versions are complete after the restart; others
// are complete or absent, and can be committed again.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ArtifactProject } from "./support/artifacts.mjs";
import { makeTeam } from "./support/people.mjs";
import { RegistryClient, makeRegistry } from "./support/registries.mjs";
import { startServer } from "./support/server.mjs";

const ROUNDS = 5;
const VERSIONS = 40;

test("a kill during commits loses no acknowledged version and leaves none incomplete", async () => {
  let server = await startServer();
  const { dataDir } = server;
  const first = server;
  try {
    const team = (await makeTeam(server)).name;
    const registry = (await makeRegistry(server)).name;
    const known = new Map(); // index of an acknowledged version, to its id
    for (let round = 0; round < ROUNDS; ++round) {
      const project = new ArtifactProject(server, team);
      const offered = new RegistryClient(server, registry);
      const begun = [];
      for (let i = 0; i < VERSIONS; ++i) {
        const files = { "a.txt": `${round} ${i}` };
        const { version, uploads } = await project.begin("data", files, { aliases: [`a${round}-${i}`], tags: ["t"] });
        await project.upload(uploads, files);
        begun.push(version.id);
      }
      // Kills the server while responses are in flight, after a number of them that differs by round.
      let answered = 0;
      let killed;
      const commits = begun.map(async (id) => {
        try {
          const version = await project.commit("data", id);
          known.set(version.version_index, version.id);
          answered += 1;
          if (answered === 3 + round * 7) killed = server.kill();
          await offered.link("things", id);
        } catch {
          // The server was killed.
        }
      });
      await Promise.all(commits);
      await (killed ?? server.kill());
      server = await startServer({ dataDir });
      const back = new ArtifactProject(server, team);
      for (const [index, id] of known) {
        const version = await back.ok("GET", `/collections/data/versions/v${index}`);
        assert.equal(version.id, id);
        assert.equal(version.state, "COMMITTED");
        assert.deepEqual(version.tags, ["t"]);
        assert.ok(version.aliases.some((alias) => /^a\d+-\d+$/.test(alias)), version.aliases.join());
      }
      // An unacknowledged commit can be repeated and gets its own number.
      const numbers = new Set();
      for (const id of begun) {
        const version = await back.commit("data", id);
        numbers.add(version.version_index);
        known.set(version.version_index, version.id);
      }
      assert.equal(numbers.size, VERSIONS);
      const latest = await back.ok("GET", "/collections/data/versions/latest");
      assert.equal(latest.version_index, Math.max(...known.keys()));
      const links = new RegistryClient(server, registry);
      for (const id of begun) await links.link("things", id);
      const { items } = await links.ok("GET", "/collections/things/versions?limit=200");
      assert.equal(new Set(items.map((each) => each.id)).size, (round + 1) * VERSIONS);
    }
    assert.equal(known.size, ROUNDS * VERSIONS);
  } finally {
    await server.kill();
    await first.dispose();
  }
});
