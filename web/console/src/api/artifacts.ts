// Artifacts: collections and versions of projects and registries, files, links, aliases, lineage.

import { change, get, readBlob } from "./client";
import type { Page, PageQuery } from "./paging";
import type {
  ArtifactCollection, ArtifactCollectionChange, ArtifactFile, ArtifactMembership, ArtifactNames,
  ArtifactUploadPaths, ArtifactUploads, ArtifactUsedBy, ArtifactVersion, ArtifactVersionBegun, ArtifactVersionChange,
  NewArtifactCollection, NewArtifactLink, NewArtifactVersion, NewRegistry, ProtectedAliases, Registry,
  RegistryChange, RegistryMember, RegistryRole, ResolvedArtifact,
} from "./schema";
import { path, segments, url } from "./urls";

export type {
  ArtifactCollection, ArtifactCollectionChange, ArtifactFile, ArtifactMembership, ArtifactNames, ArtifactUpload,
  ArtifactUploadPaths, ArtifactUploads, ArtifactUsedBy, ArtifactVersion, ArtifactVersionBegun, ArtifactVersionChange,
  NewArtifactCollection, NewArtifactEntry, NewArtifactLink, NewArtifactVersion, NewRegistry, ProtectedAliases,
  Registry, RegistryChange, RegistryMember, RegistryRole, ResolvedArtifact,
} from "./schema";

/** Where a collection is: in a project (`team/project`) or in a registry. */
export type Home = { project: string } | { registry: string };

function homePath(home: Home): string {
  return "project" in home ? path`api/v1/projects/${segments(home.project)}` : path`api/v1/registries/${home.registry}`;
}

function collectionPath(home: Home, collection: string): string {
  return `${homePath(home)}/${path`collections/${collection}`}`;
}

function versionPath(home: Home, collection: string, version: string): string {
  return `${collectionPath(home, collection)}/${path`versions/${version}`}`;
}

