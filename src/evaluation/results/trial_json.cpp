#include "evaluation/results/trial_json.h"

#include <algorithm>

#include "evaluation/recording/object_name.h"
#include "evaluation/recording/run_payload_json.h"
#include "json/document.h"
#include "objects/values/digest.h"
#include "objects/values/ref.h"
#include "objects/values/ref_conversion.h"
#include "tracing/ingest/json_path.h"
#include "tracing/routes/call_json.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;

void addLeaves(const Node& node,
               const std::string& scorer,
               const std::optional<std::string>& path,
               std::vector<ScoreLeaf>& leaves) {
  if (node.isObject()) {
    for (auto at = node.begin(); at != node.end(); ++at) {
      const std::string name = (*at).text();
      ++at;
      addLeaves(*at, scorer, path ? *path + "." + name : name, leaves);
    }
    return;
  }
  using Kind = ScoreLeaf::Kind;
  if (node.isBool()) {
    leaves.push_back({scorer, path, Kind::kBinary, node.boolean() ? 1.0 : 0.0});
  } else if (node.isNumber()) {
    leaves.push_back({scorer, path, Kind::kContinuous, node.number()});
  } else if (node.isString()) {
    leaves.push_back({scorer, path, Kind::kText, 0});
  }
}

/// Returns the last edge of a reference to a row of a dataset.
std::optional<std::string> rowInRef(std::string_view text) {
  const Result<objects::Ref> ref = objects::parseRef(text);
  if (!ref || ref->edges.size() < 2) return std::nullopt;
  const objects::RefEdge& row = ref->edges.back();
  const objects::RefEdge& rows = ref->edges[ref->edges.size() - 2];
  const bool is_row = row.kind == objects::RefEdge::Kind::kRow &&
                      rows.kind == objects::RefEdge::Kind::kAttribute && rows.value == "rows";
  if (!is_row) return std::nullopt;
  return row.value;
}

}  // namespace

std::optional<std::string> exampleRef(std::string_view example) {
  std::optional<std::string> text = tracing::stringAt(example, {});
  if (!text || !objects::parseRef(*text)) return std::nullopt;
  return text;
}

std::string rowDigestOf(std::string_view example) {
  const std::optional<std::string> text = tracing::stringAt(example, {});
  if (!text) return objects::valueDigest(example).digest;
  if (std::optional<std::string> row = rowInRef(*text)) return *std::move(row);
  return objects::contentDigest(*text);
}

TrialParts trialPartsOf(const tracing::Call& call) {
  TrialParts parts;
  if (call.inputs) parts.example = tracing::jsonAt(*call.inputs, {"example"}).value_or("null");
  if (call.attributes) {
    parts.predict_call_id = tracing::stringAt(*call.attributes, {"svc", "predict_call_id"});
    parts.genai_spans = tracing::jsonAt(*call.attributes, {"svc", "genai_span_ref"});
  }
  const std::optional<Document> document = call.output ? parsedObject(*call.output) : std::nullopt;
  if (!document) return parts;
  const Node output = document->root();
  for (const std::string_view name : {"output", "model_output"}) {
    if (const std::optional<Node> answer = output.find(name)) {
      parts.model_output = answer->raw();
      break;
    }
  }
  if (const std::optional<Node> scores = output.find("scores"); scores && scores->isObject())
    parts.scores = scores->raw();
  std::optional<Node> latency = output.find("model_latency");
  if (latency && latency->isObject()) latency = latency->find("mean");
  if (latency && latency->isNumber()) parts.latency_seconds = latency->number();
  return parts;
}

std::vector<ScoreLeaf> leavesOf(std::string_view scores) {
  std::vector<ScoreLeaf> leaves;
  const std::optional<Document> document = parsedObject(scores);
  if (!document) return leaves;
  for (auto at = document->root().begin(); at != document->root().end(); ++at) {
    const std::string scorer = (*at).text();
    ++at;
    addLeaves(*at, scorer, std::nullopt, leaves);
  }
  return leaves;
}

std::string scorerNameOf(const tracing::Call& call) {
  if (std::optional<std::string> name = nameInRef(scoreOf(call).scorer)) return *std::move(name);
  std::string name = tracing::opNameOf(call.op_name);
  constexpr std::string_view kSuffix = ".score";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  return name;
}

bool isPredict(const tracing::Call& call, std::string_view model) {
  if (!model.empty()) {
    // SDKs may write references in another wire profile.
    const std::string wanted = objects::neutralRef(model);
    const std::optional<std::string> self = tracing::stringAt(call.inputs.value_or("{}"), {"self"});
    if (call.op_name == wanted || (self && objects::neutralRef(*self) == wanted)) return true;
  }
  const std::string name = tracing::opNameOf(call.op_name);
  return name.find("predict") != std::string::npos || name.find("invoke") != std::string::npos;
}

}  // namespace spindle::evaluation
