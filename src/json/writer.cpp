#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "json/escape.h"

namespace spindle::json {

void Writer::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

Writer& Writer::begin(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}
Writer& Writer::end(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}
Writer& Writer::beginObject() { return begin('{'); }
Writer& Writer::endObject() { return end('}'); }
Writer& Writer::beginArray() { return begin('['); }
Writer& Writer::endArray() { return end(']'); }
Writer& Writer::key(std::string_view name) {
  separate();
  appendQuoted(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

Writer& Writer::null() { return raw("null"); }
Writer& Writer::boolean(bool value) { return raw(value ? "true" : "false"); }
Writer& Writer::integer(std::int64_t value) {
  std::array<char, 24> buffer{};
  const auto [end, failed] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return raw({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}
Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();
  return raw(shortestNumber(value));
}
Writer& Writer::string(std::string_view value) {
  separate();
  appendQuoted(out_, value);
  return *this;
}
Writer& Writer::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

std::string compact(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  bool quoted_text = false;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char c = json[at];
    if (quoted_text) {
      out += c;
      if (c == '\\') {
        out += json[++at];
      } else if (c == '"') {
        quoted_text = false;
      }
      continue;
    }
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    quoted_text = c == '"';
    out += c;
  }
  return out;
}

std::string shortestNumber(double value) {
  std::array<char, 32> buffer{};
  const auto [end, failed] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                           std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const char* const exponent_begin = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent_begin, text.data() + text.size(), exponent);
  const bool negative = text[0] == '-';
  std::string digits;
  for (const char c : text.substr(negative ? 1 : 0, e - (negative ? 1 : 0))) {
    if (c != '.') digits += c;
  }
  std::string out = negative ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1);
    out += exponent < 0 ? "e-" : "e+";
    const std::string power = std::to_string(std::abs(exponent));
    return out.append(power.size() < 2 ? "0" : "").append(power);
  }
  if (exponent < 0) {
    return out.append("0.").append(static_cast<std::size_t>(-exponent - 1), '0').append(digits);
  }
  if (count <= exponent + 1) {
    return out.append(digits)
        .append(static_cast<std::size_t>(exponent + 1 - count), '0')
        .append(".0");
  }
  return out.append(digits, 0, static_cast<std::size_t>(exponent) + 1)
      .append(".")
      .append(digits, static_cast<std::size_t>(exponent) + 1);
}

}  // namespace spindle::json
