// The registry API: accepted types, members, links with their own numbers and aliases, protected aliases, and
// paths of registry versions.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { ArtifactProject, manifestOf } from "./support/artifacts.mjs";
import { expectError, expectId, expectMembers, expectTimestamp, expectViolations } from "./support/expect.mjs";
import { freshName, listAll, makeMember, makeTeam, makeUser } from "./support/people.mjs";
import { makeRegistry, makeVersion } from "./support/registries.mjs";
import { startServer } from "./support/server.mjs";

let server;
let team;
before(async () => {
  server = await startServer();
  team = (await makeTeam(server)).name;
});
after(() => server.dispose());

const create = (body, key) => server.api("POST", "/api/v1/registries", { body, key });
const resolve = (path, key) =>
  server.api("GET", `/api/v1/artifacts/resolve?path=${encodeURIComponent(path)}`, { key });

describe("a registry", () => {
  test("is created, read, changed and deleted", async () => {
    const name = freshName("models");
    const made = await create({ name, visibility: "organization", description: "text", artifact_types: ["model"] });
    assert.equal(made.status, 201, made.text);
    expectMembers(made.json, [
      "id", "name", "visibility", "description", "allow_all_artifact_types", "artifact_types",
      "created_by", "created_at", "updated_at",
    ]);
    expectId(made.json.id, "reg");
    expectTimestamp(made.json.created_at);
    assert.equal(made.json.allow_all_artifact_types, false);
    assert.deepEqual(made.json.artifact_types, ["model"]);
    const path = `/api/v1/registries/${name}`;
    const shown = await server.api("GET", path);
    assert.deepEqual(shown.json, made.json);
    const headers = { "If-Match": shown.headers.etag };
    const body = { description: "new", add_artifact_types: ["dataset"], visibility: "restricted" };
    const changed = await server.api("PATCH", path, { body, headers });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.json.artifact_types, ["dataset", "model"]);
    assert.equal(changed.json.visibility, "restricted");
    expectError(await server.api("PATCH", path, { body, headers }), 412, "precondition_failed");
    expectError(await create({ name, visibility: "organization" }), 409, "registry_name_taken");
    const renamed = freshName("models");
    assert.equal((await server.api("PATCH", path, { body: { name: renamed } })).json.name, renamed);
    expectError(await server.api("GET", path), 404, "not_found");
    assert.equal((await server.api("DELETE", `/api/v1/registries/${renamed}`)).status, 204);
    expectError(await server.api("DELETE", `/api/v1/registries/${renamed}`), 404, "not_found");
  });

  test("is rejected with its violations", async () => {
    const good = { name: "x", visibility: "organization" };
    const rows = [
      [{ visibility: "organization" }, ["missing", "body", "name"]],
      [{ name: "x" }, ["missing", "body", "visibility"]],
      [{ ...good, name: "" }, ["string_too_short", "body", "name"]],
      [{ ...good, name: "n".repeat(116) }, ["string_too_long", "body", "name"]],
      [{ ...good, visibility: "public" }, ["enum", "body", "visibility"]],
      [{ ...good, artifact_types: ["a/b"] }, ["string_pattern_mismatch", "body", "artifact_types", 0]],
      [{ ...good, more: 1 }, ["extra_forbidden", "body", "more"]],
    ];
    for (const [body, violation] of rows) expectViolations(await create(body), violation);
    for (const sign of ["/", "\\", "#", "?", "%", ":", "\r", "\n"]) {
      expectViolations(await create({ ...good, name: `a${sign}b` }), ["string_pattern_mismatch", "body", "name"]);
    }
  });

  test("cannot remove an accepted type", async () => {
    const registry = await makeRegistry(server, { artifact_types: ["model"] });
    for (const member of ["artifact_types", "remove_artifact_types"]) {
      const answer = await registry.api("PATCH", "", { body: { [member]: [] } });
      expectViolations(answer, ["extra_forbidden", "body", member]);
    }
  });

  test("is listed for users who can see it", async () => {
    const open = await makeRegistry(server);
    const closed = await makeRegistry(server, { visibility: "restricted" });
    const user = await makeUser(server);
    const names = async (key) => (await listAll(server, "/api/v1/registries", { key, limit: 2 })).map(({ name }) => name);
    assert.ok((await names(server.adminKey)).includes(closed.name));
    assert.ok((await names(user.key)).includes(open.name));
    assert.ok(!(await names(user.key)).includes(closed.name));
    await closed.setRole("users", user.username, "RESTRICTED_VIEWER");
    assert.ok((await names(user.key)).includes(closed.name));
  });

  test("lists, adds and removes members", async () => {
    const registry = await makeRegistry(server, { visibility: "restricted" });
    const user = await makeUser(server);
    const added = await registry.ok("PUT", `/members/users/${user.username}`, { body: {} });
    expectMembers(added, ["kind", "name", "role", "created_at"]);
    assert.equal(added.role, "RESTRICTED_VIEWER");
    assert.equal((await registry.setRole("users", user.username, "MEMBER")).role, "MEMBER");
    assert.equal((await registry.setRole("teams", team, "VIEWER")).kind, "teams");
    const members = await listAll(server, `${registry.path}/members`, { limit: 1 });
    assert.deepEqual(
      members.map(({ kind, role }) => `${kind} ${role}`).sort(),
      ["teams VIEWER", "users ADMIN", "users MEMBER"],
    );
    await registry.ok("DELETE", `/members/users/${user.username}`);
    expectError(await registry.api("DELETE", `/members/users/${user.username}`), 404, "not_found");
    expectError(await registry.api("PUT", "/members/teams/no-such-team", { body: { role: "VIEWER" } }), 404, "not_found");
    const own = members.find(({ role }) => role === "ADMIN").name;
    expectError(await registry.api("DELETE", `/members/users/${own}`), 409, "last_admin");
    expectViolations(await registry.api("PUT", `/members/robots/${own}`, { body: {} }), ["enum", "path", "kind"]);
  });

  test("lists, adds and removes protected aliases", async () => {
    const registry = await makeRegistry(server);
    assert.deepEqual(await registry.ok("GET", "/protected-aliases"), { items: [] });
    for (const alias of ["prod", "prod", "best"]) await registry.ok("PUT", `/protected-aliases/${alias}`);
    assert.deepEqual(await registry.ok("GET", "/protected-aliases"), { items: ["best", "prod"] });
    await registry.ok("DELETE", "/protected-aliases/prod");
    expectError(await registry.api("DELETE", "/protected-aliases/prod"), 404, "not_found");
    for (const alias of ["v3", "latest"]) {
      expectViolations(await registry.api("PUT", `/protected-aliases/${alias}`), ["reserved_name", "path", "alias"]);
    }
  });
});

