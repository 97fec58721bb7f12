#include "app/live/live_streams.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/core/mutex.h"

namespace spindle::app {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Time = LiveStream::Time;

/// The results of one round of access checks: many streams have the same user and topics.
class AccessRound {
 public:
  explicit AccessRound(const LivePorts& ports) : ports_(ports) {}

  const Result<bool>& isValid(const http::Principal& caller) {
    // Sessions of a user may share their key id, and end one by one.
    const auto [entry, fresh] =
        valid_.try_emplace({caller.user_id, caller.key_id, caller.session_id}, true);
    if (fresh) entry->second = ports_.is_valid(caller);
    return entry->second;
  }
  const Result<std::string>& scopeOf(const std::string& user_id, const FollowedTopic& topic) {
    const auto [entry, fresh] = scopes_.try_emplace({user_id, textOf(topic)}, std::string());
    if (fresh) entry->second = ports_.authorize(user_id, topic);
    return entry->second;
  }

 private:
  const LivePorts& ports_;
  /// By user, key and session.
  std::map<std::tuple<std::string, std::string, std::string>, Result<bool>> valid_;
  /// By user and topic.
  std::map<std::pair<std::string, std::string>, Result<std::string>> scopes_;
};

/// The numbers of open streams by owner; owners without a stream are not in it.
using Counts = std::map<std::string, std::size_t>;

std::size_t countOf(const Counts& counts, const std::string& owner) {
  const auto found = counts.find(owner);
  return found == counts.end() ? 0 : found->second;
}
void decrement(Counts& counts, const std::string& owner) {
  const auto found = counts.find(owner);
  if (--found->second == 0) counts.erase(found);
}

bool isMissing(const FollowedTopic& topic) { return topic.scope_id.empty(); }

}  // namespace

/// The state that callbacks share. The mutex protects the list; a stream belongs to the thread that
/// runs rounds, which takes no lock while it writes.
class LiveStreams::Core : public std::enable_shared_from_this<LiveStreams::Core> {
 public:
  Core(LivePorts ports, LiveOptions options, MetricRegistry& metrics)
      : ports_(std::move(ports)),
        options_(options),
        open_streams_(metrics.gauge("spindle_live_streams", "Open streams of live changes.")),
        resyncs_(metrics.counter("spindle_live_resyncs_total",
                                 "Streams that had to read the current state again.")) {}

  Result<std::shared_ptr<http::PushedBody>> open(const http::Principal& caller,
                                                 std::vector<FollowedTopic> topics,
                                                 std::string_view last_event_id) {
    // The limits come first: a refused stream costs no access checks.
    TRY(reserve(caller));
    for (FollowedTopic& topic : topics) {
      Result<std::string> scope = ports_.authorize(caller.user_id, topic);
      if (!scope) {
        unreserve(caller);
        return scope.error();
      }
      topic.scope_id = *std::move(scope);
    }
    sealOldChanges();
    auto stream = std::make_shared<LiveStream>(caller, std::move(topics), ports_.changes,
                                               last_event_id, SteadyClock::now());
    std::shared_ptr<http::PushedBody> body = stream->body();
    body->onSpace([core = weak_from_this()] {
      if (const std::shared_ptr<Core> alive = core.lock()) alive->wake();
    });
    const MutexLock lock(mutex_);
    if (!running_) {
      unreserveLocked(caller);
      return stopped();
    }
    streams_.push_back(std::move(stream));
    woken_ = true;
    changed_.notifyAll();
    return body;
  }

  void start() {
    ports_.changes.setListener([core = weak_from_this()] {
      if (const std::shared_ptr<Core> alive = core.lock()) alive->changesArrived();
    });
    const MutexLock lock(mutex_);
    running_ = true;
  }

  void stop() {
    ports_.changes.setListener({});
    const MutexLock lock(mutex_);
    running_ = false;
    changed_.notifyAll();
  }

  std::size_t count() const {
    const MutexLock lock(mutex_);
    return reserved_;
  }

  /// Writes to the streams until stop().
  void run() {
    while (waitForWork()) round();
    const std::vector<std::shared_ptr<LiveStream>> streams = takeAll();
    for (const std::shared_ptr<LiveStream>& stream : streams) stream->close("shutdown");
  }

 private:
  static Error stopped() { return Error::unavailable("The server is stopping."); }

