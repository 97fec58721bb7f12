// A client of the artifacts of a project.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";

import { freshName } from "./people.mjs";

export const digestOf = (bytes) => createHash("md5").update(bytes).digest("base64");

/** Returns the manifest of files given as {path: content}. */
export function manifestOf(files) {
  const entries = Object.entries(files).map(([path, content]) => {
    const bytes = Buffer.from(content);
    return [path, { digest: digestOf(bytes), size: bytes.length }];
  });
  return Object.fromEntries(entries);
}

/** Returns the digest of a manifest, computed from its definition. */
export function manifestDigest(manifest) {
  const hash = createHash("md5").update("svc-artifact-manifest-v1\n");
  const paths = Object.keys(manifest).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  for (const path of paths) hash.update(`${path}:${manifest[path].digest}\n`);
  return hash.digest("hex");
}

/** A client of the artifacts of one project. */
export class ArtifactProject {
  constructor(server, team, { project = "lab", key } = {}) {
    this.server = server;
    this.team = team;
    this.project = project;
    this.key = key ?? server.adminKey;
    this.path = `/api/v1/projects/${team}/${project}`;
  }

  as(key) {
    return new ArtifactProject(this.server, this.team, { project: this.project, key });
  }

  api(method, rest, options = {}) {
    return this.server.api(method, this.path + rest, { key: this.key, ...options });
  }

  async ok(method, rest, options) {
    const answer = await this.api(method, rest, options);
    assert.ok([200, 201, 204].includes(answer.status), `${method} ${rest}: ${answer.text}`);
    return answer.json;
  }

  begin(collection, files, fields = {}) {
    const body = { type: "dataset", manifest: manifestOf(files), ...fields };
    return this.ok("POST", `/collections/${collection}/versions`, { body });
  }

  /** Uploads the files of a pending version. The signed URLs need no API key. */
  async upload(uploads, files) {
    for (const { path, method, url, headers } of uploads) {
      const body = Buffer.from(files[path]);
      const { pathname, search } = new URL(url);
      const answer = await this.server.api(method, pathname + search, { key: null, body, headers });
      assert.equal(answer.status, 200, answer.text);
    }
  }

  commit(collection, id) {
    return this.ok("POST", `/collections/${collection}/versions/${id}/commit`);
  }

  /** Creates, uploads and commits a version of these files. */
  async put(collection, files, fields) {
    const { version, uploads } = await this.begin(collection, files, fields);
    await this.upload(uploads, files);
    return this.commit(collection, version.id);
  }

  read(collection, version, path, headers = {}) {
    const encoded = path.split("/").map(encodeURIComponent).join("/");
    return this.api("GET", `/collections/${collection}/versions/${version}/files/${encoded}`, { headers });
  }
}