describe("a link", () => {
  test("is an entry with its own number, aliases and source", async () => {
    const registry = await makeRegistry(server);
    const first = await makeVersion(server, team);
    const second = await makeVersion(server, team);
    const answer = await registry.api("POST", "/collections/things/links", {
      body: { source: first.path, aliases: ["prod"] },
    });
    assert.equal(answer.status, 201, answer.text);
    expectMembers(answer.json, ["id", "collection", "version_index", "aliases", "artifact_id", "source"]);
    expectId(answer.json.id, "mem");
    assert.equal(answer.json.version_index, 0);
    assert.deepEqual(answer.json.aliases, ["latest", "prod"]);
    assert.equal(answer.json.artifact_id, first.id);
    assert.equal(answer.json.source, first.path);
    assert.equal((await registry.link("things", second.id)).version_index, 1);
    const collection = await registry.ok("GET", "/collections/things");
    assert.equal(collection.kind, "PORTFOLIO");
    assert.equal(collection.type, "dataset");
    const shown = await registry.ok("GET", "/collections/things/versions/prod");
    assert.equal(shown.source, first.path);
    assert.deepEqual(shown.aliases, ["prod"]);
    assert.equal(shown.id, first.id);
    const list = await registry.ok("GET", "/collections/things/versions");
    assert.deepEqual(list.items.map(({ version_index }) => version_index), [1, 0]);
    const again = await registry.api("POST", "/collections/things/links", {
      body: { source: first.path, aliases: ["best"] },
    });
    assert.equal(again.status, 200, again.text);
    assert.equal(again.json.id, answer.json.id);
    assert.deepEqual(again.json.aliases, ["best", "prod"]);
    const own = await first.artifacts.ok("GET", `/collections/${first.collection}/versions/v0`);
    assert.deepEqual(own.aliases, ["latest"]);
    assert.equal(own.source, null);
  });

  test("to a link refers to the source, with any form of its name", async () => {
    const registry = await makeRegistry(server);
    const version = await makeVersion(server, team);
    await registry.link("things", version.path);
    const [, entity, project] = /^(.*?)\/(.*?)\//.exec(version.path);
    const id = Buffer.from(`Artifact:${version.id.slice(4)}`);
    const forms = [
      `svc-registry-${registry.name}/things`,
      `organization/svc-registry-${registry.name}/things:v0`,
      `svc-artifact:///organization/svc-registry-${registry.name}/things:latest`,
      `svc-artifact:///${entity}/${project}/${version.collection}:v0`,
      `svc-artifact://_id/${id.toString("base64")}`,
      version.id,
    ];
    for (const [i, source] of forms.entries()) {
      const linked = await registry.link(`copy-${i}`, source);
      assert.equal(linked.artifact_id, version.id, source);
      assert.equal(linked.source, version.path, source);
    }
    const bad = await registry.api("POST", "/collections/x/links", { body: { source: "a/b/c/d" } });
    expectViolations(bad, ["value_error", "body", "source"]);
    const none = await registry.api("POST", "/collections/x/links", { body: { source: `${team}/lab/none:v0` } });
    expectError(none, 404, "not_found");
  });

  test("can be in a project; a collection of links accepts no new versions", async () => {
    const version = await makeVersion(server, team);
    const { artifacts } = version;
    const name = freshName("chosen");
    const linked = await artifacts.ok("POST", `/collections/${name}/links`, { body: { source: `${version.collection}:v0` } });
    assert.equal(linked.source, version.path);
    const body = { type: "dataset", manifest: manifestOf({ a: "1" }) };
    expectError(await artifacts.api("POST", `/collections/${name}/versions`, { body }), 409, "linked_collection");
    const into = await artifacts.api("POST", `/collections/${version.collection}/links`, { body: { source: version.id } });
    expectError(into, 409, "source_collection");
    assert.equal((await artifacts.read(name, "latest", "a.txt")).text, version.collection);
    await artifacts.ok("DELETE", `/collections/${name}/links/v0`);
    expectError(await artifacts.api("DELETE", `/collections/${name}/links/v0`), 404, "not_found");
  });

  test("must match the type of the collection and the accepted types of the registry", async () => {
    const registry = await makeRegistry(server, { artifact_types: ["model"] });
    const data = await makeVersion(server, team);
    const model = await makeVersion(server, team, { type: "model" });
    const refused = await registry.api("POST", "/collections/nets/links", { body: { source: data.id } });
    expectViolations(refused, ["type_not_accepted", "body"]);
    await registry.link("nets", model.id);
    expectError(await registry.api("POST", "/collections/nets/links", { body: { source: data.id } }), 409, "type_clash");
    const body = { name: "sets", type: "dataset" };
    expectViolations(await registry.api("POST", "/collections", { body }), ["type_not_accepted", "body"]);
  });

  test("to a version in a user's personal project is rejected", async () => {
    const person = await makeUser(server);
    await makeTeam(server, { name: person.username, admin: person.username });
    const version = await makeVersion(server, person.username);
    const registry = await makeRegistry(server);
    const answer = await registry.api("POST", "/collections/x/links", { body: { source: version.id } });
    expectViolations(answer, ["personal_entity", "body"]);
  });

  test("has the files of its source, for users with permission to download", async () => {
    const registry = await makeRegistry(server, { visibility: "restricted" });
    const version = await makeVersion(server, team);
    await registry.link("things", version.path);
    const user = await makeUser(server);
    await registry.setRole("users", user.username, "RESTRICTED_VIEWER");
    const theirs = registry.as(user.key);
    const at = "/collections/things/versions/v0";
    assert.equal((await theirs.ok("GET", at)).digest, version.digest);
    for (const rest of ["/manifest", "/files", "/files/a.txt"]) {
      expectError(await theirs.api("GET", at + rest), 403, "forbidden");
    }
    await registry.setRole("users", user.username, "VIEWER");
    assert.equal((await theirs.api("GET", `${at}/files/a.txt`)).text, version.collection);
    const { items } = await theirs.ok("GET", `${at}/files`);
    const { pathname } = new URL(items[0].url);
    assert.equal((await server.api("GET", pathname, { key: user.key })).text, version.collection);
    const away = await theirs.api("GET", `${at}/files/a.txt?redirect=true`);
    const signed = new URL(away.headers.location).pathname;
    assert.equal((await server.api("GET", signed, { key: null })).text, version.collection);
    expectError(await version.artifacts.as(user.key).api("GET", `/collections/${version.collection}`), 404, "not_found");
  });

  test("removes the time to live of its source", async () => {
    const registry = await makeRegistry(server);
    const version = await makeVersion(server, team, { ttl_seconds: 3600 });
    const own = `/collections/${version.collection}/versions/v0`;
    await registry.link("things", version.path);
    assert.equal((await version.artifacts.ok("GET", own)).ttl_seconds, -2);
    const body = { ttl_seconds: 60 };
    expectError(await registry.api("PATCH", "/collections/things/versions/v0", { body }), 409, "ttl_on_link");
    await registry.ok("DELETE", "/collections/things/links/v0");
    assert.equal((await version.artifacts.ok("GET", own)).ttl_seconds, -2);
  });

  test("changes its source", async () => {
    const registry = await makeRegistry(server);
    const version = await makeVersion(server, team, { metadata: { a: 1 } });
    await registry.link("things", version.path);
    const body = { metadata_merge: { b: 2 }, description: "text" };
    await registry.ok("PATCH", "/collections/things/versions/v0", { body });
    await registry.ok("PUT", "/collections/things/versions/v0/tags/good");
    const own = await version.artifacts.ok("GET", `/collections/${version.collection}/versions/v0`);
    assert.deepEqual(own.metadata, { a: 1, b: 2 });
    assert.equal(own.description, "text");
    assert.deepEqual(own.tags, ["good", "old"]);
  });
});

