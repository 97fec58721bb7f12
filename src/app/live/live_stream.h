#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "http/message/body_stream.h"
#include "http/message/message.h"
#include "live/change_log.h"

namespace spindle::app {

/// A topic that a client follows: `calls:team/project` or `deliveries:team`.
struct FollowedTopic {
  live::Topic topic = live::Topic::kCalls;
  std::string name;      ///< `team/project` or `team`
  std::string scope_id;  ///< empty: the project does not exist yet
  /// The last entry of the change log that the client knows. A topic without a scope keeps its
  /// first position, so that nothing is missed between the creation of the project and its lookup.
  std::uint64_t position = 0;
};

/// Returns `calls:team/project`.
std::string textOf(const FollowedTopic& topic);

inline constexpr std::size_t kMaxTopics = 32;
/// Parses a list such as `calls:acme/support,deliveries:acme`, without duplicates; leaves the scope
/// ids empty. @return kInvalidSchema for an empty list, an unknown topic, a malformed name, or more
/// than kMaxTopics.
Result<std::vector<FollowedTopic>> parseTopics(const std::string& text);

/// One open stream of server-sent events. The buffer is bounded: while the client does not read,
/// the topics stay at their positions in the change log, and continue there later. If the log has
/// forgotten a position, the client gets `resync`. For one thread; only the body is shared, with
/// the session.
class LiveStream {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kBufferBytes = 16UL * 1024;
  static constexpr std::chrono::seconds kHeartbeat{15};

  /// @param last_event_id of the client's previous stream; empty: none
  LiveStream(http::Principal caller,
             std::vector<FollowedTopic> topics,
             const live::ChangeLog& log,
             std::string_view last_event_id,
             Time now);

  /// Writes the changes since the last call, at most one event per topic.
  /// @return true if the client must read the current state again (`resync`).
  bool deliver(Time now);
  /// Writes a comment if nothing was written for kHeartbeat.
  void beat(Time now);
  /// Writes the event `closed` with a reason, if there is room, and ends the stream.
  void close(std::string_view reason);

  /// Returns the time at which beat() has something to do.
  Time nextBeat() const { return sent_at_ + kHeartbeat; }
  /// Returns true if the client has disconnected, or no session holds the body.
  bool abandoned() const { return body_.use_count() == 1 || body_->cancelled(); }

  const http::Principal& caller() const { return caller_; }
  std::vector<FollowedTopic>& topics() { return topics_; }
  const std::shared_ptr<http::PushedBody>& body() const { return body_; }

  Time verified_at;  ///< when access was last checked successfully

 private:
  /// The events after the positions, and the position after them.
  struct Batch {
    std::string events;
    std::uint64_t position = 0;
  };
  std::optional<Batch> batch() const;
  void moveTo(std::uint64_t position);
  bool push(std::string_view text, Time now);

  const http::Principal caller_;
  std::vector<FollowedTopic> topics_;
  const live::ChangeLog& log_;
  const std::shared_ptr<http::PushedBody> body_;
  bool lost_ = false;  ///< a position is unknown: `resync` is due
  Time sent_at_;
};

}  // namespace spindle::app
