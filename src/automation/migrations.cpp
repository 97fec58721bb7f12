#include "automation/migrations.h"

namespace spindle::automation {

storage::AreaSchema automationSchema() {
  return {"automation", {{1, "secrets, webhooks and automations", R"sql(
    -- Values are sealed under the key named key_id; a value is bound to its team, name and version.
    -- After a rotation the value before stays until previous_until, for a second signature.
    CREATE TABLE secrets (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      version BIGINT NOT NULL,
      key_id TEXT NOT NULL,
      sealed TEXT NOT NULL,
      previous_sealed TEXT,
      previous_until BIGINT,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (team_id, name));
    CREATE INDEX secrets_rotated ON secrets (previous_until);

    -- Secrets are named, not linked: one that was removed by force is missing until it is made anew.
    CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      team_id TEXT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
      name TEXT NOT NULL,
      url_endpoint TEXT NOT NULL,
      access_token_ref TEXT,
      secret_ref TEXT,
      max_concurrency BIGINT NOT NULL,
      status TEXT NOT NULL,
      disabled_reason TEXT,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL,
      UNIQUE (team_id, name));

    -- A webhook in use cannot be removed, except with its team: then the automation has none left.
    CREATE TABLE automations (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      description TEXT,
      enabled BIGINT NOT NULL,
      scope_type TEXT NOT NULL,
      team_id TEXT REFERENCES teams (id) ON DELETE CASCADE,
      project_id TEXT REFERENCES projects (id) ON DELETE CASCADE,
      event_type TEXT NOT NULL,
      event TEXT NOT NULL,
      action_type TEXT NOT NULL,
      webhook_id TEXT REFERENCES webhooks (id) ON DELETE SET NULL,
      preset TEXT,
      payload TEXT,
      created_by TEXT,
      version BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      updated_at BIGINT,
      last_executed_at BIGINT);
    CREATE UNIQUE INDEX automations_by_name ON automations (coalesce(team_id, ''), name);
    CREATE INDEX automations_of_project ON automations (project_id, id);
    CREATE INDEX automations_of_webhook ON automations (webhook_id);
  )sql"}}};
}

}  // namespace spindle::automation
