#include "registry/migrations.h"

namespace spindle::registry {

storage::AreaSchema registrySchema() {
  return {"registry", {{1, "collections, versions and their files", R"sql(
    -- `next_index` is the number of the next version: numbers are never given twice.
    CREATE TABLE collections (
      id TEXT PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      description TEXT NOT NULL,
      next_index BIGINT NOT NULL,
      created_by TEXT NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      deleted_at BIGINT);
    CREATE UNIQUE INDEX collections_by_name ON collections (project_id, name)
      WHERE deleted_at IS NULL;

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
  )sql"}}};
}

}  // namespace spindle::registry
