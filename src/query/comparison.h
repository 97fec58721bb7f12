#pragma once

#include <vector>

#include "base/core/result.h"
#include "query/expression.h"
#include "query/operand.h"

namespace spindle::query {

// Conditions over compiled operands within one row. No operand is null.
// @return kInvalidArgument for operands without a common type and for literals that cannot be
// converted to the type of the other operand; kPermissionDenied for an operand type that the
// operator does not accept.

/// Compiles `$eq`, `$gt`, `$lt`, `$gte` or `$lte`. If one operand is a literal, it is `right`.
Result<Sql> compare(Operator op,
                    const Operand& left,
                    const Operand& right,
                    NullSemantics nulls,
                    const Dialect& dialect);

/// Returns the condition that the operand equals one of the literals. `literals` is not empty.
Result<Sql> isAmong(const Operand& tested,
                    const std::vector<Operand>& literals,
                    const Dialect& dialect);

/// Compiles `$contains`: `needle` is a substring of the text `input` or an item of the list
/// `input`.
Result<Sql> contains(const Operand& input,
                     const Operand& needle,
                     bool case_insensitive,
                     NullSemantics nulls,
                     const Dialect& dialect);

}  // namespace spindle::query
