#include "query/position.h"

#include <charconv>
#include <type_traits>
#include <utility>

#include "base/core/paging.h"
#include "json/document.h"
#include "json/writer.h"

namespace spindle::query {
namespace {

/// More values than a list has sort keys: a key inside JSON has three.
constexpr std::size_t kMaxValues = 3 * kMaxSortKeys + 1;

// The first letter of each value tells its type.
constexpr char kNone = 'n';
constexpr char kTextMark = 't';
constexpr char kWhole = 'i';
constexpr char kNumber = 'r';

std::string valueText(const SortValue& value) {
  return std::visit(
      [](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::monostate>) {
          return std::string(1, kNone);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return kTextMark + held;
        } else {
          char digits[64];
          // Without a format, the shortest text that parses to the same number, also for NaN.
          const auto end = std::to_chars(std::begin(digits), std::end(digits), held);
          return (std::is_same_v<Held, double> ? kNumber : kWhole) +
                 std::string(std::begin(digits), end.ptr);
        }
      },
      value);
}

template <class Number>
std::optional<SortValue> numberOf(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return SortValue(number);
}

std::optional<SortValue> valueOf(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string_view rest = text.substr(1);
  switch (text.front()) {
    case kNone:
      return rest.empty() ? std::optional(SortValue()) : std::nullopt;
    case kTextMark:
      return SortValue(std::string(rest));
    case kWhole:
      return numberOf<std::int64_t>(rest);
    case kNumber:
      return numberOf<double>(rest);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string positionText(const Position& position) {
  std::string text;
  json::Writer out(text);
  out.beginArray();
  for (const SortValue& value : position) out.string(valueText(value));
  out.endArray();
  return text;
}

std::optional<Position> parsePosition(std::string_view text) {
  auto parsed = json::Document::parse(std::string(text), 2);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isArray()) return std::nullopt;
  if (document->root().size() > kMaxValues) return std::nullopt;
  Position position;
  for (const json::Node item : document->root()) {
    std::optional<SortValue> value =
        item.isString() ? valueOf(item.text()) : std::optional<SortValue>();
    if (!value) return std::nullopt;
    position.push_back(*std::move(value));
  }
  return position;
}

}  // namespace spindle::query
