#include "http/message/sse.h"

#include <charconv>

namespace spindle::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Writes one line per line of the text. `\r\n`, `\r` and `\n` end a line, as in EventParser.
void addLines(std::string& out, std::string_view prefix, std::string_view text) {
  while (true) {
    const std::size_t end = text.find_first_of("\r\n");
    out += prefix;
    out += text.substr(0, end);
    out += '\n';
    if (end == std::string_view::npos) return;
    const bool is_pair = text.substr(end, 2) == "\r\n";
    text.remove_prefix(end + (is_pair ? 2 : 1));
  }
}

void addField(std::string& out, std::string_view prefix, std::string_view value) {
  out += prefix;
  for (const char c : value) {
    if (c != '\r' && c != '\n' && c != '\0') out += c;
  }
  out += '\n';
}

}  // namespace

std::string formatEvent(const ServerSentEvent& event) {
  std::string out;
  out.reserve(event.data.size() + event.event.size() + event.id.size() + 64);
  if (!event.event.empty()) addField(out, "event: ", event.event);
  if (!event.id.empty()) addField(out, "id: ", event.id);
  if (event.retry) out += "retry: " + std::to_string(event.retry->count()) + "\n";
  addLines(out, "data: ", event.data);
  out += '\n';
  return out;
}

std::string formatEvent(std::string_view data) {
  std::string out;
  out.reserve(data.size() + 16);
  addLines(out, "data: ", data);
  out += '\n';
  return out;
}

std::string formatComment(std::string_view text) {
  std::string out;
  addLines(out, text.empty() ? ":" : ": ", text);
  out += '\n';
  return out;
}

Result<void> EventParser::feed(std::string_view bytes, std::vector<ServerSentEvent>& events) {
  while (!bytes.empty()) {
    const bool is_whole = takeLine(bytes);
    if (line_.size() + event_.data.size() > event_limit_) {
      return Error(ErrorCode::kTooLarge,
                   "An event has more than " + std::to_string(event_limit_) + " bytes.");
    }
    if (is_whole) readLine(events);
  }
  return {};
}

/// Moves bytes into line_ up to the end of the line. Returns false if the bytes end first.
bool EventParser::takeLine(std::string_view& bytes) {
  if (skip_newline_ && bytes.front() == '\n') bytes.remove_prefix(1);
  skip_newline_ = false;
  if (bytes.empty()) return false;
  const std::size_t end = bytes.find_first_of("\r\n");
  line_ += bytes.substr(0, end);
  if (end == std::string_view::npos) {
    bytes = {};
    return false;
  }
  skip_newline_ = bytes[end] == '\r';
  bytes.remove_prefix(end + 1);
  return true;
}

void EventParser::readLine(std::vector<ServerSentEvent>& events) {
  std::string_view line = line_;
  if (at_start_ && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    line.remove_prefix(kByteOrderMark.size());
  }
  at_start_ = false;

  if (line.empty()) {
    if (has_data_) {
      event_.data.pop_back();  // remove the line end of the last data line
      event_.id = last_event_id_;
      events.push_back(std::move(event_));
    }
    event_ = ServerSentEvent();
    has_data_ = false;
  } else if (line.front() != ':') {
    const std::size_t colon = line.find(':');
    const std::string_view field = line.substr(0, colon);
    std::string_view value = colon == std::string_view::npos ? "" : line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    if (field == "data") {
      event_.data += value;
      event_.data += '\n';
      has_data_ = true;
    } else if (field == "event") {
      event_.event = value;
    } else if (field == "id" && value.find('\0') == std::string_view::npos) {
      last_event_id_ = value;
    } else if (field == "retry") {
      unsigned long long number = 0;
      const char* last = value.data() + value.size();
      const auto [end, fault] = std::from_chars(value.data(), last, number);
      if (fault == std::errc() && end == last && number <= 86400000ULL) {
        event_.retry = std::chrono::milliseconds(number);
      }
    }
  }
  line_.clear();
}

}  // namespace spindle::http
