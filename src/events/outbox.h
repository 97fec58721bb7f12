#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "base/core/result.h"
#include "base/core/time.h"
#include "events/event.h"
#include "storage/database/database.h"

namespace spindle::events {

/// The transactional outbox: a change and its events are committed together or not at all, and a
/// consumer that reads the events in order misses none. Thread-safe. All calls block on the
/// database and may return kUnavailable.
class Outbox {
 public:
  Outbox(storage::Database& database, const Clock& clock) : database_(database), clock_(clock) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Runs `work(Session&)` like Database::write(), then wakes the threads that wait for events. Use
  /// it for work that appends events.
  template <class Work>
  auto write(Work&& work) -> std::invoke_result_t<Work&, storage::Session&> {
    auto answer = database_.write(std::forward<Work>(work));
    if (answer.has_value()) wake();
    return answer;
  }

  /// Adds an event to the current transaction. Events of one transaction keep their order.
  /// @return the event's id.
  Result<std::string> append(storage::Session& session, const NewEvent& event) const;

  /// Returns up to `limit` events after a position, in order; position 0 starts at the first event.
  /// This call assigns positions, and only to committed events. Therefore no event ever appears
  /// before a position that was already returned, in whatever order transactions commit. Several
  /// consumers in several processes may read. An empty result means that there are no more events;
  /// after any other result there may be more.
  Result<std::vector<Event>> after(std::int64_t position, int limit);
  /// Does the same inside the caller's transaction (from Database::write()), for a consumer that
  /// stores its results and its position in one transaction.
  static Result<std::vector<Event>> after(storage::Session& session,
                                          std::int64_t position,
                                          int limit);

  /// @return kNotFound.
  Result<Event> find(std::string_view id);

  /// Returns up to `limit` events before a position, the newest first. The list contains only
  /// events that have a position: those that a consumer has read.
  Result<std::vector<Event>> list(const EventFilter& filter, std::int64_t before, int limit);

  /// Deletes one batch of events that are older than `before`. Keeps all events after `position`,
  /// the position that every consumer has reached. @return the number of deleted events.
  Result<std::int64_t> removeOlderThan(Timestamp before, std::int64_t position);

  /// Returns the number of wake() calls and successful write() calls so far.
  std::uint64_t signals() const;
  /// Blocks until signals() differs from `seen` or the time limit expires. Events that other
  /// processes append are noticed only after the limit. Call signals() first, then read, then wait.
  /// @return true if there may be new events.
  bool wait(std::uint64_t seen, std::chrono::milliseconds limit) const;
  /// Ends all current waits.
  void wake();

 private:
  storage::Database& database_;
  const Clock& clock_;
  mutable Mutex mutex_;
  mutable Condition changed_;
  std::uint64_t signals_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::events
