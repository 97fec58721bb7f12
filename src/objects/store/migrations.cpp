#include "objects/store/migrations.h"

namespace spindle::objects {

storage::AreaSchema objectsSchema() {
  return {"objects",
          {{1, "objects, tables and files", R"sql(
    -- A version that is deleted keeps its row: its index is never given away again. `published`
    -- counts the publications of an object; the live version with the highest is the latest.
    CREATE TABLE object_versions (
      id {serial_key},
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      object_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      version_index BIGINT NOT NULL,
      published BIGINT NOT NULL,
      is_latest BIGINT NOT NULL,
      base_object_class TEXT,
      leaf_object_class TEXT,
      value TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      user_id TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      deleted_at BIGINT,
      UNIQUE (project_id, object_id, kind, digest));
    CREATE INDEX object_versions_by_digest ON object_versions (project_id, digest);
    CREATE INDEX object_versions_by_time ON object_versions (project_id, created_at);
    CREATE INDEX object_versions_by_class ON object_versions (project_id, base_object_class);

    CREATE TABLE object_tags (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      object_id TEXT NOT NULL,
      digest TEXT NOT NULL,
      tag TEXT NOT NULL,
      PRIMARY KEY (project_id, object_id, digest, tag));

    CREATE TABLE object_aliases (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      object_id TEXT NOT NULL,
      alias TEXT NOT NULL,
      digest TEXT NOT NULL,
      PRIMARY KEY (project_id, object_id, alias));

    -- Rows are shared by the tables of a project. They are numbered as they come, so that those of
    -- a table mostly stand side by side.
    CREATE TABLE table_rows (
      id {serial_key},
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      value TEXT NOT NULL,
      UNIQUE (project_id, digest));

    -- `added_bytes` is the size of the rows that came with the table and were new.
    CREATE TABLE tables (
      id {serial_key},
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      row_count BIGINT NOT NULL,
      added_bytes BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE (project_id, digest));

    -- The rows of a table, some hundreds together: their digests and their ids, one a line; id 0 is
    -- a row that was not there yet. A table of a million rows is a thousand of these.
    CREATE TABLE table_chunks (
      table_id BIGINT NOT NULL REFERENCES tables (id) ON DELETE CASCADE,
      first_row BIGINT NOT NULL,
      row_digests TEXT NOT NULL,
      row_ids TEXT NOT NULL,
      PRIMARY KEY (table_id, first_row));

    -- `content` names the blob. A project sees only the files that were given to it.
    CREATE TABLE project_files (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      digest TEXT NOT NULL,
      content TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, digest));
  )sql"},
           {2, "files by their content", R"sql(
    CREATE INDEX project_files_by_content ON project_files (content);
  )sql"}}};
}

storage::BlobColumn objectBlobs() { return {"project_files", "content"}; }

}  // namespace spindle::objects
