#include "registry/repositories/migrations.h"

namespace spindle::registry {

storage::AreaSchema registrySchema() {
  return {"registry",
          {{1, "registries, collections, versions and their files", R"sql(
    CREATE TABLE registries (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      visibility TEXT NOT NULL,
      description TEXT NOT NULL,
      all_types BIGINT NOT NULL,
      creator_id TEXT NOT NULL,
      created_by TEXT NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      deleted_at BIGINT);
    CREATE UNIQUE INDEX registries_by_name ON registries (name) WHERE deleted_at IS NULL;

    CREATE TABLE registry_types (
      registry_id TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      type TEXT NOT NULL,
      PRIMARY KEY (registry_id, type));

    CREATE TABLE registry_protected_aliases (
      registry_id TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      alias TEXT NOT NULL,
      PRIMARY KEY (registry_id, alias));

    -- `member_id` is that of the user or of the team, whichever it is.
    CREATE TABLE registry_members (
      registry_id TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      member_id TEXT NOT NULL,
      user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
      role TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (registry_id, member_id));
    CREATE INDEX registry_members_of_user ON registry_members (user_id);
    CREATE INDEX registry_members_of_team ON registry_members (team_id);

    -- `place_id` is that of the project or of the registry, whichever it is. `next_index` is the
    -- number of the next version or link: numbers are never given twice.
    CREATE TABLE collections (
      id TEXT PRIMARY KEY,
      place_id TEXT NOT NULL,
      project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
      registry_id TEXT REFERENCES registries (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      description TEXT NOT NULL,
      next_index BIGINT NOT NULL,
      created_by TEXT NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      deleted_at BIGINT);
    CREATE UNIQUE INDEX collections_by_name ON collections (place_id, name)
      WHERE deleted_at IS NULL;
    CREATE INDEX collections_of_project ON collections (project_id);
    CREATE INDEX collections_of_registry ON collections (registry_id);

    CREATE TABLE collection_tags (
      collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
      tag TEXT NOT NULL,
      PRIMARY KEY (collection_id, tag));

    CREATE TABLE artifact_versions (
      id {serial_key},
      collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
      state TEXT NOT NULL,
      version_index BIGINT,
      digest TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      file_count BIGINT NOT NULL,
      metadata TEXT NOT NULL,
      description TEXT,
      ttl_seconds BIGINT NOT NULL,
      run_id TEXT,
      created_by TEXT NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      committed_at BIGINT);
    CREATE UNIQUE INDEX artifact_versions_by_index
      ON artifact_versions (collection_id, version_index);
    CREATE INDEX artifact_versions_by_digest ON artifact_versions (collection_id, digest);
    CREATE INDEX artifact_versions_pending ON artifact_versions (created_at)
      WHERE state = 'PENDING';
    CREATE INDEX artifact_versions_ending ON artifact_versions (state)
      WHERE state IN ('PENDING_DELETION', 'DELETED');

    -- Aliases and tags that a pending version will get when it is committed.
    CREATE TABLE artifact_requests (
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      position BIGINT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (version_id, position));

    CREATE TABLE artifact_entries (
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      path TEXT NOT NULL,
      digest TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      ref TEXT,
      extra TEXT,
      PRIMARY KEY (version_id, path));
    CREATE INDEX artifact_entries_by_digest ON artifact_entries (digest);

    -- Links of versions in linked collections.
    CREATE TABLE artifact_memberships (
      id TEXT PRIMARY KEY,
      collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      version_index BIGINT NOT NULL,
      created_by TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE (collection_id, version_id),
      UNIQUE (collection_id, version_index));
    CREATE INDEX artifact_memberships_of_version ON artifact_memberships (version_id);

    CREATE TABLE artifact_aliases (
      collection_id TEXT NOT NULL REFERENCES collections (id) ON DELETE CASCADE,
      alias TEXT NOT NULL,
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      PRIMARY KEY (collection_id, alias));
    CREATE INDEX artifact_aliases_of_version ON artifact_aliases (version_id);

    CREATE TABLE artifact_tags (
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      tag TEXT NOT NULL,
      PRIMARY KEY (version_id, tag));

    -- The files that a team has brought, once for all its versions. `content` names the blob,
    -- `birth_id` the version that brought it.
    CREATE TABLE artifact_blobs (
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      content TEXT NOT NULL,
      birth_id BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (team_id, digest, size_bytes));
    CREATE INDEX artifact_blobs_by_content ON artifact_blobs (content);
  )sql"},
           {2, "views for other areas", R"sql(
    CREATE VIEW published_registries AS SELECT id, name, deleted_at FROM registries;
    CREATE VIEW published_collections AS
      SELECT id, project_id, registry_id, name, type, deleted_at FROM collections;
    -- Only committed versions: the other ones are internal states.
    CREATE VIEW published_artifact_versions AS
      SELECT id, collection_id, version_index, digest, size_bytes, run_id, committed_at
      FROM artifact_versions WHERE state = 'COMMITTED';
  )sql"}}};
}

storage::BlobColumn artifactBlobs() { return {"artifact_blobs", "content"}; }

}  // namespace spindle::registry