  Result<void> reserve(const http::Principal& caller) {
    const MutexLock lock(mutex_);
    if (!running_) return stopped();
    if (reserved_ >= options_.streams) {
      return Error::unavailable("The server has too many open streams.");
    }
    if (countOf(users_, caller.user_id) >= options_.streams_per_user) {
      return Error(ErrorCode::kRateLimited, "You have too many open streams. Close one first.");
    }
    if (countOf(teams_, caller.shareClass()) >= options_.streams_per_team) {
      return Error(ErrorCode::kRateLimited, "Your team has too many open streams.");
    }
    ++users_[caller.user_id];
    ++teams_[caller.shareClass()];
    ++reserved_;
    open_streams_.set(static_cast<std::int64_t>(reserved_));
    return {};
  }

  void unreserve(const http::Principal& caller) {
    const MutexLock lock(mutex_);
    unreserveLocked(caller);
  }

  void unreserveLocked(const http::Principal& caller) SPINDLE_REQUIRES(mutex_) {
    --reserved_;
    open_streams_.set(static_cast<std::int64_t>(reserved_));
    decrement(users_, caller.user_id);
    decrement(teams_, caller.shareClass());
  }

  /// Without streams nobody seals the log. A new stream must not count the changes of that time.
  void sealOldChanges() {
    const MutexLock lock(mutex_);
    if (!streams_.empty()) return;
    changes_ = false;
    ports_.changes.seal();
  }

  void wake() {
    const MutexLock lock(mutex_);
    woken_ = true;
    changed_.notifyAll();
  }

  void changesArrived() {
    const MutexLock lock(mutex_);
    changes_ = true;
    if (!streams_.empty()) changed_.notifyAll();
  }

  /// Blocks until a round is due. @return false after stop().
  bool waitForWork() {
    const MutexLock lock(mutex_);
    while (running_ && !woken_) {
      if (streams_.empty()) {
        changed_.wait(mutex_);
        continue;
      }
      const Time due = changes_ ? std::min(next_, sealed_at_ + options_.interval) : next_;
      const auto left = due - SteadyClock::now();
      if (left.count() <= 0) break;
      changed_.waitFor(mutex_, left);
    }
    woken_ = false;
    return running_;
  }

  void round() {
    const Time now = SteadyClock::now();
    if (takeChanges(now)) ports_.changes.seal();
    std::vector<std::shared_ptr<LiveStream>> streams = snapshot();
    std::erase_if(streams, [this](const std::shared_ptr<LiveStream>& stream) {
      return stream->abandoned() && remove(stream);
    });
    checkAccess(streams, now);
    Time next = now + options_.check_interval;
    bool has_missing = false;
    for (const std::shared_ptr<LiveStream>& stream : streams) {
      if (stream->deliver(now)) resyncs_.add();
      stream->beat(now);
      // A client that does not read gets no comment; its stream waits for space or a timeout.
      next = std::min(next, std::max(stream->nextBeat(), now + options_.interval));
      const std::vector<FollowedTopic>& topics = stream->topics();
      has_missing = has_missing || std::any_of(topics.begin(), topics.end(), isMissing);
    }
    next = std::min(next, checked_at_ + options_.changed_check_interval);
    if (has_missing) next = std::min(next, missing_checked_at_ + options_.missing_check_interval);
    const MutexLock lock(mutex_);
    next_ = std::max(next, now + std::chrono::milliseconds(1));
  }

  /// Returns true if changes are to be sealed now.
  bool takeChanges(Time now) {
    const MutexLock lock(mutex_);
    if (!changes_ || now < sealed_at_ + options_.interval) return false;
    changes_ = false;
    sealed_at_ = now;
    return true;
  }

  /// Checks all streams in turn at the latest after check_interval, earlier after a change of the
  /// database, and ends those that have lost their access.
  void checkAccess(std::vector<std::shared_ptr<LiveStream>>& streams, Time now) {
    const bool overdue = now >= fully_checked_at_ + options_.check_interval;
    bool all = overdue;
    if (!all && now >= checked_at_ + options_.changed_check_interval) {
      const std::optional<std::uint64_t> token = ports_.change_token();
      all = token && token != token_;
      checked_at_ = now;
    }
    const bool missing = !all && now >= missing_checked_at_ + options_.missing_check_interval;
    if (!all && !missing) return;
    missing_checked_at_ = now;
    if (all) {
      // Read before the checks: a change during them leads to another round.
      token_ = ports_.change_token();
      fully_checked_at_ = now;
      checked_at_ = now;
    }
    AccessRound round(ports_);
    std::erase_if(streams, [&](const std::shared_ptr<LiveStream>& stream) {
      const std::string_view reason = all ? verify(round, *stream, now) : "";
      if (!all) findMissing(round, *stream);
      if (reason.empty()) return false;
      stream->close(reason);
      return remove(stream);
    });
  }

