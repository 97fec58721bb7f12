#include "tracing/routes/call_cursor.h"

#include <optional>

#include "base/crypto/crypto.h"
#include "http/router/paging.h"

namespace spindle::tracing {
namespace {

/// Enough to tell lists apart. A forged cursor shows no call that its sender could not list anyway.
constexpr std::size_t kListDigits = 16;

std::string digestOf(std::string_view list) { return toHex(sha256(list)).substr(0, kListDigits); }

}  // namespace

std::string callCursor(std::string_view list, const query::Position& position) {
  return http::encodeCursor(digestOf(list) + query::positionText(position));
}

Result<query::Position> positionOfCursor(std::string_view list, const std::string& cursor) {
  const Result<std::string> text = http::decodeCursor(cursor);
  if (!text || !text->starts_with(digestOf(list))) return http::invalidCursor(cursor, "body");
  std::optional<query::Position> position =
      query::parsePosition(std::string_view(*text).substr(kListDigits));
  if (!position) return http::invalidCursor(cursor, "body");
  return *std::move(position);
}

}  // namespace spindle::tracing
