#include "automation/event_json.h"

#include <string_view>

#include "json/writer.h"

namespace spindle::automation {
namespace {

void member(json::Writer& out, std::string_view name, const std::optional<std::string>& value) {
  if (value) out.key(name).string(*value);
}
void member(json::Writer& out, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) out.key(name).integer(*value);
}
void member(json::Writer& out, std::string_view name, const std::optional<double>& value) {
  if (value) out.key(name).number(*value);
}

void writeMetric(json::Writer& out, const MetricSpec& metric) {
  out.key("metric").beginObject().key("name").string(metric.name);
  member(out, "aggregation", metric.aggregation);
  member(out, "window", metric.window);
  member(out, "comparison", metric.comparison);
  member(out, "threshold", metric.threshold);
  member(out, "current_window", metric.current_window);
  member(out, "prior_window", metric.prior_window);
  member(out, "change_type", metric.change_type);
  member(out, "direction", metric.direction);
  member(out, "amount", metric.amount);
  out.endObject();
}

}  // namespace

std::string eventText(const EventSpec& event) {
  std::string text;
  json::Writer out(text);
  out.beginObject().key("type").string(event.type);
  member(out, "alias_regex", event.alias_regex);
  member(out, "tag_regex", event.tag_regex);
  if (event.run_filter) {
    out.key("run_filter").beginObject();
    member(out, "username", event.run_filter->username);
    member(out, "name_regex", event.run_filter->name_regex);
    out.endObject();
  }
  if (event.metric) writeMetric(out, *event.metric);
  if (event.states) {
    out.key("states").beginArray();
    for (const std::string& state : *event.states) out.string(state);
    out.endArray();
  }
  if (event.score) {
    out.key("score").beginObject().key("name").string(event.score->name);
    out.key("comparison").string(event.score->comparison);
    out.key("threshold").number(event.score->threshold).endObject();
  }
  out.endObject();
  return text;
}

}  // namespace spindle::automation