  /// Returns the reason to end the stream, or an empty text.
  std::string_view verify(AccessRound& round, LiveStream& stream, Time now) {
    const Result<bool>& valid = round.isValid(stream.caller());
    bool checked = valid.has_value();
    if (valid && !*valid) return "credential";
    for (FollowedTopic& topic : stream.topics()) {
      const Result<std::string>& scope = round.scopeOf(stream.caller().user_id, topic);
      if (scope) {
        topic.scope_id = *scope;
      } else if (scope.error().code() == ErrorCode::kUnavailable) {
        checked = false;
      } else {
        return "access";
      }
    }
    if (checked) stream.verified_at = now;
    return now - stream.verified_at > options_.check_limit ? "unverified" : "";
  }

  /// Looks up the projects that did not exist when the stream was last checked.
  static void findMissing(AccessRound& round, LiveStream& stream) {
    for (FollowedTopic& topic : stream.topics()) {
      if (!isMissing(topic)) continue;
      if (const Result<std::string>& scope = round.scopeOf(stream.caller().user_id, topic)) {
        topic.scope_id = *scope;
      }
    }
  }

  std::vector<std::shared_ptr<LiveStream>> snapshot() const {
    const MutexLock lock(mutex_);
    return streams_;
  }

  bool remove(const std::shared_ptr<LiveStream>& stream) {
    const MutexLock lock(mutex_);
    if (std::erase(streams_, stream) > 0) unreserveLocked(stream->caller());
    return true;
  }

  std::vector<std::shared_ptr<LiveStream>> takeAll() {
    const MutexLock lock(mutex_);
    for (const std::shared_ptr<LiveStream>& stream : streams_) {
      unreserveLocked(stream->caller());
    }
    return std::exchange(streams_, {});
  }

  const LivePorts ports_;
  const LiveOptions options_;
  Gauge& open_streams_;
  Counter& resyncs_;

  mutable Mutex mutex_;
  Condition changed_;
  std::vector<std::shared_ptr<LiveStream>> streams_ SPINDLE_GUARDED_BY(mutex_);
  Counts users_ SPINDLE_GUARDED_BY(mutex_);
  Counts teams_ SPINDLE_GUARDED_BY(mutex_);              ///< by share class
  std::size_t reserved_ SPINDLE_GUARDED_BY(mutex_) = 0;  ///< open streams and those being opened
  bool running_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool woken_ SPINDLE_GUARDED_BY(mutex_) = false;
  bool changes_ SPINDLE_GUARDED_BY(mutex_) = false;  ///< the log has unsealed changes
  Time sealed_at_ SPINDLE_GUARDED_BY(mutex_) = {};
  Time next_ SPINDLE_GUARDED_BY(mutex_) = {};  ///< of the next heartbeat or check

  // Used by the thread of run() only.
  Time fully_checked_at_ = SteadyClock::now();
  Time checked_at_ = fully_checked_at_;
  Time missing_checked_at_ = fully_checked_at_;
  std::optional<std::uint64_t> token_;
};

LiveStreams::LiveStreams(LivePorts ports, LiveOptions options, MetricRegistry& metrics)
    : core_(std::make_shared<Core>(std::move(ports), options, metrics)) {}

LiveStreams::~LiveStreams() { stop(); }

void LiveStreams::start() {
  core_->start();
  thread_ = std::jthread([core = core_.get()] { core->run(); });
}

void LiveStreams::stop() {
  core_->stop();
  if (thread_.joinable()) thread_.join();
}

Result<std::shared_ptr<http::PushedBody>> LiveStreams::open(const http::Principal& caller,
                                                            std::vector<FollowedTopic> topics,
                                                            std::string_view last_event_id) {
  return core_->open(caller, std::move(topics), last_event_id);
}

std::size_t LiveStreams::count() const { return core_->count(); }

}  // namespace spindle::app
