#pragma once

#include <span>

#include "base/core/result.h"
#include "base/core/sql_text.h"
#include "tracing/metadata/annotation_queue.h"

namespace spindle::tracing {

/// A field that a list can be sorted by, and its expression.
struct SortField {
  SqlName name;
  SqlView sql = name;
};

/// Returns the sort keys of a page for ORDER BY, each with a comma after it. `nulls` follows the
/// direction of each key. @return kInvalidArgument for a key that is not among the fields.
Result<SqlText> annotationOrder(const AnnotationPage& page,
                                std::span<const SortField> fields,
                                SqlView nulls = "");

}  // namespace spindle::tracing
