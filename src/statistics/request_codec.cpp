#include "statistics/request_codec.h"

#include <string>
#include <utility>
#include <vector>

#include "schema/scalar.h"
#include "statistics/buckets.h"

namespace spindle::statistics {

schema::Codec<Aggregation> aggregationCodec() {
  std::vector<std::pair<std::string, Aggregation>> names;
  for (const Aggregation aggregation :
       {Aggregation::kSum, Aggregation::kAvg, Aggregation::kMin, Aggregation::kMax,
        Aggregation::kCount, Aggregation::kCountTrue, Aggregation::kCountFalse}) {
    names.emplace_back(textOf(aggregation), aggregation);
  }
  return schema::enumeration(names);
}

std::optional<schema::RuleError> checkTimeRange(std::string_view request,
                                                Timestamp start,
                                                Timestamp end) {
  const std::string name(request);
  if (end < start) return schema::valueError(name + " end must be after start");
  if (end - start > kMaxRange)
    return schema::valueError(name + " date range cannot exceed 31 days");
  return std::nullopt;
}

}  // namespace spindle::statistics