/** Rows of the access table; see access.test.mjs. */
export function artifactRows(server, { everyone, writers }) {
  const missing = ({ path, body }, team) => ({ path: path.replace(`/${team}/`, "/no-such-team/"), body });
  /** `make` creates the resource and resolves with the rest of the path. */
  const row = (allowed, success, make, body) => ({
    allowed,
    success,
    missing,
    prepare: async (team) => {
      const artifacts = new ArtifactProject(server, team);
      return { path: artifacts.path + (await make(artifacts)), body: body?.() };
    },
  });
  const collection = (rest = "") => async (artifacts) => {
    const name = freshName("things");
    await artifacts.ok("POST", "/collections", { body: { name, type: "dataset", tags: ["old"] } });
    return `/collections/${name}${rest}`;
  };
  const committed = (rest = "") => async (artifacts) => {
    const name = freshName("things");
    await artifacts.put(name, { "a.txt": name }, { aliases: ["old"], tags: ["old"] });
    return `/collections/${name}/versions/v0${rest}`;
  };
  const pending = (rest, files) => async (artifacts) => {
    const name = freshName("things");
    const { version, uploads } = await artifacts.begin(name, files);
    await artifacts.upload(uploads, files);
    return `/collections/${name}/versions/${version.id}${rest}`;
  };
  const root = "/api/v1/projects/{team}/{project}/collections";
  const one = `${root}/{collection}`;
  const version = `${one}/versions/{version}`;
  const newVersion = () => ({ type: "dataset", manifest: manifestOf({ "a.txt": freshName("content") }) });
  return {
    [`GET ${root}`]: row(everyone, 200, async (artifacts) => {
      await collection()(artifacts);
      return "/collections";
    }),
    [`POST ${root}`]: row(writers, 201, async (artifacts) => {
      await collection()(artifacts);
      return "/collections";
    }, () => ({ name: freshName("things"), type: "dataset" })),
    [`GET ${one}`]: row(everyone, 200, collection()),
    [`PATCH ${one}`]: row(writers, 200, collection(), () => ({ description: "new" })),
    [`DELETE ${one}`]: row(writers, 204, collection()),
    [`PUT ${one}/tags/{tag}`]: row(writers, 204, collection("/tags/new")),
    [`DELETE ${one}/tags/{tag}`]: row(writers, 204, collection("/tags/old")),
    [`GET ${one}/versions`]: row(everyone, 200, collection("/versions")),
    [`POST ${one}/versions`]: row(writers, 201, collection("/versions"), newVersion),
    [`GET ${version}`]: row(everyone, 200, committed()),
    [`PATCH ${version}`]: row(writers, 200, committed(), () => ({ description: "new" })),
    [`DELETE ${version}`]: row(writers, 204, committed("?delete_aliases=true")),
    [`POST ${version}/uploads`]: row(writers, 200, pending("/uploads", { "b.txt": "b" }), () => ({
      paths: ["b.txt"],
    })),
    [`POST ${version}/commit`]: row(writers, 200, pending("/commit", { "b.txt": "b" })),
    [`GET ${version}/manifest`]: row(everyone, 200, committed("/manifest")),
    [`GET ${version}/used-by`]: row(everyone, 200, committed("/used-by")),
    [`GET ${version}/files`]: row(everyone, 200, committed("/files")),
    [`GET ${version}/files/{path}`]: row(everyone, 200, committed("/files/a.txt")),
    [`GET ${version}/aliases`]: row(everyone, 200, committed("/aliases")),
    [`PUT ${version}/aliases/{alias}`]: row(writers, 204, committed("/aliases/new")),
    [`DELETE ${version}/aliases/{alias}`]: row(writers, 204, committed("/aliases/old")),
    [`GET ${version}/tags`]: row(everyone, 200, committed("/tags")),
    [`PUT ${version}/tags/{tag}`]: row(writers, 204, committed("/tags/new")),
    [`DELETE ${version}/tags/{tag}`]: row(writers, 204, committed("/tags/old")),
    [`POST ${one}/links`]: {
      ...row(writers, 201, () => ""),
      prepare: async (team) => {
        const artifacts = new ArtifactProject(server, team);
        const { id } = await artifacts.put(freshName("things"), { "a.txt": "a" });
        return { path: `${artifacts.path}/collections/${freshName("chosen")}/links`, body: { source: id } };
      },
    },
    [`DELETE ${one}/links/{version}`]: row(writers, 204, async (artifacts) => {
      const { id } = await artifacts.put(freshName("things"), { "a.txt": "a" });
      const name = freshName("chosen");
      await artifacts.ok("POST", `/collections/${name}/links`, { body: { source: id } });
      return `/collections/${name}/links/v0`;
    }),
  };
}

/**
 * Rows of the access table for projects. Calls `populate(project)` for each created project. `guest(team)`
 * resolves with a member of the team.
 */
export function projectRows(server, { everyone, admins, guest, populate = () => {} }) {
  const root = "/api/v1/projects/{team}/{project}";
  const row = (allowed, success, make = () => "", body) => ({
    allowed,
    success,
    missing: ({ path }, team) => ({ path: path.replace(`/${team}/`, "/no-such-team/"), body }),
    prepare: async (team) => {
      const project = freshName("project");
      const answer = await server.api("POST", "/api/v1/projects", { body: { team, name: project } });
      assert.equal(answer.status, 201, answer.text);
      const artifacts = new ArtifactProject(server, team, { project });
      await populate(artifacts);
      return { path: artifacts.path + (await make(artifacts)), body };
    },
  });
  const member = { role: "VIEWER" };
  return {
    [`GET ${root}`]: row(everyone, 200),
    [`PATCH ${root}`]: row(admins, 200, undefined, { description: "new" }),
    [`DELETE ${root}`]: row(admins, 204),
    [`GET ${root}/members`]: row(everyone, 200, () => "/members"),
    [`PUT ${root}/members/{username}`]: row(
      admins,
      200,
      async ({ team }) => `/members/${(await guest(team)).username}`,
      member,
    ),
    [`DELETE ${root}/members/{username}`]: row(admins, 204, async (artifacts) => {
      const path = `/members/${(await guest(artifacts.team)).username}`;
      await artifacts.ok("PUT", path, { body: member });
      return path;
    }),
  };
}
