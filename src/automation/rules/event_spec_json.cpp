#include "automation/rules/event_spec_json.h"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "automation/rules/object_rules.h"
#include "json/stored.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/described.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::automation {
namespace {

using schema::Codec, schema::Extra, schema::nullable, schema::Record, schema::string;

Codec<std::string> comparisonCodec() {
  return schema::describedAs(string(), schema::literal(std::vector<std::string>(
                                           kComparisons.begin(), kComparisons.end())));
}

Codec<MetricSpec> metricCodec() {
  Record<MetricSpec> record("MetricCondition", Extra::kForbid);
  record.required("name", &MetricSpec::name, string({.min_length = 1, .max_length = 512}),
                  "Key of the metric, for example `val.loss`.");
  const auto add = [&record](std::string_view name, auto member, const auto& codec,
                             std::string_view doc) {
    record.optional(name, member, nullable(codec), doc).omitNull();
  };
  const auto window = schema::integer({.gt = 0});
  add("aggregation", &MetricSpec::aggregation, string(), "`AVERAGE`, `MIN` or `MAX`.");
  add("window", &MetricSpec::window, window, "Number of values; for trace metrics, minutes.");
  add("comparison", &MetricSpec::comparison, string(), "`gt`, `gte`, `lt`, `lte`, `eq` or `ne`.");
  add("threshold", &MetricSpec::threshold, schema::number(), "");
  add("current_window", &MetricSpec::current_window, window,
      "Number of latest values, for a change.");
  add("prior_window", &MetricSpec::prior_window, window,
      "Number of values before the latest ones, for a change.");
  add("change_type", &MetricSpec::change_type, string(), "`ABSOLUTE` or `RELATIVE`.");
  add("direction", &MetricSpec::direction, string(), "`INCREASE`, `DECREASE` or `ANY`.");
  add("amount", &MetricSpec::amount, schema::number({.gt = 0}),
      "Minimum change; with `RELATIVE`, 0.25 means 25 %.");
  return record.codec();
}

std::string metricRules(const MetricRules& rules) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("type").string("object");
  ObjectRules metric(out);
  for (const auto& member : kMetricMembers) metric.forbidIf(rules.*member.presence, member.name);
  metric.words(rules.comparison, "comparison", kComparisons);
  metric.requireIf(rules.threshold, "threshold");
  metric.words(rules.change, "change_type", kChangeTypes);
  metric.requireIf(rules.change, "amount");
  metric.words(rules.direction, "direction", kDirections);
  metric.words(rules.aggregation, "aggregation", kAggregations);
  if (rules.positive_threshold)
    metric.member("threshold").raw(R"({"anyOf":[{"type":"null"},{"exclusiveMinimum":0}]})");
  if (!rules.names.empty()) metric.words("name", rules.names);
  metric.end();
  out.endObject();
  return text;
}

/// Writes the alternative of event types with the same rules.
void writeAlternative(json::Writer& out, std::span<const EventTypeRow> types) {
  const FilterRules& rules = types.front().filters;
  out.beginObject();
  ObjectRules event(out);
  std::vector<std::string_view> names;
  for (const EventTypeRow& type : types) names.push_back(textOf(type.type));
  event.words("type", names);
  for (const auto& filter : kFilters) event.forbidIf(rules.*filter.presence, filter.name);
  event.requireIf(rules.alias_regex, "alias_regex");
  event.requireIf(rules.tag_regex, "tag_regex");
  event.requireIf(rules.metric, "metric", metricRules(types.front().metric));
  event.requireIf(rules.states, "states");
  event.end();
  out.endObject();
}

}  // namespace

std::string eventRules() {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("oneOf").beginArray();
  std::span<const EventTypeRow> rest = eventTypes();
  while (!rest.empty()) {
    std::size_t same = 1;
    while (same < rest.size() && rest[same].filters == rest.front().filters &&
           rest[same].metric == rest.front().metric) {
      ++same;
    }
    writeAlternative(out, rest.first(same));
    rest = rest.subspan(same);
  }
  out.endArray().endObject();
  return text;
}

Codec<EventSpec> eventSpecCodec() {
  const auto filter =
      Record<RunFilter>("RunFilter", Extra::kForbid)
          .optional("username", &RunFilter::username, nullable(string()), "Owner of the run.")
          .omitNull()
          .optional("name_regex", &RunFilter::name_regex, nullable(string()),
                    "RE2; matches anywhere in the name of the run.")
          .omitNull()
          .codec();
  const auto score =
      Record<ScoreSpec>("ScoreCondition", Extra::kForbid)
          .required("name", &ScoreSpec::name, string({.min_length = 1, .max_length = 512}))
          .required("comparison", &ScoreSpec::comparison, comparisonCodec(),
                    "`gt`, `gte`, `lt`, `lte`, `eq` or `ne`.")
          .required("threshold", &ScoreSpec::threshold, schema::number())
          .codec();
  const auto pattern = nullable(string());
  const auto state =
      schema::describedAs(string(), schema::literal({"RUNNING", "FINISHED", "FAILED", "CRASHED"}));
  return Record<EventSpec>("AutomationEvent", Extra::kForbid)
      .required("type", &EventSpec::type, string(),
                "Type of the event, for example `LINK_ARTIFACT`.")
      .optional("alias_regex", &EventSpec::alias_regex, pattern,
                "RE2; matches anywhere in an alias.")
      .omitNull()
      .optional("tag_regex", &EventSpec::tag_regex, pattern, "RE2; matches anywhere in a tag.")
      .omitNull()
      .optional("run_filter", &EventSpec::run_filter, nullable(filter), "Filter of run events.")
      .omitNull()
      .optional("metric", &EventSpec::metric, nullable(metricCodec()),
                "Condition of metric events.")
      .omitNull()
      .optional("states", &EventSpec::states,
                nullable(schema::list(state, {.min_items = 1, .max_items = 16})),
                "`RUNNING`, `FINISHED`, `FAILED`.")
      .omitNull()
      .optional("score", &EventSpec::score, nullable(score),
                "Condition of `EVALUATION_FINISHED` events.")
      .omitNull()
      .codec();
}

EventSpec eventSpecOf(const std::string& text) {
  static const Codec<EventSpec> codec = eventSpecCodec();
  Result<EventSpec> event = schema::parse(codec, text, "event", json::kStoredDepth);
  return event ? *std::move(event) : EventSpec();
}

std::string eventText(const EventSpec& event) {
  static const Codec<EventSpec> codec = eventSpecCodec();
  return codec.toJson(event);
}

}  // namespace spindle::automation