describe("a protected alias", () => {
  test("is set by registry admins only, and prevents deletion of its version", async () => {
    const registry = await makeRegistry(server);
    await registry.ok("PUT", "/protected-aliases/prod");
    const version = await makeVersion(server, team);
    await registry.link("things", version.path, ["prod"]);
    const member = await makeUser(server);
    await registry.setRole("users", member.username, "MEMBER");
    const theirs = registry.as(member.key);
    const at = "/collections/things/versions/v0";
    expectError(await theirs.api("PUT", `${at}/aliases/prod`), 403, "protected_alias");
    expectError(await theirs.api("DELETE", `${at}/aliases/prod`), 403, "protected_alias");
    expectError(await theirs.api("DELETE", "/collections/things/links/v0"), 403, "protected_alias");
    expectError(await theirs.api("DELETE", at), 403, "protected_alias");
    await theirs.ok("PUT", `${at}/aliases/free`);
    const { artifacts, collection } = version;
    const own = `/collections/${collection}/versions/v0?delete_aliases=true`;
    expectError(await artifacts.api("DELETE", own), 409, "protected_alias");
    expectError(await artifacts.api("DELETE", `/collections/${collection}`), 409, "protected_alias");
    expectError(await registry.api("DELETE", "/collections/things"), 409, "protected_alias");
    const [target] = version.path.split(":");
    const [entity, project] = target.split("/");
    expectError(await server.api("DELETE", `/api/v1/projects/${entity}/${project}`), 409, "protected_alias");
    expectError(await server.api("DELETE", `/api/v1/teams/${entity}?force=true`), 409, "protected_alias");
    await registry.ok("DELETE", `${at}/aliases/prod`);
    await artifacts.ok("DELETE", own);
    expectError(await registry.api("GET", at), 404, "not_found");
  });
});

