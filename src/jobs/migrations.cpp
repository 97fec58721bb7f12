#include "jobs/migrations.h"

namespace spindle::jobs {

storage::AreaSchema jobsSchema() {
  return {"jobs",
          {{1, "queue of jobs", R"sql(
    -- `position` is the order of enqueuing. `token` is that of the lease in force.
    CREATE TABLE jobs (
      position {serial_key},
      id TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      state TEXT NOT NULL,
      payload TEXT NOT NULL,
      progress TEXT NOT NULL,
      error TEXT,
      queue_key TEXT,
      unique_key TEXT,
      attempts BIGINT NOT NULL,
      cancel_requested BIGINT NOT NULL,
      worker TEXT,
      token TEXT,
      leased_until BIGINT,
      run_at BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      finished_at BIGINT);

    CREATE UNIQUE INDEX jobs_unique_key ON jobs (kind, unique_key) WHERE unique_key IS NOT NULL;
    CREATE INDEX jobs_open ON jobs (kind, run_at, position) WHERE finished_at IS NULL;
    CREATE INDEX jobs_open_keys ON jobs (kind, queue_key, position) WHERE finished_at IS NULL;
    CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
  )sql"},
           {2, "the latest time of the schedule", R"sql(
    -- The latest time of the schedule clock that a server has recorded. A wall clock that is behind
    -- it at a start was set back.
    CREATE TABLE schedule_clock (id BIGINT PRIMARY KEY, latest BIGINT NOT NULL);
  )sql"}},
          {},
          {"jobs"}};
}

}  // namespace spindle::jobs
