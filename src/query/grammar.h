#pragma once

#include "query/expression.h"
#include "schema/type.h"

namespace spindle::query {

/// Returns the codec of the value of `$expr`: an operation, with operands of every kind below it.
schema::Codec<Expression> operationCodec();

}  // namespace spindle::query
