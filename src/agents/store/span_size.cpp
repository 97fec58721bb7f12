#include "agents/store/span_size.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/store/span_column.h"

namespace spindle::agents {
namespace {

/// Size of a JSON entry without its texts: member names, a number, punctuation.
constexpr std::size_t kEntryBytes = 64;
/// Size of a number or a time, with its tag.
constexpr std::size_t kNumberBytes = 11;
constexpr std::size_t kZeroBytes = 2;

/// Returns the size of a text in the journal: its tag, its length, the text.
std::size_t textBytes(std::size_t size) {
  constexpr std::size_t kLongest = 10;  // bytes of the longest length
  return size + (size < 128 ? kZeroBytes : kLongest + 1);
}

/// Returns an upper bound of the size of the text as a JSON string.
std::size_t quotedBytes(std::string_view text) {
  std::size_t bytes = 2;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool control = byte < 0x20 || byte == 0x7F;
    bytes += control ? 6 : c == '"' || c == '\\' ? 2 : 1;
  }
  return bytes;
}

/// Returns an upper bound of the size of a column's value in the journal.
struct MaxBytes {
  const AgentSpan& span;

  std::size_t operator()(std::string AgentSpan::*member) const {
    return textBytes((span.*member).size());
  }
  std::size_t operator()(std::int64_t AgentSpan::*member) const {
    return span.*member == 0 ? kZeroBytes : kNumberBytes;
  }
  template <class T>
  std::size_t operator()(T AgentSpan::* /*member*/) const {
    return kNumberBytes;
  }
  std::size_t operator()(std::vector<std::string> AgentSpan::*member) const {
    if ((span.*member).empty()) return kZeroBytes;
    std::size_t bytes = kNumberBytes;
    for (const std::string& text : span.*member) bytes += textBytes(text.size());
    return bytes;
  }
  std::size_t operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    if ((span.*member).empty()) return kZeroBytes;
    std::size_t bytes = kNumberBytes;
    for (const SpanMessage& message : span.*member) {
      bytes += kEntryBytes + quotedBytes(message.role) + quotedBytes(message.content) +
               quotedBytes(message.finish_reason);
    }
    return bytes;
  }
};

}  // namespace

std::size_t storedBytes(const AgentSpan& span) {
  constexpr std::size_t kOverhead = 128;  // the record, the maps and the trace hash
  std::size_t bytes = kOverhead + span.trace_id.size() + 1 + span.span_id.size();
  for (const SpanColumn& column : kSpanColumns) bytes += std::visit(MaxBytes{span}, column.member);
  for (const auto& [key, value] : span.custom.strings)
    bytes += kEntryBytes + quotedBytes(key) + quotedBytes(value);
  for (const auto& [key, value] : span.custom.integers) bytes += kEntryBytes + quotedBytes(key);
  for (const auto& [key, value] : span.custom.reals) bytes += kEntryBytes + quotedBytes(key);
  for (const auto& [key, value] : span.custom.booleans) bytes += kEntryBytes + quotedBytes(key);
  return bytes;
}

}  // namespace spindle::agents
