#include "evaluation/runner/evaluation_job_payload.h"

#include <stdexcept>
#include <utility>
#include <variant>

#include "base/crypto/crypto.h"
#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::evaluation {
namespace {

using json::Document;
using json::Node;

Document parsed(std::string_view payload) {
  auto read = Document::parse(std::string(payload), json::kStoredDepth);
  if (!std::holds_alternative<Document>(read) || !std::get<Document>(read).root().isObject())
    throw std::runtime_error("a job's payload is not an object");
  return std::get<Document>(std::move(read));
}

std::string requiredText(const Node& object, std::string_view name) {
  const std::optional<Node> found = object.find(name);
  if (!found || !found->isString())
    throw std::runtime_error("a job's payload lacks " + std::string(name));
  return found->text();
}

std::vector<std::string> requiredTexts(const Node& object, std::string_view name) {
  const std::optional<Node> found = object.find(name);
  if (!found || !found->isArray())
    throw std::runtime_error("a job's payload lacks " + std::string(name));
  std::vector<std::string> texts;
  for (const Node& item : *found) texts.push_back(item.text());
  return texts;
}

void writeTexts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name).beginArray();
  for (const std::string& text : texts) out.string(text);
  out.endArray();
}

void writeScope(json::Writer& out, const RunScope& scope) {
  out.key("project_id").string(scope.project.id);
  out.key("project").string(scope.project.name);
  out.key("user_id").string(scope.user_id);
  out.key("key_id").string(scope.key_id);
  out.key("vendor_spelling").boolean(scope.spelling == wire::Spelling::kVendor);
}

RunScope scopeAt(const Node& object) {
  RunScope scope;
  scope.project = {requiredText(object, "project_id"), requiredText(object, "project")};
  scope.user_id = requiredText(object, "user_id");
  if (object.find("key_id")) scope.key_id = requiredText(object, "key_id");
  const std::optional<Node> vendor = object.find("vendor_spelling");
  if (vendor && vendor->boolean()) scope.spelling = wire::Spelling::kVendor;
  return scope;
}

}  // namespace

std::string payloadOf(const RunJob& job) {
  std::string payload;
  json::Writer out(payload);
  out.beginObject();
  writeScope(out, job.scope);
  out.key("run_id").string(job.run_id);
  out.key("evaluation").string(job.evaluation);
  out.key("model").string(job.model);
  out.key("started_at").integer(microsOf(job.started_at));
  if (job.source_run_id) out.key("source_run_id").string(*job.source_run_id);
  writeTexts(out, "scorers", job.scorers);
  out.endObject();
  return payload;
}

std::string payloadOf(const ScoringJob& job) {
  std::string payload;
  json::Writer out(payload);
  out.beginObject();
  writeScope(out, job.scope);
  writeTexts(out, "call_ids", job.call_ids);
  writeTexts(out, "scorers", job.scorers);
  out.endObject();
  return payload;
}

RunJob runJobOf(std::string_view payload) {
  const Document document = parsed(payload);
  const Node root = document.root();
  RunJob job;
  job.scope = scopeAt(root);
  job.run_id = requiredText(root, "run_id");
  job.evaluation = requiredText(root, "evaluation");
  job.model = requiredText(root, "model");
  const std::optional<Node> started = root.find("started_at");
  if (!started) throw std::runtime_error("a job's payload lacks started_at");
  job.started_at = timestampOfMicros(started->integer().value_or(0));
  if (root.find("source_run_id")) job.source_run_id = requiredText(root, "source_run_id");
  job.scorers = requiredTexts(root, "scorers");
  return job;
}

ScoringJob scoringJobOf(std::string_view payload) {
  const Document document = parsed(payload);
  const Node root = document.root();
  return {scopeAt(root), requiredTexts(root, "call_ids"), requiredTexts(root, "scorers")};
}

std::string stepId(const std::vector<std::string_view>& parts) {
  std::string text;
  for (const std::string_view part : parts) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
  Sha256 hash = sha256(text);
  // Set the version and variant bits of a custom UUID (version 8).
  hash[6] = static_cast<std::uint8_t>((hash[6] & 0x0FU) | 0x80U);
  hash[8] = static_cast<std::uint8_t>((hash[8] & 0x3FU) | 0x80U);
  const std::string hex = toHex(hash);
  return hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" + hex.substr(12, 4) + "-" +
         hex.substr(16, 4) + "-" + hex.substr(20, 12);
}

std::string progressOf(std::int64_t completed, std::int64_t failed) {
  std::string progress;
  json::Writer(progress)
      .beginObject()
      .key("completed_rows")
      .integer(completed)
      .key("failed_rows")
      .integer(failed)
      .endObject();
  return progress;
}

}  // namespace spindle::evaluation
