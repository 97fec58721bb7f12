// Where collections are, in a project or in a registry, and what one may do there.

import type { Home } from "../../api/artifacts";
import { href, paths } from "../../app/location";
import type { Crumb } from "../../app/screen";

export interface Place {
  home: Home;
  /** Begins the keys of the cache. */
  key: string;
  /** Change collections, aliases, tags and links. */
  write: boolean;
  /** Read and download files. */
  files: boolean;
  path: (collection?: string, version?: string) => string;
  /** Breadcrumbs between the area and the collection. */
  crumbs: readonly Crumb[];
  /** The path of a version for requests and commands. */
  name: (collection: string, version: string) => string;
}

export function projectPlace(project: string, write: boolean): Place {
  return {
    home: { project }, key: project, write, files: true, crumbs: [],
    path: (collection = "", version = "") => paths.artifacts(project, collection, version),
    name: (collection, version) => `${project}/${collection}:${version}`,
  };
}

export function registryPlace(registry: string, rights: { write: boolean; files: boolean }): Place {
  return {
    home: { registry }, key: `registry ${registry}`, ...rights, crumbs: [{ label: registry, href: href(paths.registries(registry)) }],
    path: (collection = "", version = "") => paths.registries(registry, collection, version),
    name: (collection, version) => `svc-registry-${registry}/${collection}:${version}`,
  };
}

export function placeHref(place: Place, collection = "", version = ""): string {
  return href(place.path(collection, version));
}

export function inRegistry({ home }: Place): boolean {
  return "registry" in home;
}

/** Returns the name of a version for addresses: `v3`, or its id before the commit. */
export function versionName({ version_index, id }: { version_index: number | null; id: string }): string {
  return version_index === null ? id : `v${version_index}`;
}
