#pragma once

#include <memory>
#include <string_view>

#include "base/core/result.h"
#include "query/dialect.h"
#include "query/field.h"

namespace spindle::tracing {

class AnnotationItemRepository;

/// Returns the field `annotation_queue_items.queue_id` of the calls `c` of one project, with the
/// current queues, in the SQL of an engine. @return kUnavailable.
Result<std::unique_ptr<query::Fields>> queueFields(AnnotationItemRepository& items,
                                                   std::string_view project_id,
                                                   const query::Dialect& dialect);

}  // namespace spindle::tracing
