#include "evaluation/recording/finished_run_data.h"

#include <map>
#include <string_view>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::evaluation {
namespace {

using Scores = std::map<std::string, std::string>;  // numbers as their original JSON text

bool isScoreAggregate(std::string_view name) { return name == "mean" || name == "true_fraction"; }

void addNumbers(const json::Node& node, const std::string& path, Scores& scores) {
  for (auto at = node.begin(); at != node.end(); ++at) {
    const std::string name = (*at).text();
    ++at;
    const json::Node value = *at;
    const std::string whole = path.empty() ? name : path + "." + name;
    if (value.isObject()) {
      addNumbers(value, whole, scores);
    } else if (value.isNumber()) {
      scores.emplace(whole, value.raw());
      if (isScoreAggregate(name) && !path.empty()) scores.emplace(path, value.raw());
    }
  }
}

}  // namespace

std::string finishedRunData(const FinishedRun& run) {
  const std::string& project = run.scope.project.name;
  const std::size_t slash = project.find('/');
  Scores scores;
  const auto parsed = json::Document::parse(std::string(run.output), json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document != nullptr && document->root().isObject()) addNumbers(document->root(), "", scores);
  std::string text;
  json::Writer out(text);
  out.beginObject().key("entity_name").string(project.substr(0, slash));
  out.key("project_name").string(project.substr(slash + 1));
  out.key("run_id").string(run.run_id).key("run_state").string("FINISHED");
  out.key("scores").beginObject();
  for (const auto& [name, number] : scores) out.key(name).raw(number);
  out.endObject().endObject();
  return text;
}

}  // namespace spindle::evaluation
