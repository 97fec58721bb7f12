#pragma once

#include <optional>
#include <utility>

#include "base/core/error.h"

namespace spindle {

/// A value or an Error: a subset of std::expected<T, Error>, until the toolchain supports that (GCC
/// 12 has <expected> only with -std=c++23, and clang-tidy 14 cannot parse it).
template <class T>
class [[nodiscard]] Result {
 public:
  // Implicit by design: allows `return dataset;` and `return Error::notFound(...);`.
  Result(T value) : value_(std::move(value)) {}      // NOLINT
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }

  const T& value() const& { return value_.value(); }
  T& value() & { return value_.value(); }
  T&& value() && { return std::move(value_).value(); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  /// Undefined for a result with a value.
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  std::optional<T> value_;
  Error error_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}  // NOLINT

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  void value() const {}
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace spindle

// NOLINTBEGIN(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
#define SPINDLE_JOIN_(left, right) left##right
#define SPINDLE_JOIN(left, right) SPINDLE_JOIN_(left, right)
#define SPINDLE_TRY(name, ...)                                    \
  __extension__({                                                 \
    auto&& name = (__VA_ARGS__);                                  \
    if (!name) return std::forward<decltype(name)>(name).error(); \
    std::forward<decltype(name)>(name).value();                   \
  })

/// The value of a Result, or a return of its error from the enclosing function:
///
///   const Team team = TRY(teams.find(id));
///   TRY(team_events.add(session, event));
///   while (TRY(rows.next())) read(rows);
///
/// Use it as a whole initializer, statement or condition. Inside a larger expression GCC does not
/// destroy the temporaries of that expression when TRY returns. Not for coroutines.
#define TRY(...) SPINDLE_TRY(SPINDLE_JOIN(result_, __COUNTER__), __VA_ARGS__)
// NOLINTEND(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)
