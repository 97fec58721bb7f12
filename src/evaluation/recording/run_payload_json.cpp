#include "evaluation/recording/run_payload_json.h"

#include <algorithm>
#include <chrono>

#include "json/document.h"
#include "json/writer.h"
#include "tracing/ingest/json_path.h"
#include "tracing/ingest/stored_payload.h"
#include "tracing/routes/call_json.h"
#include "wire/spelling.h"

namespace spindle::evaluation {
namespace {

using json::Document, json::Node;
using tracing::Call, tracing::stringAt;

constexpr std::string_view kEmptyObject = "{}";

std::string_view payloadText(const std::optional<tracing::Payload>& payload) {
  return payload ? std::string_view(*payload) : kEmptyObject;
}

/// Returns a member of the platform's object in the attributes.
std::optional<std::string> attributeOf(const Call& call, const std::string& name) {
  return stringAt(payloadText(call.attributes),
                  {std::string(wire::platformKey(wire::Spelling::kNeutral)), name});
}

std::optional<std::string> inputOf(const Call& call, const std::string& name) {
  return stringAt(payloadText(call.inputs), {name});
}

RecordedCall recordedCall(const Call& call) {
  return {call.id, attributeOf(call, "evaluation_run_id"), call.user_id};
}

/// Returns the first value that is set, or an empty text.
std::string firstOf(std::initializer_list<std::optional<std::string>> choices) {
  for (const std::optional<std::string>& choice : choices) {
    if (choice) return *choice;
  }
  return {};
}

std::string runStatus(const Call& call) {
  if (!call.ended_at) return "running";
  return call.exception ? "failed" : "completed";
}

/// Returns the inputs of the model: the member `inputs`, or for calls of SDKs all members except
/// `self`.
std::string modelInputs(const Call& call) {
  const std::optional<Document> document = parsedObject(payloadText(call.inputs));
  if (!document) return std::string(kEmptyObject);
  const Node root = document->root();
  if (const std::optional<Node> inputs = root.find("inputs"); inputs && inputs->isObject())
    return std::string(inputs->raw());
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (auto at = root.begin(); at != root.end(); ++at) {
    const Node name = *at;
    ++at;
    if (!name.textEquals("self")) out.key(name.text()).raw((*at).raw());
  }
  out.endObject();
  return text;
}

/// Returns true if an SDK marked the call as the call of a scorer.
bool isMarkedScore(const Call& call) {
  const std::optional<Document> document = parsedObject(payloadText(call.attributes));
  if (!document) return false;
  const std::optional<Node> meta = document->root().find("_svc_eval_meta");
  if (!meta || !meta->isObject()) return false;
  const std::optional<Node> score = meta->find("score");
  return score && score->kind() == json::Kind::kTrue;
}

}  // namespace

Run runOf(const Call& call) {
  Run run;
  run.id = call.id;
  run.evaluation =
      firstOf({attributeOf(call, "evaluation"), inputOf(call, "self"), inputOf(call, "this")});
  run.model = firstOf({attributeOf(call, "model"), inputOf(call, "model")});
  run.status = runStatus(call);
  run.started_at = call.started_at;
  run.finished_at = call.ended_at;
  run.source_run_id = attributeOf(call, "source_evaluation_run_id");
  return run;
}

Prediction predictionOf(const Call& call) {
  Prediction prediction{recordedCall(call), {}, {}, {}};
  prediction.model = firstOf({attributeOf(call, "model"), inputOf(call, "self")});
  prediction.inputs.json = modelInputs(call);
  prediction.output.json = call.output.value_or("null");
  return prediction;
}

Score scoreOf(const Call& call) {
  Score score{recordedCall(call), {}, {}};
  score.scorer = firstOf({attributeOf(call, "scorer"), inputOf(call, "self")});
  score.value.json = call.output.value_or("0.0");
  return score;
}

bool isScore(const Call& call) {
  return attributeOf(call, "score") == "true" || isMarkedScore(call) ||
         tracing::opNameOf(call.op_name).ends_with(".score");
}

std::string objectOf(const Members& members) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (const auto& [name, value] : members) out.key(name).raw(value);
  out.endObject();
  return text;
}

std::string attributesOf(const Members& members) {
  return objectOf({{wire::platformKey(wire::Spelling::kNeutral), objectOf(members)}});
}

std::optional<Document> parsedObject(std::string_view payload) {
  auto outcome = Document::parse(std::string(payload), tracing::kMaxBodyDepth);
  auto* document = std::get_if<Document>(&outcome);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  return std::move(*document);
}

void Mean::add(double number) {
  sum += number;
  ++count;
}

std::string meanJson(std::optional<double> mean) {
  std::string text;
  json::Writer out(text);
  mean ? out.number(*mean) : out.null();
  return objectOf({{"mean", text}});
}

std::string rowOutput(const Call& prediction,
                      const std::vector<std::pair<std::string, std::string>>& scores) {
  std::optional<double> seconds;
  if (prediction.started_at && prediction.ended_at) {
    seconds = std::chrono::duration<double>(*prediction.ended_at - *prediction.started_at).count();
  }
  return objectOf({{"output", prediction.output.value_or("null")},
                   {"scores", objectOf(Members(scores.begin(), scores.end()))},
                   {"model_latency", meanJson(seconds)}});
}

void RunTotals::add(std::string_view output) {
  const std::optional<Document> document = parsedObject(output);
  if (!document) return;
  const std::optional<Node> scores = document->root().find("scores");
  if (scores && scores->isObject()) {
    for (auto at = scores->begin(); at != scores->end(); ++at) {
      const std::string scorer = (*at).text();
      ++at;
      if (!(*at).isNumber()) continue;
      auto known = std::find_if(scores_.begin(), scores_.end(),
                                [&](const auto& each) { return each.first == scorer; });
      if (known == scores_.end()) known = scores_.insert(scores_.end(), {scorer, {}});
      known->second.add((*at).number());
    }
  }
  const std::optional<Node> answer = document->root().find("output");
  if (answer && answer->isNumber()) output_.add(answer->number());
}

std::string RunTotals::json() const {
  Members means;
  const auto add = [&means](std::string_view name, const Mean& mean) {
    means.emplace_back(name, meanJson(mean.value()));
  };
  for (const auto& [scorer, mean] : scores_) add(scorer, mean);
  if (output_.count > 0) add("output", output_);
  return objectOf(means);
}

}  // namespace spindle::evaluation
