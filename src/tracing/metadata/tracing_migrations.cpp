#include "tracing/metadata/tracing_migrations.h"

namespace spindle::tracing {

storage::AreaSchema tracingSchema() {
  return {"tracing",
          {
              {1, "retention", R"(
CREATE TABLE call_retention (
  project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
  days BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
)"},
              {2, "annotation queues", R"(
CREATE TABLE annotation_queues (
  number {serial_key},
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  scorer_refs TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE INDEX annotation_queues_of_project ON annotation_queues (project_id, number);

CREATE TABLE annotation_items (
  number {serial_key},
  id TEXT NOT NULL UNIQUE,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  queue_id TEXT NOT NULL REFERENCES annotation_queues (id) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  call_started_at BIGINT NOT NULL,
  call_ended_at BIGINT,
  call_op_name TEXT NOT NULL,
  call_trace_id TEXT NOT NULL,
  display_fields TEXT NOT NULL,
  added_by TEXT,
  created_at BIGINT NOT NULL,
  created_by TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (queue_id, call_id)
);
CREATE INDEX annotation_items_of_project ON annotation_items (project_id, number);

-- How far each annotator is with an item; the row with the greatest number is the newest.
CREATE TABLE annotation_progress (
  number {serial_key},
  item_id TEXT NOT NULL REFERENCES annotation_items (id) ON DELETE CASCADE,
  annotator_id TEXT NOT NULL,
  state TEXT NOT NULL,
  updated_at BIGINT NOT NULL,
  UNIQUE (item_id, annotator_id)
);
)"},
              {3, "bulk jobs", R"(
CREATE TABLE bulk_jobs (
  id TEXT NOT NULL PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  project_name TEXT NOT NULL,
  team_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  action TEXT NOT NULL,
  selection TEXT NOT NULL,
  parameters TEXT NOT NULL,
  expected_count BIGINT,
  state TEXT NOT NULL,
  cancel_requested BIGINT NOT NULL,
  total BIGINT,
  done BIGINT NOT NULL,
  failed BIGINT NOT NULL,
  note TEXT NOT NULL,
  error TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finished_at BIGINT
);
CREATE INDEX bulk_jobs_of_project ON bulk_jobs (project_id, id);
CREATE INDEX bulk_jobs_open ON bulk_jobs (team_id) WHERE finished_at IS NULL;
CREATE INDEX bulk_jobs_finished ON bulk_jobs (finished_at) WHERE finished_at IS NOT NULL;

-- The calls of unfinished jobs. A batch that is done has no calls any more, but a result.
CREATE TABLE bulk_job_batches (
  job_id TEXT NOT NULL REFERENCES bulk_jobs (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  call_ids TEXT NOT NULL,
  done BIGINT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY (job_id, number)
);
CREATE INDEX bulk_job_batches_open ON bulk_job_batches (job_id, number) WHERE done = 0;
)"},
          },
          {"call_retention"}};
}

}  // namespace spindle::tracing
