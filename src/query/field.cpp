#include "query/field.h"

#include "query/dialect.h"
#include "query/digits.h"

namespace spindle::query {

const Dialect& Fields::dialect() const { return duckDbDialect(); }

Result<std::vector<std::string>> splitPath(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) {
    return Error(ErrorCode::kUnprocessable, "A field path cannot contain a NUL character");
  }
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '\\' && i + 1 < path.size() && path[i + 1] == '.') {
      parts.back() += path[++i];
    } else if (path[i] == '.') {
      parts.emplace_back();
    } else {
      parts.back() += path[i];
    }
  }
  for (const std::string& part : parts) {
    if (part.starts_with('-') && isDigits(std::string_view(part).substr(1))) {
      return Error(ErrorCode::kUnprocessable, "Negative array index " + part +
                                                  " is not allowed in field " + std::string(path));
    }
  }
  return parts;
}

std::string pointerOf(const std::vector<std::string>& path) {
  if (path.empty()) return "$";
  std::string pointer;
  for (const std::string& part : path) {
    pointer += '/';
    for (const char c : part) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return pointer;
}

SqlText pointerSql(const std::vector<std::string>& path) {
  return SqlText::constant(pointerOf(path));
}

}  // namespace spindle::query
