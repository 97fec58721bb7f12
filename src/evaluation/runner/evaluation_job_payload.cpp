#include "evaluation/runner/evaluation_job_payload.h"

#include <stdexcept>
#include <utility>

#include "base/crypto/crypto.h"
#include "json/stored.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::evaluation {
namespace {

using schema::Codec, schema::list, schema::nullable, schema::Record, schema::string;

/// The members that all payloads begin with.
struct ScopePayload {
  std::string project_id;
  std::string project;
  std::string user_id;
  std::string key_id;
  bool vendor_spelling = false;

  RunScope scope() const {
    const auto spelling = vendor_spelling ? wire::Spelling::kVendor : wire::Spelling::kNeutral;
    return {{project_id, project}, user_id, spelling, key_id};
  }
};
struct RunPayload : ScopePayload {
  std::string run_id;
  std::string evaluation;
  std::string model;
  std::int64_t started_at = 0;  ///< microseconds
  std::optional<std::string> source_run_id;
  std::vector<std::string> scorers;
};
struct ScoringPayload : ScopePayload {
  std::vector<std::string> call_ids;
  std::vector<std::string> scorers;
};

ScopePayload scopePayload(const RunScope& scope) {
  return {scope.project.id, scope.project.name, scope.user_id, scope.key_id,
          scope.spelling == wire::Spelling::kVendor};
}

template <class Payload>
Record<Payload> scopeRecord(std::string name) {
  Record<Payload> record(std::move(name));
  record.required("project_id", &Payload::project_id, string())
      .required("project", &Payload::project, string())
      .required("user_id", &Payload::user_id, string())
      .optional("key_id", &Payload::key_id, string(), "Not in jobs of older versions.")
      .optional("vendor_spelling", &Payload::vendor_spelling, schema::boolean());
  return record;
}

const Codec<RunPayload>& runPayloadCodec() {
  using P = RunPayload;
  static const Codec<P> codec =
      scopeRecord<P>("RunJob")
          .required("run_id", &P::run_id, string())
          .required("evaluation", &P::evaluation, string())
          .required("model", &P::model, string())
          .required("started_at", &P::started_at, schema::integer())
          .optional("source_run_id", &P::source_run_id, nullable(string()))
          .omitNull()
          .required("scorers", &P::scorers, list(string()))
          .codec();
  return codec;
}

const Codec<ScoringPayload>& scoringPayloadCodec() {
  using P = ScoringPayload;
  static const Codec<P> codec = scopeRecord<P>("ScoringJob")
                                    .required("call_ids", &P::call_ids, list(string()))
                                    .required("scorers", &P::scorers, list(string()))
                                    .codec();
  return codec;
}

template <class Payload>
Payload readPayload(const Codec<Payload>& codec, std::string_view payload) {
  Result<Payload> read = schema::parse(codec, std::string(payload), "payload", json::kStoredDepth);
  if (read) return *std::move(read);
  // The location of a missing member is ["payload", name].
  const std::vector<Violation>& violations = read.error().violations();
  const auto* const name = violations.empty() || violations.front().loc.size() < 2
                               ? nullptr
                               : std::get_if<std::string>(&violations.front().loc[1]);
  if (name != nullptr) throw std::runtime_error("a job's payload lacks " + *name);
  throw std::runtime_error("a job's payload is not an object");
}

}  // namespace

std::string payloadOf(const RunJob& job) {
  return runPayloadCodec().toJson({scopePayload(job.scope), job.run_id, job.evaluation, job.model,
                                   microsOf(job.started_at), job.source_run_id, job.scorers});
}

std::string payloadOf(const ScoringJob& job) {
  return scoringPayloadCodec().toJson({scopePayload(job.scope), job.call_ids, job.scorers});
}

RunJob runJobOf(std::string_view payload) {
  RunPayload read = readPayload(runPayloadCodec(), payload);
  return {read.scope(),
          std::move(read.run_id),
          std::move(read.evaluation),
          std::move(read.model),
          timestampOfMicros(read.started_at),
          std::move(read.source_run_id),
          std::move(read.scorers)};
}

ScoringJob scoringJobOf(std::string_view payload) {
  ScoringPayload read = readPayload(scoringPayloadCodec(), payload);
  return {read.scope(), std::move(read.call_ids), std::move(read.scorers)};
}

NewRun newRunOf(const RunJob& job) {
  return {job.evaluation, job.model, job.source_run_id, job.run_id, job.started_at};
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
  struct Progress {
    std::int64_t completed_rows = 0;
    std::int64_t failed_rows = 0;
  };
  static const Codec<Progress> codec =
      Record<Progress>("RunProgress")
          .required("completed_rows", &Progress::completed_rows, schema::integer())
          .required("failed_rows", &Progress::failed_rows, schema::integer())
          .codec();
  return codec.toJson({completed, failed});
}

}  // namespace spindle::evaluation
