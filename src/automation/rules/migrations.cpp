#include "automation/rules/migrations.h"

namespace spindle::automation {

storage::AreaSchema automationSchema() {
  return {"automation",
          {{1, "secrets, webhooks and automations", R"sql(
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
  )sql"},
           {2, "deliveries", R"sql(
    -- active_since: what happened before is none of the automation's business. rate_at: when its
    -- bucket of deliveries will be full again.
    ALTER TABLE automations ADD COLUMN active_since BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE automations ADD COLUMN rate_at BIGINT;
    ALTER TABLE automations ADD COLUMN registry_id TEXT;
    ALTER TABLE automations ADD COLUMN collection_id TEXT;
    CREATE INDEX automations_of_registry ON automations (registry_id, id);

    -- For how long an endpoint has been failing.
    ALTER TABLE webhooks ADD COLUMN first_failure_at BIGINT;
    ALTER TABLE webhooks ADD COLUMN failures BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE webhooks ADD COLUMN failing_since BIGINT;

    -- One row. dispatched: how far events have been turned into deliveries. generation: changes with
    -- every change of an automation. emptied: how far old bodies have been forgotten.
    CREATE TABLE delivery_state (
      id BIGINT NOT NULL PRIMARY KEY,
      dispatched BIGINT NOT NULL,
      generation BIGINT NOT NULL,
      emptied BIGINT NOT NULL);
    INSERT INTO delivery_state (id, dispatched, generation, emptied) VALUES (1, 0, 0, 0);

    -- Templates by the SHA-256 of their text: many deliveries share one. used_on is a day.
    CREATE TABLE payload_templates (
      digest TEXT PRIMARY KEY,
      text TEXT NOT NULL,
      used_on BIGINT NOT NULL);

    -- Everything a delivery needs is in its row, but for credentials: the log outlives automations,
    -- webhooks and events. event_key is the event, or the change that several events are of.
    -- due_at is when somebody has to look at it: its next attempt, or the end of its lease.
    CREATE TABLE deliveries (
      number {serial_key},
      id TEXT NOT NULL UNIQUE,
      event_key TEXT NOT NULL,
      automation_id TEXT NOT NULL,
      replay BIGINT NOT NULL,
      automation_name TEXT NOT NULL,
      scope_type TEXT NOT NULL,
      team_id TEXT,
      project_id TEXT,
      registry_id TEXT,
      collection_id TEXT,
      event_id TEXT NOT NULL,
      event_type TEXT NOT NULL,
      event_time BIGINT NOT NULL,
      event_author TEXT NOT NULL,
      event_artifact BIGINT,
      event_run TEXT NOT NULL,
      event_data TEXT NOT NULL,
      webhook_id TEXT,
      template TEXT,
      status TEXT NOT NULL,
      due_at BIGINT,
      worker TEXT,
      attempt_count BIGINT NOT NULL,
      round_attempts BIGINT NOT NULL,
      created_at BIGINT NOT NULL,
      finished_at BIGINT,
      error_code TEXT,
      error_message TEXT,
      replay_of TEXT,
      url TEXT,
      request_headers TEXT,
      request_body TEXT,
      body_sha256 TEXT,
      UNIQUE (event_key, automation_id, replay));
    CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, number) WHERE due_at IS NOT NULL;
    CREATE INDEX deliveries_of_automation ON deliveries (automation_id, number);
    CREATE INDEX deliveries_of_webhook ON deliveries (webhook_id, number);

    CREATE TABLE delivery_attempts (
      delivery BIGINT NOT NULL,
      number BIGINT NOT NULL,
      id TEXT NOT NULL,
      started_at BIGINT NOT NULL,
      duration_ms BIGINT NOT NULL,
      remote_ip TEXT,
      response_status BIGINT,
      response_headers TEXT,
      response_body TEXT,
      truncated BIGINT NOT NULL,
      error_code TEXT,
      error_message TEXT,
      PRIMARY KEY (delivery, number));

    -- When an automation last answered a run. state is that of a run, or empty for its metrics.
    CREATE TABLE run_silences (
      automation_id TEXT NOT NULL REFERENCES automations (id) ON DELETE CASCADE,
      project_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      state TEXT NOT NULL,
      fired_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, run_id, automation_id, state));
    CREATE INDEX run_silences_of_automation ON run_silences (automation_id);

    -- The last values of a metric of a run, as many as somebody waits for: a JSON array.
    CREATE TABLE metric_windows (
      project_id TEXT NOT NULL,
      run_id TEXT NOT NULL,
      metric TEXT NOT NULL,
      tail TEXT NOT NULL,
      PRIMARY KEY (project_id, run_id, metric));
  )sql"},
           {3, "events by position", R"sql(
    -- active_after: the position of the newest event when the automation was created, enabled or
    -- changed. Only later ones concern it. In place of a time, which a clock that is set back breaks.
    ALTER TABLE automations ADD COLUMN active_after BIGINT NOT NULL DEFAULT 0;
    ALTER TABLE automations DROP COLUMN active_since;
  )sql"}}};
}

}  // namespace spindle::automation
