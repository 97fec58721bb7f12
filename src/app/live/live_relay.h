#pragma once

#include <cstddef>
#include <map>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/mutex.h"
#include "live/change_log.h"
#include "storage/database/forward.h"

namespace spindle::app {

/// Exchanges recent changes with the other processes that share a PostgreSQL database, so that a
/// client hears of them through any of them. Changes are merged by topic and scope, and sent as
/// messages of the database a few times a second at most. A message is a hint: without the database
/// it is dropped, and readers learn that changes may be missing. Does nothing with SQLite.
class LiveRelay {
 public:
  /// All must outlive this object. `process` identifies this process among all; it has no spaces.
  /// Subscribes to messages: construct it before storage::Database::startListening().
  LiveRelay(storage::Database& database, live::ChangeLog& changes, std::string process);
  /// Calls stop().
  ~LiveRelay();
  LiveRelay(const LiveRelay&) = delete;
  LiveRelay& operator=(const LiveRelay&) = delete;

  void start();
  void stop();

 private:
  using Key = std::pair<live::Topic, std::string>;

  void add(const live::Change& change);
  void receive(std::string_view text);
  void run(const std::stop_token& stop);
  /// Returns the texts of messages with all waiting changes.
  std::vector<std::string> takeMessages();
  void send(const std::vector<std::string>& messages);

  storage::Database& database_;
  live::ChangeLog& changes_;
  const std::string process_;

  Mutex mutex_;
  Condition changed_;
  std::map<Key, live::Change> waiting_ SPINDLE_GUARDED_BY(mutex_);
  bool lost_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< changes that had no room
  bool stopping_ SPINDLE_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace spindle::app