describe("a linked version", () => {
  test("is deleted only after its aliases, including those of its links", async () => {
    const registry = await makeRegistry(server);
    const version = await makeVersion(server, team);
    const { artifacts, collection } = version;
    await registry.link("things", version.path);
    await artifacts.ok("DELETE", `/collections/${collection}/versions/v0/aliases/latest`);
    expectError(await artifacts.api("DELETE", `/collections/${collection}/versions/v0`), 409, "has_aliases");
    await registry.ok("DELETE", "/collections/things/versions/v0");
    await artifacts.ok("DELETE", `/collections/${collection}/versions/v0`);
  });
});

describe("a path", () => {
  test("resolves to a version in a registry", async () => {
    const registry = await makeRegistry(server, { visibility: "restricted" });
    const version = await makeVersion(server, team);
    await registry.link("things", version.path, ["prod"]);
    const forms = [
      `svc-registry-${registry.name}/things:v0`,
      `svc-registry-${registry.name}/things`,
      `organization/svc-registry-${registry.name}/things:prod`,
      `svc-artifact:///organization/svc-registry-${registry.name}/things:prod`,
    ];
    const outsider = await makeUser(server);
    for (const form of forms) {
      const answer = await resolve(form);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json.id, version.id);
      assert.equal(answer.json.entity, "organization");
      assert.equal(answer.json.project, `svc-registry-${registry.name}`);
      assert.equal(answer.json.collection, "things");
      expectError(await resolve(form, outsider.key), 404, "not_found");
    }
    const byId = `svc-artifact://_id/${Buffer.from(`Artifact:${version.id.slice(4)}`).toString("base64")}`;
    assert.equal((await resolve(byId)).json.entity, team);
    expectError(await resolve(byId, outsider.key), 404, "not_found");
    await registry.setRole("users", outsider.username, "VIEWER");
    assert.equal((await resolve(byId, outsider.key)).json.project, `svc-registry-${registry.name}`);
    expectError(await resolve("svc-registry-none/things:v0"), 404, "not_found");
  });
});

