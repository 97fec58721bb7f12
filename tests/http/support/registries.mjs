// A client of registries.

import assert from "node:assert/strict";

import { ArtifactProject } from "./artifacts.mjs";
import { freshName } from "./people.mjs";

/** A client of one registry. */
export class RegistryClient {
  constructor(server, name, { key } = {}) {
    this.server = server;
    this.name = name;
    this.key = key ?? server.adminKey;
    this.path = `/api/v1/registries/${name}`;
  }

  as(key) {
    return new RegistryClient(this.server, this.name, { key });
  }

  api(method, rest, options = {}) {
    return this.server.api(method, this.path + rest, { key: this.key, ...options });
  }

  async ok(method, rest, options) {
    const answer = await this.api(method, rest, options);
    assert.ok([200, 201, 204].includes(answer.status), `${method} ${rest}: ${answer.text}`);
    return answer.json;
  }

  link(collection, source, aliases = []) {
    return this.ok("POST", `/collections/${collection}/links`, { body: { source, aliases } });
  }

  /** Sets the role of a user or a team. */
  setRole(kind, name, role) {
    return this.ok("PUT", `/members/${kind}/${name}`, { body: { role } });
  }
}

/** Creates a registry, by default as the bootstrap admin and visible to the organization. */
export async function makeRegistry(server, { key, name = freshName("registry"), ...fields } = {}) {
  const body = { name, visibility: "organization", ...fields };
  const answer = await server.api("POST", "/api/v1/registries", { key: key ?? server.adminKey, body });
  assert.equal(answer.status, 201, answer.text);
  return new RegistryClient(server, name, { key });
}

/** Creates a version in a new collection of a team's project. */
export async function makeVersion(server, team, fields = {}) {
  const artifacts = new ArtifactProject(server, team);
  const collection = freshName("things");
  const version = await artifacts.put(collection, { "a.txt": collection }, { tags: ["old"], ...fields });
  return { ...version, path: `${team}/lab/${collection}:v0`, artifacts, collection };
}

/**
 * Returns a request for every operation on registries and their collections. `make(registry, version)` creates
 * the resource and resolves with the rest of the path; `body` returns the request body.
 *
 * `version` is the result of makeVersion(), linked as `things:v0` with the aliases `old` and `latest`.
 */
export function registryRequests() {
  const root = "/api/v1/registries/{registry}";
  const collections = `${root}/collections`;
  const one = `${collections}/{collection}`;
  const version = `${one}/versions/{version}`;
  const at = (rest) => () => rest;
  const linked = (rest = "") => at(`/collections/things/versions/v0${rest}`);
  return {
    [`GET ${root}`]: { success: 200, make: at("") },
    [`PATCH ${root}`]: { success: 200, make: at(""), body: () => ({ description: "new" }) },
    [`DELETE ${root}`]: { success: 204, make: at("") },
    [`GET ${root}/members`]: { success: 200, make: at("/members") },
    [`PUT ${root}/members/{kind}/{name}`]: {
      success: 200,
      make: (_, { artifacts }) => `/members/teams/${artifacts.team}`,
      body: () => ({ role: "ADMIN" }),
    },
    [`DELETE ${root}/members/{kind}/{name}`]: {
      success: 204,
      make: async (registry, { guest }) => {
        await registry.setRole("users", guest.username, "VIEWER");
        return `/members/users/${guest.username}`;
      },
    },
    [`GET ${root}/protected-aliases`]: { success: 200, make: at("/protected-aliases") },
    [`PUT ${root}/protected-aliases/{alias}`]: { success: 204, make: at("/protected-aliases/prod") },
    [`DELETE ${root}/protected-aliases/{alias}`]: {
      success: 204,
      make: async (registry) => {
        await registry.ok("PUT", "/protected-aliases/gone");
        return "/protected-aliases/gone";
      },
    },
    [`GET ${collections}`]: { success: 200, make: at("/collections") },
    [`POST ${collections}`]: {
      success: 201,
      make: at("/collections"),
      body: () => ({ name: freshName("more"), type: "dataset" }),
    },
    [`GET ${one}`]: { success: 200, make: at("/collections/things") },
    [`PATCH ${one}`]: {
      success: 200,
      make: at("/collections/things"),
      body: () => ({ description: "new" }),
    },
    [`DELETE ${one}`]: { success: 204, make: at("/collections/things") },
    [`PUT ${one}/tags/{tag}`]: { success: 204, make: at("/collections/things/tags/new") },
    [`DELETE ${one}/tags/{tag}`]: {
      success: 204,
      make: async (registry) => {
        await registry.ok("PUT", "/collections/things/tags/gone");
        return "/collections/things/tags/gone";
      },
    },
    [`GET ${one}/versions`]: { success: 200, make: at("/collections/things/versions") },
    [`GET ${version}`]: { success: 200, make: linked() },
    [`PATCH ${version}`]: { success: 200, make: linked(), body: () => ({ description: "new" }) },
    [`DELETE ${version}`]: { success: 204, make: linked() },
    [`GET ${version}/used-by`]: { success: 200, make: linked("/used-by") },
    [`GET ${version}/manifest`]: { success: 200, content: true, make: linked("/manifest") },
    [`GET ${version}/files`]: { success: 200, content: true, make: linked("/files") },
    [`GET ${version}/files/{path}`]: { success: 200, content: true, make: linked("/files/a.txt") },
    [`GET ${version}/aliases`]: { success: 200, make: linked("/aliases") },
    [`PUT ${version}/aliases/{alias}`]: { success: 204, make: linked("/aliases/new") },
    [`DELETE ${version}/aliases/{alias}`]: { success: 204, make: linked("/aliases/old") },
    [`GET ${version}/tags`]: { success: 200, make: linked("/tags") },
    [`PUT ${version}/tags/{tag}`]: { success: 204, make: linked("/tags/new") },
    [`DELETE ${version}/tags/{tag}`]: { success: 204, make: linked("/tags/old") },
    [`POST ${one}/links`]: {
      success: 201,
      make: at("/collections/fresh/links"),
      body: ({ path }) => ({ source: path }),
    },
    [`DELETE ${one}/links/{version}`]: { success: 204, make: at("/collections/things/links/v0") },
  };
}

/** Rows of the access table; see access.test.mjs. The team is an admin of the registry. */
export function registryRows(server, { everyone, admins, guest }) {
  const rows = Object.entries(registryRequests()).map(([operation, { success, make, body }]) => [
    operation,
    {
      allowed: operation === "DELETE /api/v1/registries/{registry}" ? admins : everyone,
      success,
      prepare: async (team) => {
        const version = { ...(await makeVersion(server, team)), guest: await guest() };
        const registry = await makeRegistry(server, { visibility: "restricted" });
        await registry.setRole("teams", team, "ADMIN");
        await registry.link("things", version.path, ["old"]);
        const path = registry.path + (await make(registry, version));
        return { path, body: body?.(version), registry: registry.name };
      },
      missing: ({ path, body, registry }) => ({ path: path.replace(`/${registry}`, "/none"), body }),
    },
  ]);
  return Object.fromEntries(rows);
}
