#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/ascii.h"

// Clang 14 destroys the temporaries of an expression with a consteval constructor at the end of the
// function, also if the expression was not evaluated. Programs for users are built with GCC, which
// checks that the texts are literals.
#if defined(__clang__) && __clang_major__ < 16
#define SPINDLE_CONSTEVAL constexpr
#else
#define SPINDLE_CONSTEVAL consteval
#endif

namespace spindle {

class SqlText;

/// A view of SQL text. Functions that take SQL have parameters of this type.
///
/// Only a string literal, at compile time, or an SqlText converts to it. Text of a caller therefore
/// cannot become part of a statement and must be passed as a parameter. Like std::string_view, it
/// does not own the text; use a view of a temporary only as an argument.
class SqlView {
 public:
  constexpr SqlView() = default;
  template <std::size_t kSize>
  // NOLINTNEXTLINE(google-explicit-constructor): literals convert
  SPINDLE_CONSTEVAL SqlView(const char (&literal)[kSize]) : text_(literal, kSize - 1) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as std::string converts to its view
  SqlView(const SqlText& text);

  constexpr std::string_view text() const { return text_; }
  constexpr bool empty() const { return text_.empty(); }
  constexpr std::size_t size() const { return text_.size(); }
  /// Returns a part of the view, for code that adapts SQL to an engine.
  constexpr SqlView part(std::size_t at, std::size_t count) const {
    return SqlView(text_.substr(at, count));
  }

 private:
  friend class SqlName;
  explicit constexpr SqlView(std::string_view text) : text_(text) {}

  std::string_view text_;
};

/// A table or column name that is a literal of the program: letters, digits and underscores, not
/// starting with a digit. An invalid literal does not compile.
class SqlName {
 public:
  constexpr SqlName() = default;
  template <std::size_t kSize>
  // NOLINTNEXTLINE(google-explicit-constructor): literals convert
  SPINDLE_CONSTEVAL SqlName(const char (&literal)[kSize]) : name_(literal, kSize - 1) {
    if (!isName(name_)) throw "not an SQL name";  // not a constant expression: does not compile
  }

  constexpr std::string_view text() const { return name_; }
  // NOLINTNEXTLINE(google-explicit-constructor): a name is SQL
  constexpr operator SqlView() const { return SqlView(name_); }
  // NOLINTNEXTLINE(google-explicit-constructor): a name is a text
  constexpr operator std::string_view() const { return name_; }

  /// Returns true for `[A-Za-z_][A-Za-z0-9_]*` of at most 63 characters.
  static constexpr bool isName(std::string_view text);

 private:
  std::string_view name_;
};

/// SQL text composed of literals, checked names and numbers. Values of callers are parameters (`?`)
/// and never part of the text.
class SqlText {
 public:
  SqlText() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a view converts to its text
  SqlText(SqlView text) : text_(text.text()) {}

  SqlText& operator+=(SqlView piece) {
    text_ += piece.text();
    return *this;
  }
  SqlText& add(SqlView piece) { return *this += piece; }

  /// Returns the decimal digits of a number.
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) static SqlText
      number(Number number) {
    return SqlText(Made{}, std::to_string(number));
  }

  /// Returns the shortest text that reads as the same number; NULL for one that is not finite.
  static SqlText real(double number);

  /// Returns the name in double quotes, or nothing unless SqlName::isName() accepts it. For names
  /// that are known only at run time.
  static std::optional<SqlText> identifier(std::string_view name);

  // Exceptions that accept text that is not a literal. tools/check_sql.py lists the files that may
  // use them.

  /// Returns a DuckDB expression with the value `text`, for places where a parameter would hide a
  /// constant from the planner. Letters, digits and `_/~$.-` are quoted unchanged; a text with any
  /// other character is written in hexadecimal. `text` is UTF-8.
  static SqlText constant(std::string_view text);

  /// Returns the name of a server file as an SQL string, or nothing when it contains U+0000. For
  /// statements that take neither parameters nor expressions, such as ATTACH.
  static std::optional<SqlText> fileName(std::string_view path);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::size_t size() const { return text_.size(); }
  bool operator==(const SqlText&) const = default;

 private:
  struct Made {};
  SqlText(Made /*made*/, std::string text) : text_(std::move(text)) {}

  std::string text_;
};

inline SqlView::SqlView(const SqlText& text) : text_(text.text()) {}

constexpr bool SqlName::isName(std::string_view text) {
  constexpr std::size_t kMaxName = 63;
  if (text.empty() || text.size() > kMaxName || isDigit(text[0])) return false;
  for (const char c : text) {
    if (!isLetterOrDigit(c) && c != '_') return false;
  }
  return true;
}

inline SqlText operator+(SqlView left, SqlView right) { return SqlText(left).add(right); }
inline SqlText operator+(SqlText&& left, SqlView right) { return std::move(left.add(right)); }

}  // namespace spindle
