#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "base/time.h"
#include "events/event.h"
#include "storage/database.h"

namespace spindle::events {

/// The transactional outbox: a change and the events it raises are committed together or not at
/// all, and whoever follows the events misses none. Thread-safe; calls block on the database and
/// every one may return kUnavailable.
class Outbox {
 public:
  Outbox(storage::Database& database, const Clock& clock) : database_(database), clock_(clock) {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Runs `work(Session&)` as Database::write() does, and then wakes those who wait for events.
  /// For work that appends some.
  template <class Work>
  auto write(Work&& work) -> std::invoke_result_t<Work&, storage::Session&> {
    auto answer = database_.write(std::forward<Work>(work));
    if (answer.has_value()) wake();
    return answer;
  }

  /// Adds an event to the transaction in progress. Within one transaction the order stays.
  /// @return its id.
  Result<std::string> append(storage::Session& session, const NewEvent& event) const;

  /// Up to `limit` events behind a position, in order; 0 for the first. Whatever order transactions
  /// commit in, an event never appears behind a position that was returned before: positions are
  /// given here, to what is committed. Several may read, in several processes. There may be more
  /// when any came; there are no more when none came.
  Result<std::vector<Event>> after(std::int64_t position, int limit);
  /// The same inside a transaction of the caller's (from Database::write()), for one who notes what
  /// the events lead to and how far it has come, together.
  static Result<std::vector<Event>> after(storage::Session& session,
                                          std::int64_t position,
                                          int limit);

  /// @return kNotFound.
  Result<Event> find(std::string_view id);

  /// Up to `limit` events before a position, the newest first. An event is listed once it has a
  /// position: when a follower has first seen it.
  Result<std::vector<Event>> list(const EventFilter& filter, std::int64_t before, int limit);

  /// Removes events older than `before`, none behind `position` (how far every follower has come),
  /// a moderate number at a time. @return how many.
  Result<std::int64_t> forget(Timestamp before, std::int64_t position);

  /// Counts the times that there may have been something new.
  std::uint64_t signals() const;
  /// Waits until signals() is no longer `seen`, or the time is up: what other processes append is
  /// noticed only then. Ask for signals() first, then read, then wait.
  /// @return true when there may be something new.
  bool wait(std::uint64_t seen, std::chrono::milliseconds limit) const;
  /// Ends every wait in progress.
  void wake();

 private:
  storage::Database& database_;
  const Clock& clock_;
  mutable Mutex mutex_;
  mutable Condition changed_;
  std::uint64_t signals_ SPINDLE_GUARDED_BY(mutex_) = 0;
};

}  // namespace spindle::events
