#include "inference/catalogue/migrations.h"

namespace spindle::inference {

storage::AreaSchema inferenceSchema() {
  return {"inference",
          {{1, "models, upstreams and limits", R"sql(
    -- How often the catalogue and the limits have changed: who keeps them in memory asks for these.
    CREATE TABLE inference_revisions (
      name TEXT PRIMARY KEY,
      revision BIGINT NOT NULL);
    INSERT INTO inference_revisions (name, revision) VALUES ('catalogue', 1);
    INSERT INTO inference_revisions (name, revision) VALUES ('limits', 1);

    -- sealed: the key for the upstream, bound to its id. Null: it asks for none.
    CREATE TABLE inference_upstreams (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      url TEXT NOT NULL,
      connect_ms BIGINT NOT NULL,
      first_token_ms BIGINT NOT NULL,
      idle_ms BIGINT NOT NULL,
      stream_usage BIGINT NOT NULL,
      health_path TEXT NOT NULL,
      sealed TEXT,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);

    -- abilities: their names, with commas in between.
    CREATE TABLE inference_models (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL UNIQUE,
      file TEXT NOT NULL,
      context BIGINT NOT NULL,
      start_at_boot BIGINT NOT NULL,
      owned_by TEXT NOT NULL,
      abilities TEXT NOT NULL,
      max_output_tokens BIGINT NOT NULL,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);

    -- Without an upstream it is the engine on this machine.
    CREATE TABLE inference_targets (
      model_id TEXT NOT NULL REFERENCES inference_models (id) ON DELETE CASCADE,
      position BIGINT NOT NULL,
      upstream_id TEXT REFERENCES inference_upstreams (id) ON DELETE CASCADE,
      model TEXT NOT NULL,
      tier BIGINT NOT NULL,
      PRIMARY KEY (model_id, position));
    CREATE INDEX inference_targets_of_upstream ON inference_targets (upstream_id);

    CREATE TABLE inference_fallbacks (
      model_id TEXT NOT NULL REFERENCES inference_models (id) ON DELETE CASCADE,
      position BIGINT NOT NULL,
      fallback_id TEXT NOT NULL REFERENCES inference_models (id) ON DELETE CASCADE,
      PRIMARY KEY (model_id, position));
    CREATE INDEX inference_fallbacks_to ON inference_fallbacks (fallback_id);

    -- A model without rows is for every team. A row outlives its team: otherwise a model would be
    -- for everybody once its last team has gone.
    CREATE TABLE inference_model_teams (
      model_id TEXT NOT NULL REFERENCES inference_models (id) ON DELETE CASCADE,
      team_id TEXT NOT NULL,
      PRIMARY KEY (model_id, team_id));

    -- Projects whose completions become calls.
    CREATE TABLE inference_traced_projects (
      project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      updated_at BIGINT NOT NULL);

    -- Of a project or of a key, by the part of the key that is shown. Null: not limited.
    CREATE TABLE inference_limits (
      id TEXT PRIMARY KEY,
      project_id TEXT UNIQUE REFERENCES projects (id) ON DELETE CASCADE,
      key_id TEXT UNIQUE REFERENCES api_keys (key_id) ON DELETE CASCADE,
      concurrency BIGINT,
      requests_per_minute BIGINT,
      tokens_per_minute BIGINT,
      budget_usd DOUBLE PRECISION,
      period TEXT NOT NULL,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL);
  )sql"},
           {2, "quarantined adapters", R"sql(
    -- Adapters that engines do not load: one ended while it used them. id: a digest of the content.
    CREATE TABLE inference_quarantined_adapters (
      id TEXT PRIMARY KEY,
      artifact TEXT NOT NULL,
      model TEXT NOT NULL,
      reason TEXT NOT NULL,
      created_at BIGINT NOT NULL);
  )sql"},
           {3, "adapters of upstreams, Hugging Face folders of models", R"sql(
    ALTER TABLE inference_upstreams ADD COLUMN adapters TEXT NOT NULL DEFAULT 'none';
    ALTER TABLE inference_upstreams ADD COLUMN adapter_path TEXT NOT NULL DEFAULT '';
    ALTER TABLE inference_upstreams ADD COLUMN adapter_receiver TEXT NOT NULL DEFAULT '';
    ALTER TABLE inference_upstreams ADD COLUMN max_adapters BIGINT NOT NULL DEFAULT 8;
    ALTER TABLE inference_upstreams ADD COLUMN adapter_load_ms BIGINT NOT NULL DEFAULT 120000;

    -- Hugging Face folder on the server's machine, for trainers. Empty: none.
    ALTER TABLE inference_models ADD COLUMN folder TEXT NOT NULL DEFAULT '';
  )sql"},
           {4, "budgets of several servers", R"sql(
    -- The cost that was spent in the present period of a budget.
    CREATE TABLE inference_budgets (
      scope TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      period TEXT NOT NULL,
      since BIGINT NOT NULL,
      spent BIGINT NOT NULL,
      PRIMARY KEY (scope, subject_id, period, since));

    -- Parts of budgets that a process of a node may spend. updated_at follows the schedule clock.
    CREATE TABLE inference_budget_parts (
      scope TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      period TEXT NOT NULL,
      since BIGINT NOT NULL,
      node_id TEXT NOT NULL,
      incarnation TEXT NOT NULL,
      amount BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      PRIMARY KEY (scope, subject_id, period, since, node_id, incarnation));
    CREATE INDEX inference_budget_parts_age ON inference_budget_parts (updated_at);

    -- The cost of each node that inference_budgets contains, where each node has its own usage.
    CREATE TABLE inference_budget_nodes (
      scope TEXT NOT NULL,
      subject_id TEXT NOT NULL,
      period TEXT NOT NULL,
      since BIGINT NOT NULL,
      node_id TEXT NOT NULL,
      spent BIGINT NOT NULL,
      PRIMARY KEY (scope, subject_id, period, since, node_id));
  )sql"},
           {5, "model files in the blob store", R"sql(
    -- The name of the blob. Empty: the file is not in the blob store.
    ALTER TABLE inference_models ADD COLUMN file_blob TEXT NOT NULL DEFAULT '';
    ALTER TABLE inference_models ADD COLUMN file_bytes BIGINT NOT NULL DEFAULT 0;
    -- The size of the metadata and the tensor list, at the start of the file.
    ALTER TABLE inference_models ADD COLUMN header_bytes BIGINT NOT NULL DEFAULT 0;
  )sql"}},
          {"inference_revisions", "inference_traced_projects"}};
}

storage::BlobColumn inferenceBlobs() { return {"inference_models", "file_blob"}; }

}  // namespace spindle::inference
