#include "events/event_position.h"

#include <optional>
#include <vector>

#include "events/outbox.h"

namespace spindle::events {

Result<std::int64_t> latestPosition(storage::Session& session) {
  while (true) {
    const Result<std::optional<storage::Row>> row =
        session.queryOne("SELECT last FROM event_positions WHERE id = 1");
    if (!row) return row.error();
    const std::int64_t last = (*row)->integer("last");
    const Result<std::vector<Event>> later = Outbox::after(session, last, 1);
    if (!later) return later.error();
    if (later->empty()) return last;
  }
}

}  // namespace spindle::events
