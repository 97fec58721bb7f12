#include "http/router/paging.h"

#include "base/crypto/crypto.h"
#include "json/escape.h"

namespace spindle::http {
namespace {

constexpr std::string_view kMark = "c1:";

}  // namespace

std::string encodeCursor(std::string_view position) {
  return encodeBase64Url(std::string(kMark) + std::string(position));
}

Result<std::string> decodeCursor(const std::string& cursor) {
  if (cursor.empty()) return std::string();
  const std::optional<std::string> text = decodeBase64Url(cursor);
  if (text && text->starts_with(kMark) && isUtf8(*text) && text->find('\0') == std::string::npos) {
    return text->substr(kMark.size());
  }
  return invalidCursor(cursor);
}

Error invalidCursor(const std::string& cursor, std::string_view part) {
  Violation violation;
  violation.type = "value_error";
  violation.loc = {LocStep(std::string(part)), LocStep("cursor")};
  violation.msg = "Value error, not a cursor of this list";
  violation.input = json::quoted(cursor);
  violation.ctx = R"({"error":{}})";
  return Error::invalid({std::move(violation)});
}

}  // namespace spindle::http
