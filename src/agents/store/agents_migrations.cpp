#include "agents/store/agents_migrations.h"

namespace spindle::agents {

storage::AreaSchema agentsSchema() {
  return {"agents",
          {{1, "ended turns", R"sql(
    -- One row: how often the server has started.
    CREATE TABLE agent_turn_epochs (
      id BIGINT NOT NULL PRIMARY KEY,
      last BIGINT NOT NULL);
    INSERT INTO agent_turn_epochs (id, last) VALUES (1, 0);

    -- Up to which number the turns of a project have been told as events.
    CREATE TABLE agent_turn_positions (
      project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      position BIGINT NOT NULL);
  )sql"},
           {2, "turns of several servers", R"sql(
    -- Turns with an event, for stores that several servers write to.
    CREATE TABLE agent_published_turns (
      project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
      trace_id TEXT NOT NULL,
      span_id TEXT NOT NULL,
      published_at BIGINT NOT NULL,
      PRIMARY KEY (project_id, trace_id, span_id));
    CREATE INDEX agent_published_turns_age ON agent_published_turns (published_at);

    -- One row: up to which time the log of stored turns was read, and by whom it is read.
    CREATE TABLE agent_turn_scans (
      id BIGINT NOT NULL PRIMARY KEY,
      position BIGINT NOT NULL,
      worker TEXT NOT NULL,
      leased_until BIGINT NOT NULL);
    INSERT INTO agent_turn_scans (id, position, worker, leased_until) VALUES (1, 0, '', 0);
  )sql"}}};
}

}  // namespace spindle::agents
