#include "agents/api/span_request_schema.h"

#include "agents/query/span_stats_json.h"
#include "agents/store/record_members.h"
#include "query/codec.h"
#include "schema/described.h"
#include "wire/spelling.h"

namespace spindle::agents {

using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;

namespace {

/// A bound in a request: a number, or a time as a text.
Codec<std::variant<double, Timestamp>> boundCodec() {
  return schema::anyOf(schema::Alternative<double>{"number", schema::number()},
                       schema::Alternative<Timestamp>{"datetime", schema::dateTime()});
}

}  // namespace

Codec<std::string> aliasCodec() { return string({.pattern = "^[a-zA-Z_][a-zA-Z0-9_]*$"}); }

Codec<SpanAggregation> aggregationCodec() {
  using enum SpanAggregation;
  return enumerationOf({kSum, kAvg, kMin, kMax, kCount, kCountDistinct, kCountTrue, kCountFalse});
}

Codec<ValueRef> valueRefCodec() {
  return Record<ValueRef>("SpanValueRef")
      .optional("source", &ValueRef::source,
                schema::literal({"field", "derived", "custom_attrs_string", "custom_attrs_int",
                                 "custom_attrs_float", "custom_attrs_bool"}))
      .required("key", &ValueRef::key, string())
      .codec();
}

Codec<std::vector<GroupBy>> groupByCodec() {
  return list(
      Record<GroupBy>("SpanGroupBy")
          .optional("source", &GroupBy::source,
                    schema::literal({"field", "column", "custom_attrs_string", "custom_attrs_int",
                                     "custom_attrs_float", "custom_attrs_bool"}))
          .required("key", &GroupBy::key, string())
          .optional("alias", &GroupBy::alias, nullable(string()),
                    "Name of the key in the response.")
          .codec());
}

Codec<Measure> measureCodec() {
  return Record<Measure>("SpanMeasure")
      .required("alias", &Measure::alias, aliasCodec())
      .required("aggregation", &Measure::aggregation, aggregationCodec())
      .optional("value", &Measure::value, nullable(valueRefCodec()), "Required except for count.")
      .optional("value_type", &Measure::value_type, nullable(valueTypeCodec()))
      .optional("filter", &Measure::filter, nullable(query::queryCodec()), "Filter of the spans.")
      .codec();
}

Codec<std::vector<GroupFilter>> groupFiltersCodec() {
  return list(schema::described(
      Record<GroupFilter>("SpanGroupFilter")
          .optional("group_by", &GroupFilter::group_by, groupByCodec())
          .required("measure", &GroupFilter::measure, measureCodec())
          .optional("min", &GroupFilter::min, nullable(boundCodec()), "Inclusive.")
          .optional("max", &GroupFilter::max, nullable(boundCodec()), "Inclusive.")
          .check([](const GroupFilter& filter) -> std::optional<schema::RuleError> {
            if (filter.min || filter.max) return std::nullopt;
            return schema::valueError("a group filter needs min or max");
          })
          .codec(),
      R"({"anyOf":[{"properties":{"min":{"not":{"type":"null"}}},"required":["min"]},)"
      R"({"properties":{"max":{"not":{"type":"null"}}},"required":["max"]}]})"));
}

Codec<SignalFilters> signalFiltersCodec() {
  const Codec<RatingFilter> rating =
      Record<RatingFilter>("SpanRatingFilter")
          .required("scorer_key", &RatingFilter::scorer_key, string())
          .required("op", &RatingFilter::op, schema::literal({"gte", "gt", "lte", "lt", "eq"}))
          .required("value", &RatingFilter::value, schema::number())
          .codec();
  return Record<SignalFilters>("SpanSignalFilters")
      .optional("tags", &SignalFilters::tags, list(string()), "At least one must match.")
      .optional("ratings", &SignalFilters::ratings, list(rating), "All must match.")
      .codec();
}

Codec<std::optional<std::vector<AgentSortKey>>> agentSortCodec() {
  return nullable(
      list(Record<AgentSortKey>("AgentSort")
               .required("field", &AgentSortKey::field, string())
               .optional("direction", &AgentSortKey::direction, schema::literal({"asc", "desc"}))
               .codec(),
           {.max_items = kMaxSortKeys}));
}

std::vector<query::SortKey> sortKeys(const std::optional<std::vector<AgentSortKey>>& sort_by) {
  std::vector<query::SortKey> keys;
  if (!sort_by) return keys;
  for (const AgentSortKey& item : *sort_by)
    keys.push_back({wire::neutralField(item.field), item.direction == "desc"});
  return keys;
}

}  // namespace spindle::agents
