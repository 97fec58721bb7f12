#include "json/syntax_error.h"

#include <vector>

#include <simdjson.h>

#include "base/core/utf8.h"
#include "json/character.h"

namespace spindle::json {
namespace {

/// Checks the JSON grammar byte by byte and stops at the first error.
class Checker {
 public:
  Checker(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

  SyntaxError run() {
    skipSpace();
    if (value()) {
      finishContainers();
      skipSpace();
      if (!failed() && at_ < text_.size()) fail(at_, "Extra data");
    }
    if (!failed()) fail(text_.size(), "Expecting value");
    return {charactersIn(text_.substr(0, where_)), std::string(what_)};
  }

 private:
  bool failed() const { return !what_.empty(); }
  bool fail(std::size_t where, std::string_view what) {
    if (!failed()) {
      where_ = where;
      what_ = what;
    }
    return false;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpace() {
    while (at_ < text_.size() && isSpace(text_[at_])) ++at_;
  }

  /// Reads one scalar, or opens one container.
  bool value() {
    const char c = peek();
    if (c == '{' || c == '[') {
      if (open_.size() >= max_depth_) return fail(at_, "Nesting is too deep");
      open_.push_back(c);
      container_is_empty_ = true;
      ++at_;
      return true;
    }
    container_is_empty_ = false;
    if (c == '"') return string();
    if (c == '-' || isDigit(c)) return number();
    for (const std::string_view word : {"true", "false", "null"}) {
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return true;
      }
    }
    return fail(at_, "Expecting value");
  }

  void finishContainers() {
    while (!open_.empty() && !failed()) {
      skipSpace();
      const bool object = open_.back() == '{';
      if (peek() == (object ? '}' : ']')) {
        ++at_;
        open_.pop_back();
        container_is_empty_ = false;
        continue;
      }
      if (!container_is_empty_) {
        if (peek() != ',') {
          fail(at_, "Expecting ',' delimiter");
          return;
        }
        ++at_;
        skipSpace();
      }
      if (object && !memberName()) return;
      skipSpace();
      if (!value()) return;
    }
  }

  bool memberName() {
    if (peek() != '"') return fail(at_, "Expecting property name enclosed in double quotes");
    if (!string()) return false;
    skipSpace();
    if (peek() != ':') return fail(at_, "Expecting ':' delimiter");
    ++at_;
    return true;
  }

  bool string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (static_cast<unsigned char>(c) < 0x20) return fail(at_, "Invalid control character at");
      if (c == '\\' && !escape()) return false;
      ++at_;
    }
    return fail(begin, "Unterminated string starting at");
  }

  /// Leaves at_ on the last byte of the escape.
  bool escape() {
    const std::size_t begin = at_++;
    const char kind = peek();
    if (kind == 'u') {
      for (int i = 0; i < 4; ++i) {
        ++at_;
        if (hexValue(peek()) < 0) return fail(begin + 1, "Invalid \\uXXXX escape");
      }
      return true;
    }
    if (at_ >= text_.size()) return fail(begin, "Unterminated string starting at");
    if (std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) {
      return fail(begin, "Invalid \\escape");
    }
    return true;
  }

  bool number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!isDigit(peek())) return fail(begin, "Expecting value");
    if (peek() == '0') {
      ++at_;
    } else {
      digits();
    }
    if (peek() == '.' && at_ + 1 < text_.size() && isDigit(text_[at_ + 1])) {
      ++at_;
      digits();
    }
    const std::size_t exponent = at_;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (isDigit(peek())) {
        digits();
      } else {
        at_ = exponent;
      }
    }
    return true;
  }
  void digits() {
    while (isDigit(peek())) ++at_;
  }

  std::string_view text_;
  std::size_t max_depth_;
  std::size_t at_ = 0;
  std::vector<char> open_;
  bool container_is_empty_ = false;
  std::size_t where_ = 0;
  std::string_view what_;
};

bool validAt(std::string_view text, std::size_t at, std::size_t length) {
  return at + length <= text.size() && simdjson::validate_utf8(text.data() + at, length);
}

/// Returns the offset of the first byte that is not UTF-8.
std::size_t firstBrokenByte(std::string_view text) {
  std::size_t good = 0;
  std::size_t bad = text.size();
  // Finds the longest valid prefix by bisection over prefixes that end between characters.
  while (good + 4 < bad) {
    std::size_t middle = good + (bad - good) / 2;
    while (middle > good && (static_cast<unsigned char>(text[middle]) & 0xC0) == 0x80) --middle;
    if (middle == good) break;
    if (simdjson::validate_utf8(text.data(), middle)) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  while (good < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && !validAt(text, good, length)) ++length;
    if (length > 4) break;
    good += length;
  }
  return good;
}

}  // namespace

SyntaxError explainSyntaxError(std::string_view text, std::size_t max_depth) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    const std::size_t broken = firstBrokenByte(text);
    return {charactersIn(text.substr(0, broken)), "Invalid UTF-8"};
  }
  return Checker(text, max_depth).run();
}

}  // namespace spindle::json
