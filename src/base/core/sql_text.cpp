#include "base/core/sql_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/core/ascii.h"
#include "base/core/check.h"

namespace spindle {
namespace {

bool isPlain(char c) {
  return isLetterOrDigit(c) || std::string_view("_/~$.-").find(c) != std::string_view::npos;
}

}  // namespace

SqlText SqlText::real(double number) {
  if (!std::isfinite(number)) return SqlText("NULL");
  std::array<char, 32> digits{};
  const auto [end, failed] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  SPINDLE_ASSERT(failed == std::errc(), "32 characters hold every double");
  return SqlText(Made{}, std::string(digits.data(), end));
}

std::optional<SqlText> SqlText::identifier(std::string_view name) {
  if (!SqlName::isName(name)) return std::nullopt;
  std::string quoted = "\"";
  quoted.append(name).append("\"");
  return SqlText(Made{}, std::move(quoted));
}

SqlText SqlText::constant(std::string_view text) {
  std::string sql;
  if (std::all_of(text.begin(), text.end(), isPlain)) {
    sql.append("'").append(text).append("'");
    return SqlText(Made{}, std::move(sql));
  }
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  sql = "decode(unhex('";
  sql.reserve(sql.size() + 2 * text.size() + 3);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    sql += kDigits[byte / 16];
    sql += kDigits[byte % 16];
  }
  sql += "'))";
  return SqlText(Made{}, std::move(sql));
}

std::optional<SqlText> SqlText::fileName(std::string_view path) {
  if (path.find('\0') != std::string_view::npos) return std::nullopt;
  std::string quoted = "'";
  for (const char c : path) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  quoted += '\'';
  return SqlText(Made{}, std::move(quoted));
}

}  // namespace spindle
