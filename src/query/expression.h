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
  kIn,        ///< the first operand equals one of the others
  kContains,  ///< the first operand contains the second
  kLiteral,
  kField,
  kConvert,
  kSize,
};

enum class Conversion { kDouble, kString, kInt, kBool, kExists };

/// A list or a map of literals, as JSON. A client can send one, but no value equals it.
struct Composite {
  std::string json;
  bool operator==(const Composite&) const = default;
};

/// A literal value. Monostate is null. An integer that does not fit into 64 bits is a double.
using Literal = std::variant<std::monostate, std::string, std::int64_t, double, bool, Composite>;

/// One node of a query and its subtree. An expression that queryCodec() read has the right number
/// of operands in every node and is bounded in size and depth.
struct Expression {
  Operator op = Operator::kLiteral;
  std::vector<Expression> operands = {};
  Literal literal = {};                         ///< for kLiteral
  std::string field = {};                       ///< for kField: a dotted path in neutral spelling
  Conversion conversion = Conversion::kString;  ///< for kConvert
  bool case_insensitive = false;                ///< for kContains
};

/// `{"$expr": …}`. The expression is an operation, so its value is true or false.
struct Query {
  Expression expression;
};

struct SortKey {
  std::string field;  ///< a dotted path in neutral spelling
  bool descending = false;
};

/// Calls the function for the node and its subtree, parents first.
void visit(const Expression& expression, const std::function<void(const Expression&)>& visitor);
void visit(Expression& expression, const std::function<void(Expression&)>& change);

}  // namespace spindle::query
