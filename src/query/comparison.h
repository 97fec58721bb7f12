#pragma once

#include <vector>

#include "base/result.h"
#include "query/expression.h"
#include "query/operand.h"

namespace spindle::query {

// Conditions over compiled operands, none of which is null, within one row.
// @return kInvalidArgument for operands without a common type and for literals that the other side
// cannot be; kPermissionDenied for an operand that the operator does not take.

/// One of `$eq`, `$gt`, `$lt`, `$gte` and `$lte`. A literal stands on the right.
Result<Sql> compare(Operator op, const Operand& left, const Operand& right, Need need);

/// Whether the operand equals one of the literals, of which there is at least one.
Result<Sql> isAmong(const Operand& tested, const std::vector<Operand>& literals);

Result<Sql> contains(const Operand& input, const Operand& needle, bool case_insensitive, Need need);

}  // namespace spindle::query
