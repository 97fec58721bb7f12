#include "training/data/metrics.h"

#include <algorithm>
#include <cmath>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "training/data/flat_json.h"

namespace spindle::training {

std::string metricsJson(const Metrics& metrics) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (const auto& [name, value] : metrics) {
    if (std::isfinite(value)) out.key(name).number(value);
  }
  out.endObject();
  return text;
}

std::string startedJson(std::int64_t num_sequences, const std::optional<std::string>& note) {
  schema::MapOf<FlatValue> members = {{"num_sequences", num_sequences}};
  if (note) members.emplace_back("note", *note);
  return flatJson(members);
}

Metrics metricsOf(std::string json) {
  const auto parsed = json::Document::parse(std::move(json), json::kStoredDepth);
  const auto* const document = std::get_if<json::Document>(&parsed);
  Metrics metrics;
  if (document == nullptr || !document->root().isObject()) return metrics;
  std::string name;
  bool is_name = true;
  for (const json::Node node : document->root()) {
    if (is_name) {
      name = node.text();
    } else if (node.isNumber()) {
      metrics.emplace_back(name, node.number());
    }
    is_name = !is_name;
  }
  return metrics;
}

Metrics mergedMetrics(Metrics first, const Metrics& second) {
  for (const auto& each : second) {
    const auto same = std::find_if(first.begin(), first.end(),
                                   [&](const auto& known) { return known.first == each.first; });
    if (same == first.end()) {
      first.push_back(each);
    } else {
      same->second = each.second;
    }
  }
  return first;
}

}  // namespace spindle::training
