#include "agents/store/agents_migrations.h"

namespace spindle::agents {

storage::AreaSchema agentsSchema() {
  return {"agents", {{1, "ended turns", R"sql(
    -- One row: how often the server has started.
    CREATE TABLE agent_turn_epochs (
      id BIGINT NOT NULL PRIMARY KEY,
      last BIGINT NOT NULL);
    INSERT INTO agent_turn_epochs (id, last) VALUES (1, 0);

    -- Up to which number the turns of a project have been told as events.
    CREATE TABLE agent_turn_positions (
      project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
      position BIGINT NOT NULL);
  )sql"}}};
}

}  // namespace spindle::agents
