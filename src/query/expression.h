#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace spindle::query {

enum class Operator {
  kAnd,
  kOr,
  kNot,
  kEq,
  kGt,
  kLt,
  kGte,
  kLte,
  kIn,        ///< the first operand among the others
  kContains,  ///< the second operand inside the first
  kLiteral,
  kField,
  kConvert,
  kSize,
};

enum class Conversion { kDouble, kString, kInt, kBool, kExists };

/// A list or a map of literals, as JSON. It can be sent, but equals nothing.
struct Composite {
  std::string json;
  bool operator==(const Composite&) const = default;
};

/// Monostate is null. An integer that does not fit is a double.
using Literal = std::variant<std::monostate, std::string, std::int64_t, double, bool, Composite>;

/// One node of a query and all below it. What was read through queryCodec() has the right number of
/// operands everywhere and is bounded in size and depth.
struct Expression {
  Operator op = Operator::kLiteral;
  std::vector<Expression> operands = {};
  Literal literal = {};                         ///< of kLiteral
  std::string field = {};                       ///< of kField: a dotted path in neutral spelling
  Conversion conversion = Conversion::kString;  ///< of kConvert
  bool case_insensitive = false;                ///< of kContains
};

/// `{"$expr": …}`. The expression is an operation: something that is true or false.
struct Query {
  Expression expression;
};

struct SortKey {
  std::string field;  ///< a dotted path in neutral spelling
  bool descending = false;
};

/// Calls `look` for the node and all below it, parents first.
void visit(const Expression& expression, const std::function<void(const Expression&)>& look);
void visit(Expression& expression, const std::function<void(Expression&)>& change);

}  // namespace spindle::query
