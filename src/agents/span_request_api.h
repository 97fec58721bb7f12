#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/span_question.h"
#include "schema/type.h"

namespace spindle::agents {

// Parts of requests about spans that several routes share.
schema::Codec<ValueRef> valueRefCodec();
schema::Codec<std::vector<GroupBy>> groupByCodec();
schema::Codec<Measure> measureCodec();
schema::Codec<std::vector<GroupFilter>> groupFiltersCodec();
schema::Codec<SignalFilters> signalFiltersCodec();
schema::Codec<ValueType> valueTypeCodec();
schema::Codec<SpanAggregation> aggregationCodec();
/// A text that may name a member of an answer.
schema::Codec<std::string> aliasCodec();
/// One key of an order as it is sent.
struct SortWish {
  std::string field;
  std::string direction = "desc";
};
schema::Codec<std::optional<std::vector<SortWish>>> agentSortCodec();
std::vector<query::SortKey> sortKeys(const std::optional<std::vector<SortWish>>& wishes);

}  // namespace spindle::agents
