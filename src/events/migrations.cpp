#include "events/migrations.h"

namespace spindle::events {

storage::AreaSchema eventsSchema() {
  return {"events",
          {{1, "outbox", R"sql(
    -- `appended` follows the order of writing, in which transactions need not commit; `position`
    -- is given when an event is first read, and has no gaps.
    CREATE TABLE events (
      appended {serial_key},
      position BIGINT UNIQUE,
      id TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL,
      team_id TEXT NOT NULL,
      project_id TEXT NOT NULL,
      registry_id TEXT NOT NULL,
      collection_id TEXT NOT NULL,
      artifact_id BIGINT,
      run_id TEXT NOT NULL,
      author_id TEXT NOT NULL,
      author TEXT NOT NULL,
      change_id TEXT NOT NULL,
      data TEXT NOT NULL,
      created_at BIGINT NOT NULL);

    CREATE INDEX events_new ON events (appended) WHERE position IS NULL;
    CREATE INDEX events_age ON events (created_at);

    -- One row: the last position that was given. Positions outlive the events that had them.
    CREATE TABLE event_positions (
      id BIGINT NOT NULL PRIMARY KEY,
      last BIGINT NOT NULL);
    INSERT INTO event_positions (id, last) VALUES (1, 0);
  )sql"},
           {2, "views for other areas", R"sql(
    CREATE VIEW published_events AS SELECT id, change_id FROM events;
  )sql"}},
          {},
          {"events"}};
}

}  // namespace spindle::events
