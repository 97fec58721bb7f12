#include "automation/rules/event_facts.h"

#include <utility>
#include <variant>

#include "automation/payloads/payload_variable.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "registry/artifacts/artifact_path.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::automation {
namespace {

/// Reads the variables from the members of the same name.
void readVariables(const json::Node& data, PayloadFacts& facts) {
  for (const PayloadVariable& variable : payloadVariables()) {
    const std::optional<json::Node> node = data.find(variable.name);
    if (!node) continue;
    if (variable.kind == VariableKind::kNumber ? !node->isNumber() : !node->isString()) continue;
    facts.variables.emplace(variable.name, node->isString() ? node->text() : node->raw());
  }
}

/// Reads the texts of the array `aliases`.
void readAliases(const json::Node& data, EventFacts& facts) {
  const std::optional<json::Node> aliases = data.find("aliases");
  if (!aliases || !aliases->isArray()) return;
  for (const json::Node alias : *aliases) {
    if (alias.isString()) facts.aliases.push_back(alias.text());
  }
}

/// Reads the numbers of the object `scores`.
void readScores(const json::Node& data, EventFacts& facts) {
  const std::optional<json::Node> scores = data.find("scores");
  if (!scores || !scores->isObject()) return;
  for (auto at = scores->begin(); at != scores->end(); ++at) {
    std::string name = (*at).text();
    ++at;
    if ((*at).isNumber()) facts.scores.emplace(std::move(name), (*at).number());
  }
}

void readVersion(const events::Event& event, PayloadFacts& facts) {
  if (!event.subject.artifact_id) return;
  auto& variables = facts.variables;
  variables.emplace("artifact_version", registry::artifactUri(*event.subject.artifact_id));
  const auto value = [&](std::string_view name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
  std::string version = value("alias");
  if (version.empty() && variables.contains("artifact_version_index")) {
    version = "v" + value("artifact_version_index");
  }
  if (version.empty()) return;
  variables.emplace("artifact_version_string", value("entity_name") + "/" + value("project_name") +
                                                   "/" + value("artifact_collection_name") + ":" +
                                                   version);
}

/// The data with the numbers of the finding as metricText() formats them.
struct MetricEventJson : MetricEventData {
  json::Text value;
  json::Text threshold;
};

schema::Codec<MetricEventJson> metricEventCodec() {
  using E = MetricEventJson;
  const auto text = schema::string();
  schema::Record<E> record("MetricEventData");
  record.required("automation_id", &E::automation_id, text)
      .required("entity_name", &E::team, text)
      .required("project_name", &E::project, text);
  for (const auto& [name, member] :
       {std::pair("run_id", &E::run_id), std::pair("run_name", &E::run_name),
        std::pair("run_state", &E::run_state)}) {
    record.optional(name, member, schema::ifPresent(text), "");
  }
  return record.required("metric_name", &E::metric, text)
      .required("metric_value", &E::value, schema::anyJson())
      .required("metric_threshold", &E::threshold, schema::anyJson())
      .codec();
}

}  // namespace

std::string_view EventFacts::variable(std::string_view name) const {
  const auto found = payload.variables.find(name);
  return found == payload.variables.end() ? std::string_view() : found->second;
}

EventFacts factsOf(const events::Event& event) {
  EventFacts facts;
  auto& variables = facts.payload.variables;
  const auto parsed = json::Document::parse(event.data, json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document != nullptr && document->root().isObject()) {
    const json::Node data = document->root();
    readVariables(data, facts.payload);
    const std::optional<json::Node> metadata = data.find("artifact_metadata");
    if (metadata && metadata->isObject()) facts.payload.metadata = metadata->raw();
    readAliases(data, facts);
    readScores(data, facts);
    const std::optional<json::Node> automation = data.find("automation_id");
    if (automation && automation->isString()) facts.automation_id = automation->text();
  }
  variables.insert_or_assign("event_type", std::string(events::textOf(event.type)));
  variables.insert_or_assign("event_id", event.id);
  variables.insert_or_assign("event_time", eventTimeText(event.time));
  if (!event.author.empty()) variables.insert_or_assign("event_author", event.author);
  if (!event.subject.run_id.empty()) variables.emplace("run_id", event.subject.run_id);
  readVersion(event, facts.payload);
  return facts;
}

std::string dataText(const MetricEventData& data) {
  static const schema::Codec<MetricEventJson> codec = metricEventCodec();
  return codec.toJson(
      {data, {metricText(data.finding.value)}, {metricText(data.finding.threshold)}});
}

}  // namespace spindle::automation
