#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/error.h"
#include "json/document.h"
#include "wire/spelling.h"

namespace spindle::schema {

/// The location of a value, as a linked list on the stack. Allocates only if a rule is violated.
struct Path {
  explicit Path(std::string_view member, const Path* enclosing = nullptr)
      : parent(enclosing), name(member) {}
  Path(std::int64_t position, const Path* enclosing) : parent(enclosing), index(position) {}

  const Path* parent = nullptr;
  std::string_view name;
  std::int64_t index = -1;

  std::vector<LocStep> steps() const;
};

/// A violated rule, found by a type or a custom check, without its location.
struct RuleError {
  std::string type;
  std::string msg;
  std::string ctx;  ///< a JSON object, or empty
};

/// Returns a `value_error` with the message `Value error, <text>`.
RuleError valueError(std::string_view text);

/// Collects all violations of one value. Bounded: a hostile body cannot make the response larger
/// than a few hundred kilobytes, independent of the number of violations and the size of the
/// values.
class Report {
 public:
  explicit Report(bool strict = false, wire::Spelling spelling = wire::Spelling::kNeutral)
      : strict_(strict), spelling_(spelling) {}

  void add(const Path& path, RuleError error, std::string_view raw_input);
  void add(const Path& path, std::string_view type, std::string_view msg, const json::Node& input) {
    add(path, {std::string(type), std::string(msg), {}}, input.raw());
  }
  /// Adds the violation of a rule, if there is one. @return true if there is none.
  bool passes(const Path& path, std::optional<RuleError> error, const json::Node& input) {
    if (!error) return true;
    add(path, *std::move(error), input.raw());
    return false;
  }
  void append(Report&& other);

  /// Returns true in strict mode, which does not convert text to numbers or numbers to booleans.
  bool strict() const { return strict_; }
  /// Returns the wire profile for the names of missing members.
  wire::Spelling spelling() const { return spelling_; }
  bool clean() const { return violations_.empty(); }
  bool full() const { return violations_.size() >= kMaxViolations; }
  std::size_t count() const { return violations_.size(); }
  std::vector<Violation> take() { return std::move(violations_); }

 private:
  static constexpr std::size_t kMaxViolations = 200;
  static constexpr std::size_t kMaxInputBytes = 16UL * 1024;
  static constexpr std::size_t kMaxTotalInputBytes = 256UL * 1024;

  bool strict_;
  wire::Spelling spelling_;
  std::size_t input_bytes_ = 0;
  std::vector<Violation> violations_;
};

}  // namespace spindle::schema
