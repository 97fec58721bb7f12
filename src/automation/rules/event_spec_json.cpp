#include "automation/rules/event_spec_json.h"

#include <string_view>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
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

std::optional<json::Node> memberOf(const json::Node& object, std::string_view name) {
  std::optional<json::Node> node = object.find(name);
  if (node && node->isNull()) return std::nullopt;
  return node;
}
void read(const json::Node& object, std::string_view name, std::optional<std::string>& value) {
  if (const auto node = memberOf(object, name)) value = node->text();
}
void read(const json::Node& object, std::string_view name, std::optional<std::int64_t>& value) {
  if (const auto node = memberOf(object, name)) value = node->integer();
}
void read(const json::Node& object, std::string_view name, std::optional<double>& value) {
  if (const auto node = memberOf(object, name)) value = node->number();
}
std::string textIn(const json::Node& object, std::string_view name) {
  std::optional<std::string> text;
  read(object, name, text);
  return text.value_or("");
}

MetricSpec metricIn(const json::Node& node) {
  MetricSpec metric;
  metric.name = textIn(node, "name");
  read(node, "aggregation", metric.aggregation);
  read(node, "window", metric.window);
  read(node, "comparison", metric.comparison);
  read(node, "threshold", metric.threshold);
  read(node, "current_window", metric.current_window);
  read(node, "prior_window", metric.prior_window);
  read(node, "change_type", metric.change_type);
  read(node, "direction", metric.direction);
  read(node, "amount", metric.amount);
  return metric;
}

}  // namespace

EventSpec eventSpecOf(const std::string& text) {
  EventSpec event;
  const auto parsed = json::Document::parse(text, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return event;
  const json::Node root = document->root();
  event.type = textIn(root, "type");
  read(root, "alias_regex", event.alias_regex);
  read(root, "tag_regex", event.tag_regex);
  if (const auto filter = memberOf(root, "run_filter")) {
    event.run_filter.emplace();
    read(*filter, "username", event.run_filter->username);
    read(*filter, "name_regex", event.run_filter->name_regex);
  }
  if (const auto metric = memberOf(root, "metric")) event.metric = metricIn(*metric);
  if (const auto states = memberOf(root, "states")) {
    event.states.emplace();
    for (const json::Node state : *states) event.states->push_back(state.text());
  }
  if (const auto score = memberOf(root, "score")) {
    event.score = ScoreSpec{textIn(*score, "name"), textIn(*score, "comparison"), 0};
    if (const auto threshold = memberOf(*score, "threshold")) {
      event.score->threshold = threshold->number();
    }
  }
  return event;
}

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