describe("projects", () => {
  const members = (artifacts) => `${artifacts.path}/members`;

  test("are created, listed, changed and deleted", async () => {
    const name = freshName("project");
    const body = { team, name, visibility: "RESTRICTED", description: "text" };
    const made = await server.api("POST", "/api/v1/projects", { body });
    assert.equal(made.status, 201, made.text);
    expectMembers(made.json, ["id", "team", "name", "visibility", "description", "created_at", "updated_at"]);
    expectError(await server.api("POST", "/api/v1/projects", { body }), 409, "project_name_taken");
    const path = `/api/v1/projects/${team}/${name}`;
    const shown = await server.api("GET", path);
    assert.deepEqual(shown.json, made.json);
    const headers = { "If-Match": shown.headers.etag };
    const changed = await server.api("PATCH", path, { body: { visibility: "TEAM", description: "new" }, headers });
    assert.equal(changed.json.visibility, "TEAM", changed.text);
    expectError(await server.api("PATCH", path, { body: {}, headers }), 412, "precondition_failed");
    for (const query of [`?team=${team}&`, "?"]) {
      const names = (await listAll(server, `/api/v1/projects${query}limit=2`)).map((each) => each.name);
      assert.ok(names.includes(name), query);
    }
    const member = await makeMember(server, team, "MEMBER");
    const theirs = await listAll(server, "/api/v1/projects", { key: member.key });
    assert.ok(theirs.some((each) => each.name === name));
    assert.equal((await server.api("DELETE", path)).status, 204);
    expectError(await server.api("GET", path), 404, "not_found");
    expectViolations(
      await server.api("POST", "/api/v1/projects", { body: { team, name: "a/b", visibility: "SECRET", more: 1 } }),
      ["string_pattern_mismatch", "body", "name"],
      ["enum", "body", "visibility"],
      ["extra_forbidden", "body", "more"],
    );
  });

  test("that are restricted are visible to their members only, and their creator is admin", async () => {
    const member = await makeMember(server, team, "MEMBER");
    const other = await makeMember(server, team, "MEMBER");
    const name = freshName("project");
    const body = { team, name, visibility: "RESTRICTED" };
    assert.equal((await server.api("POST", "/api/v1/projects", { body, key: member.key })).status, 201);
    const artifacts = new ArtifactProject(server, team, { project: name, key: member.key });
    expectError(await artifacts.as(other.key).api("GET", ""), 404, "not_found");
    const listed = await listAll(server, `/api/v1/projects?team=${team}`, { key: other.key });
    assert.ok(!listed.some((each) => each.name === name));
    const put = await server.api("PUT", `${members(artifacts)}/${other.username}`, { body: { role: "VIEWER" }, key: member.key });
    assert.equal(put.status, 200, put.text);
    assert.deepEqual(put.json, { username: other.username, role: "VIEWER", team_role: "MEMBER", overridden: true });
    await artifacts.as(other.key).ok("GET", "");
    expectError(
      await artifacts.as(other.key).api("POST", "/collections", { body: { name: "x", type: "dataset" } }), 403, "forbidden",
    );
    const all = await listAll(server, members(artifacts), { key: other.key, limit: 1 });
    assert.ok(all.some((each) => each.username === member.username && each.role === "ADMIN"));
    assert.equal((await server.api("DELETE", `${members(artifacts)}/${other.username}`, { key: member.key })).status, 204);
    expectError(await artifacts.as(other.key).api("GET", ""), 404, "not_found");
  });

  test("keep a different project role when the team role changes, and follow it if the roles are equal", async () => {
    const own = (await makeTeam(server)).name;
    const artifacts = new ArtifactProject(server, own);
    await artifacts.ok("POST", "/collections", { body: { name: "x", type: "dataset" } });
    const raised = await makeMember(server, own, "MEMBER");
    const equal = await makeMember(server, own, "MEMBER");
    const put = (user, role) =>
      server.api("PUT", `${members(artifacts)}/${user.username}`, { body: { role } });
    assert.equal((await put(raised, "ADMIN")).json.overridden, true);
    assert.equal((await put(equal, "MEMBER")).json.overridden, false);
    const change = (key) => artifacts.as(key).api("PATCH", "", { body: { description: "x" } });
    assert.equal((await change(raised.key)).status, 200);
    expectError(await change(equal.key), 403, "forbidden");
    const roleOf = async (user, role) => {
      const path = `/api/v1/teams/${own}/members/${user.username}`;
      assert.equal((await server.api("PUT", path, { body: { role } })).status, 200);
      const found = await listAll(server, members(artifacts));
      return found.find(({ username }) => username === user.username).role;
    };
    assert.equal(await roleOf(equal, "ADMIN"), "ADMIN");
    assert.equal(await roleOf(raised, "ADMIN"), "ADMIN");
    assert.equal(await roleOf(equal, "MEMBER"), "MEMBER");
    assert.equal(await roleOf(raised, "MEMBER"), "ADMIN");
    assert.equal(await roleOf(raised, "VIEWER"), "VIEWER");
    expectError(await put(raised, "MEMBER"), 409, "viewer_cannot_be_raised");
    await artifacts.ok("PATCH", "", { body: { visibility: "PUBLIC" } });
    expectError(await put(equal, "ADMIN"), 409, "project_visibility");
  });
});
