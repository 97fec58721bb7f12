#include "runs/migrations.h"

namespace spindle::runs {

storage::AreaSchema runsSchema() {
  return {"runs", {{1, "runs, their lines and their inputs", R"sql(
    -- What changes with every sign of life stands apart from what may be large.
    CREATE TABLE runs (
      number {serial_key},
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      run_id TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      name TEXT NOT NULL,
      owner_id TEXT NOT NULL,
      owner TEXT NOT NULL,
      state TEXT NOT NULL,
      run_group TEXT,
      job_type TEXT,
      exit_code BIGINT,
      stop_requested BIGINT NOT NULL,
      revision BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      heartbeat_at BIGINT NOT NULL,
      finished_at BIGINT);
    CREATE UNIQUE INDEX runs_by_id ON runs (project_id, run_id);
    CREATE INDEX runs_in_order ON runs (project_id, number);
    CREATE INDEX runs_running ON runs (heartbeat_at) WHERE state = 'running';

    CREATE TABLE run_details (
      run_number BIGINT PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
      config TEXT NOT NULL,
      metric_rules TEXT NOT NULL,
      notes TEXT);

    CREATE TABLE run_tags (
      run_number BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      tag TEXT NOT NULL,
      position BIGINT NOT NULL,
      PRIMARY KEY (run_number, tag));

    CREATE TABLE run_streams (
      run_number BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      stream TEXT NOT NULL,
      line_count BIGINT NOT NULL,
      last_step BIGINT,
      tail_lines BIGINT NOT NULL,
      tail_bytes BIGINT NOT NULL,
      summary TEXT NOT NULL,
      sums TEXT NOT NULL,
      PRIMARY KEY (run_number, stream));

    -- Lines are either in a block of the columnar store or, the last few, in the tail. A block
    -- counts when it stands here, and only then.
    CREATE TABLE run_blocks (
      run_number BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      stream TEXT NOT NULL,
      first_line BIGINT NOT NULL,
      line_count BIGINT NOT NULL,
      first_step BIGINT NOT NULL,
      last_step BIGINT NOT NULL,
      block TEXT NOT NULL,
      stored_at BIGINT NOT NULL,
      PRIMARY KEY (run_number, stream, first_line));
    CREATE TABLE run_tails (
      run_number BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      stream TEXT NOT NULL,
      first_line BIGINT NOT NULL,
      lines TEXT NOT NULL,
      PRIMARY KEY (run_number, stream, first_line));

    -- Runs that are gone, but not yet what they left in the columnar store.
    CREATE TABLE run_remains (
      run_number BIGINT PRIMARY KEY,
      project_id TEXT NOT NULL);

    CREATE TABLE run_inputs (
      run_number BIGINT NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      version_id BIGINT NOT NULL REFERENCES artifact_versions (id) ON DELETE CASCADE,
      used_by TEXT NOT NULL,
      used_at BIGINT NOT NULL,
      PRIMARY KEY (run_number, version_id));
    CREATE INDEX run_inputs_by_version ON run_inputs (version_id);
    CREATE INDEX artifact_versions_by_run ON artifact_versions (run_id) WHERE run_id IS NOT NULL;
  )sql"}}};
}

}  // namespace spindle::runs
