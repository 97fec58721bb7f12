#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/mutex.h"
#include "base/core/time.h"
#include "live/topic.h"

namespace spindle::live {

/// Committed changes of one topic in one scope.
struct Change {
  Topic topic = Topic::kCalls;
  std::string scope_id;    ///< see Topic
  std::int64_t count = 0;  ///< changed records; a record that changed twice counts twice
  Timestamp newest = {};   ///< the greatest time of the changed records
};

/// The recent changes of this process, in memory. Areas publish a change after its commit; one
/// consumer seals the published changes and reads them in order. Changes of one topic and scope
/// that are published between two seals become one entry.
///
/// The log is a hint and not a record: it forgets the oldest entries beyond its capacity, and
/// everything when the process ends. It contains the changes of other processes as far as somebody
/// adds them. A reader whose position is too old learns that, and reads the current state instead.
/// Thread-safe; no call blocks. The memory is bounded by the capacity.
class ChangeLog {
 public:
  static constexpr std::size_t kDefaultCapacity = 8192;

  /// @param capacity maximum number of entries, and of scopes between two seals
  explicit ChangeLog(std::size_t capacity = kDefaultCapacity);
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;

  /// Adds a change that is committed. Call it without a lock: it may call the listener.
  void publish(Topic topic, std::string_view scope_id, std::int64_t count, Timestamp newest);

  /// Adds a change of another process.
  void addRemote(const Change& change);
  /// Forgets every entry, because changes of other processes may be missing: all readers learn
  /// that.
  void loseRemote();

  /// Sets the function that gets every change of this process, on the thread of the publisher. It
  /// must not block, and may still run after it was replaced.
  void setForwarder(std::function<void(const Change&)> forwarder);

  /// Sets the function that is called after the first publish() since the last seal(). It is called
  /// on the thread of the publisher, must not block, and may still run after it was replaced.
  void setListener(std::function<void()> listener);

  /// Numbers the published changes, so that visitAfter() returns them.
  void seal();

  /// Returns the number of the last entry; 0 for an empty log.
  std::uint64_t last() const;

  using Visit = std::function<void(std::uint64_t number, const Change& change)>;
  /// Calls `visit` for every entry after a number, in order, under the lock.
  /// @return the number of the last entry; nothing, without a call, if entries after this number
  /// were forgotten or the number is not one of this log.
  std::optional<std::uint64_t> visitAfter(std::uint64_t number, const Visit& visit) const;

  /// Returns a text that identifies this log among those of all processes.
  const std::string& epoch() const { return epoch_; }

 private:
  struct Pending {
    std::int64_t count = 0;
    Timestamp newest = {};
  };
  using Key = std::pair<Topic, std::string>;
  struct KeyLess {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      if (a.first != b.first) return a.first < b.first;
      return std::string_view(a.second) < std::string_view(b.second);
    }
  };

  using Listener = std::shared_ptr<const std::function<void()>>;
  /// Merges a change. @return the listener to call without the lock; may be null.
  Listener merge(const Change& change) SPINDLE_REQUIRES(mutex_);
  void forgetAll() SPINDLE_REQUIRES(mutex_);

  const std::size_t capacity_;
  const std::string epoch_;
  mutable Mutex mutex_;
  std::map<Key, Pending, KeyLess> pending_ SPINDLE_GUARDED_BY(mutex_);
  bool overflowed_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< pending_ had no room for a change
  std::deque<Change> entries_ SPINDLE_GUARDED_BY(mutex_);
  std::uint64_t last_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< number of entries_.back()
  Listener listener_ SPINDLE_GUARDED_BY(mutex_);
  std::shared_ptr<const std::function<void(const Change&)>> forwarder_ SPINDLE_GUARDED_BY(mutex_);
};

}  // namespace spindle::live
