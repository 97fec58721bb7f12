#include "evaluation/runner/evaluation_job_payload.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace spindle::evaluation {
namespace {

RunScope scope() { return {{"p1", "acme/bot"}, "u1", wire::Spelling::kVendor, "k1"}; }

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
  EXPECT_EQ(read.scope.project.id, "p1");
  EXPECT_EQ(read.scope.project.name, "acme/bot");
  EXPECT_EQ(read.scope.user_id, "u1");
  EXPECT_EQ(read.scope.key_id, "k1");
  EXPECT_EQ(read.scope.spelling, wire::Spelling::kVendor);
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

}  // namespace
}  // namespace spindle::evaluation
