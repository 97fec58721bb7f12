#include "tracing/routes/call_cursor.h"

#include <optional>

#include "base/crypto/crypto.h"
#include "http/router/paging.h"
#include "json/escape.h"

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
  if (!text || !text->starts_with(digestOf(list))) return invalidCallCursor(cursor);
  std::optional<query::Position> position =
      query::parsePosition(std::string_view(*text).substr(kListDigits));
  if (!position) return invalidCallCursor(cursor);
  return *std::move(position);
}

Error invalidCallCursor(const std::string& cursor) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep("body"), LocStep("cursor")};
  violation.msg = "Value error, not a cursor of this list";
  violation.input = json::quoted(cursor);
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

}  // namespace spindle::tracing
