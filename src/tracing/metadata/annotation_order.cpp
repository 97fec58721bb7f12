#include "tracing/metadata/annotation_order.h"

#include <algorithm>

namespace spindle::tracing {

Result<SqlText> annotationOrder(const AnnotationPage& page,
                                std::span<const SortField> fields,
                                SqlView nulls) {
  SqlText order;
  for (const query::SortKey& key : page.sort_by) {
    const auto field = std::find_if(fields.begin(), fields.end(), [&key](const SortField& one) {
      return one.name.text() == key.field;
    });
    if (field == fields.end())
      return Error::invalidArgument("Unsupported sort field: " + key.field);
    order.add(field->sql).add(key.descending ? SqlView(" DESC") : SqlView(" ASC"));
    order.add(nulls).add(", ");
  }
  return order;
}

}  // namespace spindle::tracing
