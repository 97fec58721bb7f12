#include "training/jobs/migrations.h"

namespace spindle::training {

storage::AreaSchema trainingSchema() {
  return {"training",
          {{1, "models, their checkpoints, jobs and their events", R"sql(
    CREATE TABLE training_models (
      id TEXT PRIMARY KEY,
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      base_model TEXT NOT NULL,
      run_id TEXT,
      step BIGINT NOT NULL,
      creator_id TEXT NOT NULL,
      creator TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE (project_id, name));

    CREATE TABLE training_checkpoints (
      id TEXT PRIMARY KEY,
      model_id TEXT NOT NULL REFERENCES training_models (id) ON DELETE CASCADE,
      step BIGINT NOT NULL,
      version_id BIGINT NOT NULL,
      metrics TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      UNIQUE (model_id, step));

    -- Jobs outlive their model: clients go on reading what became of them.
    CREATE TABLE training_jobs (
      position {serial_key},
      id TEXT NOT NULL UNIQUE,
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      model_id TEXT NOT NULL,
      model TEXT NOT NULL,
      base_model TEXT NOT NULL,
      run_id TEXT,
      kind TEXT NOT NULL,
      status TEXT NOT NULL,
      error_message TEXT,
      config TEXT NOT NULL,
      data_url TEXT NOT NULL,
      data_blob TEXT,
      data_team TEXT NOT NULL,
      data_digest TEXT NOT NULL,
      data_size BIGINT NOT NULL,
      data_count BIGINT,
      steps_expected BIGINT,
      step BIGINT,
      last_sequence BIGINT NOT NULL,
      state_blob TEXT,
      state_sequence BIGINT,
      state_size BIGINT,
      tries BIGINT NOT NULL,
      estimated_end BIGINT,
      training_start BIGINT,
      training_end BIGINT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      creator_id TEXT NOT NULL,
      creator TEXT NOT NULL);
    CREATE INDEX training_jobs_of_project ON training_jobs (project_id, position);
    CREATE INDEX training_jobs_of_model ON training_jobs (model_id, position);
    CREATE INDEX training_jobs_data ON training_jobs (data_blob) WHERE data_blob IS NOT NULL;
    CREATE INDEX training_jobs_state ON training_jobs (state_blob) WHERE state_blob IS NOT NULL;

    CREATE TABLE training_events (
      job_id TEXT NOT NULL REFERENCES training_jobs (id) ON DELETE CASCADE,
      sequence BIGINT NOT NULL,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      data TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      PRIMARY KEY (job_id, sequence));

    -- What a trainer has brought, until it becomes a version.
    CREATE TABLE training_files (
      job_id TEXT NOT NULL REFERENCES training_jobs (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      blob TEXT NOT NULL,
      md5 TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      PRIMARY KEY (job_id, name));
    CREATE INDEX training_files_blob ON training_files (blob);

    CREATE TABLE training_logs (
      id TEXT PRIMARY KEY,
      model_id TEXT NOT NULL REFERENCES training_models (id) ON DELETE CASCADE,
      split TEXT NOT NULL,
      step BIGINT NOT NULL,
      blob TEXT NOT NULL,
      size_bytes BIGINT NOT NULL,
      metrics TEXT NOT NULL,
      created_at BIGINT NOT NULL);
    CREATE INDEX training_logs_of_model ON training_logs (model_id, step);
    CREATE INDEX training_logs_blob ON training_logs (blob);
  )sql"},
           {2, "notes on jobs; data of jobs that are over is not kept", R"sql(
    ALTER TABLE training_jobs ADD COLUMN note TEXT;
    UPDATE training_jobs SET data_blob = NULL WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED');
  )sql"},
           {3, "resources of jobs", R"sql(
    ALTER TABLE training_jobs ADD COLUMN resources TEXT NOT NULL DEFAULT '{}';
  )sql"}}};
}

std::vector<storage::BlobColumn> trainingBlobs() {
  return {{"training_jobs", "data_blob"},
          {"training_jobs", "state_blob"},
          {"training_files", "blob"},
          {"training_logs", "blob"}};
}

}  // namespace spindle::training
