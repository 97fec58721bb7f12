#include "evaluation/recording/finished_run_data.h"

#include <map>
#include <string_view>
#include <variant>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

using Scores = std::map<std::string, json::Text>;  // numbers as their original JSON text

struct RunData {
  std::string entity_name;
  std::string project_name;
  std::string run_id;
  std::string run_state = "FINISHED";
  schema::MapOf<json::Text> scores;
};

const schema::Codec<RunData>& runDataCodec() {
  using schema::string;
  static const schema::Codec<RunData> codec =
      schema::Record<RunData>("FinishedRunData")
          .required("entity_name", &RunData::entity_name, string())
          .required("project_name", &RunData::project_name, string())
          .required("run_id", &RunData::run_id, string())
          .required("run_state", &RunData::run_state, string())
          .required("scores", &RunData::scores, schema::map(schema::anyJson()))
          .codec();
  return codec;
}

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
      scores.emplace(whole, json::Text{std::string(value.raw())});
      if (isScoreAggregate(name) && !path.empty())
        scores.emplace(path, json::Text{std::string(value.raw())});
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
  RunData data;
  data.entity_name = project.substr(0, slash);
  data.project_name = project.substr(slash + 1);
  data.run_id = run.run_id;
  data.scores.assign(scores.begin(), scores.end());
  return runDataCodec().toJson(data);
}

}  // namespace spindle::evaluation
