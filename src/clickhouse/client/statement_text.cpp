#include "clickhouse/client/statement_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "base/core/check.h"

namespace spindle::clickhouse {
namespace {

/// Approximate length of a value that is not a text.
constexpr std::size_t kNumberBytes = 24;

std::string numberText(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 32> digits{};
  const auto [end, failed] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  SPINDLE_ASSERT(failed == std::errc(), "32 characters hold every double");
  return {digits.data(), end};
}

/// Returns the text in the escaped form of tab-separated values, in which ClickHouse reads the
/// values of parameters.
std::string escapedText(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '\\':
        escaped += "\\\\";
        break;
      case '\t':
        escaped += "\\t";
        break;
      case '\n':
        escaped += "\\n";
        break;
      case '\r':
        escaped += "\\r";
        break;
      case '\0':
        escaped += "\\0";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

void addHex(std::string& out, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += "unhex('";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  out += "')";
}

/// Appends the value as an expression of constants. Texts are written in hexadecimal, so that no
/// character of a caller is part of the statement.
struct AddConstant {
  std::string& out;

  void operator()(std::monostate /*null*/) const { out += "NULL"; }
  void operator()(std::int64_t number) const { out += "toInt64(" + std::to_string(number) + ")"; }
  void operator()(double number) const { out += "toFloat64('" + numberText(number) + "')"; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(Timestamp time) const {
    out += "fromUnixTimestamp64Micro(toInt64(" + std::to_string(microsOf(time)) + "), 'UTC')";
  }
  void operator()(const std::string& text) const { addHex(out, text); }
  void operator()(const std::vector<std::string>& texts) const {
    out += "CAST([";
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (i > 0) out += ", ";
      addHex(out, texts[i]);
    }
    out += "], 'Array(String)')";
  }
};

/// Appends the placeholder of the value to the text, and its URL field to the statement.
struct AddField {
  StatementText& statement;

  void operator()(std::monostate /*null*/) const { statement.text += "NULL"; }
  void operator()(std::int64_t number) const { add("Int64", std::to_string(number)); }
  void operator()(double number) const { add("Float64", numberText(number)); }
  void operator()(bool truth) const { add("Bool", truth ? "true" : "false"); }
  void operator()(Timestamp time) const {
    statement.text += "fromUnixTimestamp64Micro(";
    add("Int64", std::to_string(microsOf(time)));
    statement.text += ", 'UTC')";
  }
  void operator()(const std::string& text) const { add("String", escapedText(text)); }
  void operator()(const std::vector<std::string>& texts) const {
    AddConstant{statement.text}(texts);
  }

 private:
  void add(std::string_view type, std::string value) const {
    const std::string name = "p" + std::to_string(statement.fields.size());
    statement.text.append("{").append(name).append(":").append(type).append("}");
    statement.fields.emplace_back("param_" + name, std::move(value));
  }
};

std::size_t fieldBytes(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return text->size() + kNumberBytes;
  return std::holds_alternative<std::vector<std::string>>(value) ? 0 : kNumberBytes;
}

std::size_t constantBytes(const Value& value) {
  constexpr std::size_t kAround = 16;
  if (const auto* text = std::get_if<std::string>(&value)) return 2 * text->size() + kAround;
  std::size_t bytes = kNumberBytes + kAround;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    for (const std::string& text : *texts) bytes += 2 * text.size() + kAround;
  }
  return bytes;
}

/// Returns the end of the quoted part that starts at `at`. ClickHouse accepts both a backslash and
/// a doubled quote inside of quotes.
std::size_t endOfQuotes(std::string_view sql, std::size_t at) {
  const char quote = sql[at];
  for (std::size_t i = at + 1; i < sql.size(); ++i) {
    if (sql[i] == '\\') {
      ++i;
    } else if (sql[i] == quote) {
      return i + 1;
    }
  }
  return sql.size();
}

}  // namespace

Result<StatementText> statementText(SqlView sql, const std::vector<Value>& params) {
  std::size_t as_fields = 0;
  std::size_t as_constants = sql.size();
  for (const Value& value : params) {
    as_fields += fieldBytes(value);
    as_constants += constantBytes(value);
  }
  if (as_constants > kMaxStatementBytes)
    return Error(ErrorCode::kTooLarge, "The query is too large for the trace store.");
  StatementText statement;
  std::size_t next = 0;
  const std::string_view text = sql.text();
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '\'' || c == '"' || c == '`') {
      const std::size_t end = endOfQuotes(text, i);
      statement.text.append(text.substr(i, end - i));
      i = end;
      continue;
    }
    ++i;
    if (c != '?') {
      statement.text += c;
      continue;
    }
    SPINDLE_ASSERT(next < params.size(), "a statement has as many parameters as question marks");
    if (as_fields > kMaxFieldBytes) {
      std::visit(AddConstant{statement.text}, params[next++]);
    } else {
      std::visit(AddField{statement}, params[next++]);
    }
  }
  SPINDLE_ASSERT(next == params.size(), "a statement has as many parameters as question marks");
  return statement;
}

}  // namespace spindle::clickhouse
