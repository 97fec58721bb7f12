#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "app/live/live_stream.h"
#include "base/core/metrics.h"

namespace spindle::app {

/// The dependencies of LiveStreams. All must outlive it and be thread-safe; the functions may
/// block.
struct LivePorts {
  live::ChangeLog& changes;
  /// Checks that the user may follow the topic. Returns the id of its scope; empty if the project
  /// does not exist yet. @return kNotFound, kPermissionDenied, kUnavailable.
  std::function<Result<std::string>(const std::string& user_id, const FollowedTopic& topic)>
      authorize;
  /// Returns whether the API key or session of the caller is still valid.
  std::function<Result<bool>(const http::Principal& caller)> is_valid;
  /// See storage::Database::changeToken().
  std::function<std::optional<std::uint64_t>()> change_token;
};

struct LiveOptions {
  std::size_t streams = 1000;
  std::size_t streams_per_user = 16;
  std::size_t streams_per_team = 250;       ///< see http::Principal::shareClass()
  std::chrono::milliseconds interval{250};  ///< minimum time between two events of a topic
  /// Checks of access: at the latest, and after a change of the database.
  std::chrono::milliseconds check_interval{20'000};
  std::chrono::milliseconds changed_check_interval{2'000};
  /// For topics whose project does not exist yet.
  std::chrono::milliseconds missing_check_interval{1'000};
  /// A stream whose access cannot be checked for this long ends.
  std::chrono::milliseconds check_limit{60'000};
};

/// The open streams of the server and the thread that writes to them. The thread sleeps while
/// nothing changes; it wakes for changes, heartbeats and checks of access. No other thread is held:
/// a stream is a PushedBody. Thread-safe.
class LiveStreams {
 public:
  LiveStreams(LivePorts ports, LiveOptions options, MetricRegistry& metrics);
  /// Calls stop().
  ~LiveStreams();
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  void start();
  /// Ends all streams with the event `closed`, and the thread. Later streams are refused.
  void stop();

  /// Opens a stream. Blocks on the access checks of its topics.
  /// @return kNotFound, kPermissionDenied; kRateLimited for too many streams of the user or team;
  /// kUnavailable for too many streams of the server, before start() and after stop().
  Result<std::shared_ptr<http::PushedBody>> open(const http::Principal& caller,
                                                 std::vector<FollowedTopic> topics,
                                                 std::string_view last_event_id);

  std::size_t count() const;

 private:
  class Core;
  const std::shared_ptr<Core> core_;  ///< shared with the callbacks of sessions and of the log
  std::jthread thread_;
};

}  // namespace spindle::app
