#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/store/span_query.h"
#include "base/core/paging.h"
#include "identity/api/project_id_codec.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::agents {

// Codecs of request parts that several routes share.
schema::Codec<ValueRef> valueRefCodec();
schema::Codec<std::vector<GroupBy>> groupByCodec();
schema::Codec<Measure> measureCodec();
schema::Codec<std::vector<GroupFilter>> groupFiltersCodec();
schema::Codec<SignalFilters> signalFiltersCodec();
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

// Members that several requests share. `Body` has members of the same names.

template <class Body>
schema::Record<Body>& addTimeRange(schema::Record<Body>& record) {
  const auto time = schema::nullable(schema::dateTime());
  return record.optional("started_after", &Body::started_after, time, "Inclusive.")
      .optional("started_before", &Body::started_before, time, "Exclusive.");
}

/// Adds the members of a page of rows. `limit` contains the bounds of the member `limit`.
template <class Body>
schema::Record<Body>& addPage(schema::Record<Body>& record,
                              const schema::IntegerRules& limit,
                              std::string_view limit_doc = "",
                              std::string_view offset_doc = "") {
  return record.optional("limit", &Body::limit, schema::integer(limit), limit_doc)
      .optional("offset", &Body::offset, schema::integer({.ge = 0, .le = kMaxRows}), offset_doc);
}

}  // namespace spindle::agents
