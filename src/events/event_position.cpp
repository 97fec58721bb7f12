#include "events/event_position.h"

#include <optional>
#include <vector>

#include "events/outbox.h"

namespace spindle::events {

Result<std::int64_t> latestPosition(storage::Session& session) {
  while (true) {
    const std::optional<storage::Row> row =
        TRY(session.queryOne("SELECT last FROM event_positions WHERE id = 1"));
    const std::int64_t last = row->integer("last");
    const std::vector<Event> later = TRY(Outbox::after(session, last, 1));
    if (later.empty()) return last;
  }
}

}  // namespace spindle::events
