#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace spindle::http {

/// One server-sent event.
struct ServerSentEvent {
  std::string event;  ///< empty: `message`
  std::string id;     ///< empty: none
  std::string data;   ///< any number of lines
  std::optional<std::chrono::milliseconds> retry;
};

/// Returns the event in wire format, with its closing empty line. Omits line ends inside `event`
/// and `id`, because they would start another field.
std::string formatEvent(const ServerSentEvent& event);
/// Returns an event with data only: `data: …`.
std::string formatEvent(std::string_view data);
/// Returns a comment, which clients ignore. Prevents proxies from closing an idle stream.
std::string formatComment(std::string_view text = {});

/// Incremental parser of an event stream, with the rules of browsers (WHATWG HTML §9.2.6): lines
/// end with LF, CR or CRLF; a leading byte order mark is skipped; comments and unknown fields are
/// ignored; an incomplete last event is discarded. Accepts reads of any size. One thread at a time.
class EventParser {
 public:
  explicit EventParser(std::size_t event_limit = 16UL * 1024 * 1024) : event_limit_(event_limit) {}

  /// Appends the events that `bytes` completes. @return kTooLarge if an event exceeds the limit;
  /// the parser must not be used afterwards.
  Result<void> feed(std::string_view bytes, std::vector<ServerSentEvent>& events);

  /// Returns the id of the last event with an id, for Last-Event-ID after a reconnect.
  const std::string& lastEventId() const { return last_event_id_; }

 private:
  bool takeLine(std::string_view& bytes);
  void readLine(std::vector<ServerSentEvent>& events);

  const std::size_t event_limit_;
  std::string line_;
  ServerSentEvent event_;
  bool has_data_ = false;
  bool at_start_ = true;       // a byte order mark may follow
  bool skip_newline_ = false;  // the last byte was CR: a following LF belongs to it
  std::string last_event_id_;
};

}  // namespace spindle::http
