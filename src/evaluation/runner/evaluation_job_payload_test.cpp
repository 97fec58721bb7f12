#include "evaluation/runner/evaluation_job_payload.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::evaluation {
namespace {

RunScope scope() { return {{"p1", "acme/bot"}, "u1", wire::Spelling::kVendor, "k1"}; }

void expectScope(const RunScope& read, const std::string& project) {
  EXPECT_EQ(read.project.id, "p1");
  EXPECT_EQ(read.project.name, project);
  EXPECT_EQ(read.user_id, "u1");
  EXPECT_EQ(read.key_id, "k1");
  EXPECT_EQ(read.spelling, wire::Spelling::kVendor);
}

TEST(EvaluationJobPayload, OfARunKeepsItsStoredText) {
  const RunJob job{scope(), "r1", "evaluation-ref", "model-ref", timestampOfMicros(7)};
  const std::string payload =
      R"({"project_id":"p1","project":"acme/bot","user_id":"u1","key_id":"k1",)"
      R"("vendor_spelling":true,"run_id":"r1","evaluation":"evaluation-ref",)"
      R"("model":"model-ref","started_at":7,"scorers":[]})";
  EXPECT_EQ(payloadOf(job), payload);
  RunJob again = job;
  again.source_run_id = "r0";
  again.scorers = {"scorer-ref"};
  const RunJob read = runJobOf(payloadOf(again));
  expectScope(read.scope, "acme/bot");
  EXPECT_EQ(read.run_id, "r1");
  EXPECT_EQ(read.evaluation, "evaluation-ref");
  EXPECT_EQ(read.model, "model-ref");
  EXPECT_EQ(read.started_at, timestampOfMicros(7));
  EXPECT_EQ(read.source_run_id, "r0");
  EXPECT_EQ(read.scorers, std::vector<std::string>{"scorer-ref"});
}

TEST(EvaluationJobPayload, OfCallsKeepsItsStoredText) {
  EXPECT_EQ(payloadOf(ScoringJob{scope(), {"c1", "c2"}, {"s1"}}),
            R"({"project_id":"p1","project":"acme/bot","user_id":"u1","key_id":"k1",)"
            R"("vendor_spelling":true,"call_ids":["c1","c2"],"scorers":["s1"]})");
}

TEST(EvaluationJobPayload, OfOlderVersionsIsReadable) {
  const ScoringJob job = scoringJobOf(
      R"({"project_id":"p1","project":"acme/bot","user_id":"u1","call_ids":["c1"],"scorers":[]})");
  EXPECT_EQ(job.scope.key_id, "");
  EXPECT_EQ(job.scope.spelling, wire::Spelling::kNeutral);
  EXPECT_EQ(job.call_ids, std::vector<std::string>{"c1"});
}

TEST(EvaluationJobPayload, NamesWhatItLacks) {
  const auto problem = [](std::string_view payload) -> std::string {
    try {
      runJobOf(payload);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(problem("[]"), "a job's payload is not an object");
  EXPECT_EQ(problem(R"({"project":"p"})"), "a job's payload lacks project_id");
}

TEST(JobPayloads, RoundTrip) {
  RunJob job;
  job.scope = {{"p1", "acme/lab"}, "u1", wire::Spelling::kVendor, "k1"};
  job.run_id = "r";
  job.evaluation = "e \"quoted\"";
  job.model = "m";
  job.started_at = timestampOfMicros(1'700'000'000'000'001);
  RunJob back = runJobOf(payloadOf(job));
  expectScope(back.scope, "acme/lab");
  EXPECT_EQ(back.run_id, "r");
  EXPECT_EQ(back.evaluation, job.evaluation);
  EXPECT_EQ(back.model, "m");
  EXPECT_EQ(back.started_at, job.started_at);
  EXPECT_FALSE(back.source_run_id);
  job.source_run_id = "s";
  job.scorers = {"a", "b"};
  back = runJobOf(payloadOf(job));
  EXPECT_EQ(back.source_run_id, "s");
  EXPECT_EQ(back.scorers, job.scorers);
  const ScoringJob scoring = scoringJobOf(payloadOf(ScoringJob{job.scope, {"c1"}, {"s1"}}));
  EXPECT_EQ(scoring.call_ids, std::vector<std::string>{"c1"});
  EXPECT_EQ(scoring.scorers, std::vector<std::string>{"s1"});
  EXPECT_EQ(scoring.scope.key_id, "k1");
  // Jobs of older versions have no key id.
  std::string older = payloadOf(job);
  older.erase(older.find(R"("key_id":"k1",)"), std::string_view(R"("key_id":"k1",)").size());
  EXPECT_EQ(runJobOf(older).scope.key_id, "");
  for (const char* broken : {"", "[]", "{}", R"({"project_id":1})"}) {
    EXPECT_THROW(runJobOf(broken), std::runtime_error) << broken;
  }
  EXPECT_EQ(progressOf(3, 1), R"({"completed_rows":3,"failed_rows":1})");
}

}  // namespace
}  // namespace spindle::evaluation
