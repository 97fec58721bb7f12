#include "query/paged_query.h"

#include "schema/described.h"

namespace spindle::query {

schema::Codec<std::optional<std::int64_t>> rowCountCodec() {
  return schema::nullable(schema::describedAs(schema::integer(), schema::integer({.ge = 0})));
}

Result<void> checkPage(const std::optional<std::int64_t>& limit,
                       const std::optional<std::int64_t>& offset) {
  if (limit.value_or(0) < 0) return Error::invalidArgument("Limit must be a positive integer");
  if (offset.value_or(0) < 0) return Error::invalidArgument("Offset must be a positive integer");
  return {};
}

}  // namespace spindle::query
