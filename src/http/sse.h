#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace spindle::http {

/// One server-sent event.
struct ServerSentEvent {
  std::string event;  ///< empty: `message`
  std::string id;     ///< empty: none
  std::string data;   ///< any number of lines
  std::optional<std::chrono::milliseconds> retry;
};

/// The event as it goes over the wire, with its closing empty line. Line ends inside `event` and
/// `id` are left out, since they would begin another field.
std::string formatEvent(const ServerSentEvent& event);
/// An event of data alone: `data: …`.
std::string formatEvent(std::string_view data);
/// A comment, which clients skip: keeps proxies from closing a quiet stream.
std::string formatComment(std::string_view text = {});

/// Reads a stream of events, cut anywhere, as browsers do (WHATWG HTML §9.2.6): lines end with LF,
/// CR or CRLF, a byte order mark in front is skipped, comments and unknown fields are ignored, and
/// an event that its stream does not finish is dropped. One thread at a time.
class EventParser {
 public:
  explicit EventParser(std::size_t event_limit = 16UL * 1024 * 1024) : event_limit_(event_limit) {}

  /// Appends the events that `bytes` completes. @return kTooLarge when one event holds more than
  /// the limit; the parser is then of no more use.
  Result<void> feed(std::string_view bytes, std::vector<ServerSentEvent>& events);

  /// The id of the last event that had one, for Last-Event-ID when connecting again.
  const std::string& lastEventId() const { return last_event_id_; }

 private:
  bool takeLine(std::string_view& bytes);
  void readLine(std::vector<ServerSentEvent>& events);

  const std::size_t event_limit_;
  std::string line_;
  ServerSentEvent event_;
  bool has_data_ = false;
  bool at_start_ = true;       // a byte order mark may still come
  bool skip_newline_ = false;  // the last byte was CR: an LF belongs to it
  std::string last_event_id_;
};

}  // namespace spindle::http
