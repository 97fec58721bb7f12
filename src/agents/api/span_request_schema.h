#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/store/span_query.h"
#include "schema/type.h"

namespace spindle::agents {

// Codecs of request parts that several routes share.
schema::Codec<ValueRef> valueRefCodec();
schema::Codec<std::vector<GroupBy>> groupByCodec();
schema::Codec<Measure> measureCodec();
schema::Codec<std::vector<GroupFilter>> groupFiltersCodec();
schema::Codec<SignalFilters> signalFiltersCodec();
schema::Codec<ValueType> valueTypeCodec();
schema::Codec<SpanAggregation> aggregationCodec();
/// A text that can be a member name in a response.
schema::Codec<std::string> aliasCodec();
/// One item of `sort_by` in a request.
struct AgentSortKey {
  std::string field;
  std::string direction = "desc";
};
schema::Codec<std::optional<std::vector<AgentSortKey>>> agentSortCodec();
std::vector<query::SortKey> sortKeys(const std::optional<std::vector<AgentSortKey>>& sort_by);

}  // namespace spindle::agents