export function listCollections(home: Home, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<ArtifactCollection>> {
  return get<Page<ArtifactCollection>>(`${homePath(home)}/collections`, { ...query }, signal);
}

export function createCollection(home: Home, body: NewArtifactCollection): Promise<ArtifactCollection> {
  return change<ArtifactCollection>("POST", `${homePath(home)}/collections`, body);
}

export function getCollection(home: Home, collection: string, signal?: AbortSignal): Promise<ArtifactCollection> {
  return get<ArtifactCollection>(collectionPath(home, collection), {}, signal);
}

export function changeCollection(home: Home, collection: string, body: ArtifactCollectionChange): Promise<ArtifactCollection> {
  return change<ArtifactCollection>("PATCH", collectionPath(home, collection), body);
}

export function deleteCollection(home: Home, collection: string): Promise<void> {
  return change<void>("DELETE", collectionPath(home, collection));
}

export function tagCollection(home: Home, collection: string, tag: string): Promise<void> {
  return change<void>("PUT", `${collectionPath(home, collection)}/${path`tags/${tag}`}`);
}

export function untagCollection(home: Home, collection: string, tag: string): Promise<void> {
  return change<void>("DELETE", `${collectionPath(home, collection)}/${path`tags/${tag}`}`);
}

/** Links a version into a collection. */
export function linkVersion(home: Home, collection: string, body: NewArtifactLink): Promise<ArtifactMembership> {
  return change<ArtifactMembership>("POST", `${collectionPath(home, collection)}/links`, body);
}

export function unlinkVersion(home: Home, collection: string, version: string): Promise<void> {
  return change<void>("DELETE", `${collectionPath(home, collection)}/${path`links/${version}`}`);
}

export function listVersions(
  home: Home,
  collection: string,
  query: PageQuery & { tag?: string; alias?: string } = {},
  signal?: AbortSignal,
): Promise<Page<ArtifactVersion>> {
  return get<Page<ArtifactVersion>>(`${collectionPath(home, collection)}/versions`, { ...query }, signal);
}

export function getVersion(home: Home, collection: string, version: string, signal?: AbortSignal): Promise<ArtifactVersion> {
  return get<ArtifactVersion>(versionPath(home, collection, version), {}, signal);
}

export function changeVersion(
  home: Home,
  collection: string,
  version: string,
  body: ArtifactVersionChange,
): Promise<ArtifactVersion> {
  return change<ArtifactVersion>("PATCH", versionPath(home, collection, version), body);
}

/** Deletes a version. With `delete_aliases` also one that aliases point at. */
export function deleteVersion(
  home: Home,
  collection: string,
  version: string,
  query: { delete_aliases?: boolean } = {},
): Promise<void> {
  return change<void>("DELETE", versionPath(home, collection, version), undefined, query);
}

/** Begins a version; then upload its files and commit it. Projects only. */
export function beginVersion(home: Home, collection: string, body: NewArtifactVersion): Promise<ArtifactVersionBegun> {
  return change<ArtifactVersionBegun>("POST", `${collectionPath(home, collection)}/versions`, body);
}

export function commitVersion(home: Home, collection: string, version: string): Promise<ArtifactVersion> {
  return change<ArtifactVersion>("POST", `${versionPath(home, collection, version)}/commit`);
}

export function renewUploads(
  home: Home,
  collection: string,
  version: string,
  body: ArtifactUploadPaths,
): Promise<ArtifactUploads> {
  return change<ArtifactUploads>("POST", `${versionPath(home, collection, version)}/uploads`, body);
}

export function listVersionAliases(home: Home, collection: string, version: string, signal?: AbortSignal): Promise<ArtifactNames> {
  return get<ArtifactNames>(`${versionPath(home, collection, version)}/aliases`, {}, signal);
}

export function setVersionAlias(home: Home, collection: string, version: string, alias: string): Promise<void> {
  return change<void>("PUT", `${versionPath(home, collection, version)}/${path`aliases/${alias}`}`);
}

export function removeVersionAlias(home: Home, collection: string, version: string, alias: string): Promise<void> {
  return change<void>("DELETE", `${versionPath(home, collection, version)}/${path`aliases/${alias}`}`);
}

export function tagVersion(home: Home, collection: string, version: string, tag: string): Promise<void> {
  return change<void>("PUT", `${versionPath(home, collection, version)}/${path`tags/${tag}`}`);
}

export function untagVersion(home: Home, collection: string, version: string, tag: string): Promise<void> {
  return change<void>("DELETE", `${versionPath(home, collection, version)}/${path`tags/${tag}`}`);
}

export function listFiles(
  home: Home,
  collection: string,
  version: string,
  query: PageQuery & { prefix?: string } = {},
  signal?: AbortSignal,
): Promise<Page<ArtifactFile>> {
  return get<Page<ArtifactFile>>(`${versionPath(home, collection, version)}/files`, { ...query }, signal);
}

function filePath(home: Home, collection: string, version: string, file: string): string {
  return `${versionPath(home, collection, version)}/${path`files/${segments(file)}`}`;
}

/** Returns the address of a file, for downloads. */
export function fileUrl(home: Home, collection: string, version: string, file: string): string {
  return url(filePath(home, collection, version, file));
}

export function readArtifactFile(
  home: Home,
  collection: string,
  version: string,
  file: string,
  signal?: AbortSignal,
): Promise<Blob> {
  return readBlob(filePath(home, collection, version, file), { signal });
}

export function readManifest(
  home: Home,
  collection: string,
  version: string,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  return get<Record<string, unknown>>(`${versionPath(home, collection, version)}/manifest`, {}, signal);
}

/** Lists what used a version. */
export function usedBy(home: Home, collection: string, version: string, signal?: AbortSignal): Promise<ArtifactUsedBy> {
  return get<ArtifactUsedBy>(`${versionPath(home, collection, version)}/used-by`, {}, signal);
}

export function resolveArtifact(
  query: { path: string; team?: string; project?: string },
  signal?: AbortSignal,
): Promise<ResolvedArtifact> {
  return get<ResolvedArtifact>("api/v1/artifacts/resolve", query, signal);
}

export function listRegistries(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Registry>> {
  return get<Page<Registry>>("api/v1/registries", { ...query }, signal);
}

export function createRegistry(body: NewRegistry): Promise<Registry> {
  return change<Registry>("POST", "api/v1/registries", body);
}

export function getRegistry(registry: string, signal?: AbortSignal): Promise<Registry> {
  return get<Registry>(path`api/v1/registries/${registry}`, {}, signal);
}

export function changeRegistry(registry: string, body: RegistryChange): Promise<Registry> {
  return change<Registry>("PATCH", path`api/v1/registries/${registry}`, body);
}

export function deleteRegistry(registry: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/registries/${registry}`);
}

export function listRegistryMembers(registry: string, query: PageQuery = {}, signal?: AbortSignal): Promise<Page<RegistryMember>> {
  return get<Page<RegistryMember>>(path`api/v1/registries/${registry}/members`, { ...query }, signal);
}

export function setRegistryMember(
  registry: string,
  kind: RegistryMember["kind"],
  name: string,
  body: RegistryRole,
): Promise<RegistryMember> {
  return change<RegistryMember>("PUT", path`api/v1/registries/${registry}/members/${kind}/${name}`, body);
}

export function removeRegistryMember(registry: string, kind: RegistryMember["kind"], name: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/registries/${registry}/members/${kind}/${name}`);
}

export function listProtectedAliases(registry: string, signal?: AbortSignal): Promise<ProtectedAliases> {
  return get<ProtectedAliases>(path`api/v1/registries/${registry}/protected-aliases`, {}, signal);
}

export function protectAlias(registry: string, alias: string): Promise<void> {
  return change<void>("PUT", path`api/v1/registries/${registry}/protected-aliases/${alias}`);
}

export function unprotectAlias(registry: string, alias: string): Promise<void> {
  return change<void>("DELETE", path`api/v1/registries/${registry}/protected-aliases/${alias}`);
}
