// References to objects: svc:///team/project/object/name:digest.

export interface ObjectRef {
  project: string;
  kind: "object" | "op";
  name: string;
  /** A digest, `latest`, `v3` or an alias. */
  version: string;
}

/** Reads a reference to a version of an object or op; null for anything else, such as a hidden one. */
export function parseRef(ref: string): ObjectRef | null {
  const match = /^svc:\/\/\/([^/]+\/[^/]+)\/(object|op)\/([^/:]+):([^/]+)/.exec(ref);
  if (!match) return null;
  const [, project = "", kind = "object", name = "", version = ""] = match;
  return { project, kind: kind as ObjectRef["kind"], name, version };
}

export function objectRef(project: string, name: string, version: string, kind: ObjectRef["kind"] = "object"): string {
  return `svc:///${project}/${kind}/${name}:${version}`;
}

/** Returns the digest of the table that a dataset's `rows` refers to, or null. */
export function tableDigest(rows: unknown): string | null {
  return typeof rows === "string" ? /^svc:\/\/\/[^/]+\/[^/]+\/table\/([0-9a-f]+)/.exec(rows)?.[1] ?? null : null;
}

/** Returns the object id that the server makes from a name: lower case, `_` for spaces and slashes. */
export function objectIdOf(name: string): string {
  return name.trim().toLowerCase().replace(/[\s/]+/g, "_").replace(/[^\w.-]/g, "").slice(0, 128);
}
