#include "trainer/worker/lease.h"

#include <gtest/gtest.h>

namespace spindle::trainer {
namespace {

const std::string whole_lease = R"({
  "job": {"id": "j-1", "kind": "rl", "model_id": "m", "step": 4},
  "lease": {"token": "secret", "seconds": 30},
  "base_model": {"name": "nano", "file": "/models/nano.gguf", "size": 12, "revision": -7},
  "adapter": {"step": 3, "files": [{"name": "adapter_config.json", "size": 4, "md5": "x"}]},
  "reference": null,
  "config": {"learning_rate": 1e-4, "nested": {"a": [1]}},
  "reward_history": [{"step": 1, "std_dev": 0.5}, {"step": 2, "std_dev": 0.25}],
  "data": {"size": 1, "count": 2},
  "state": {"sequence": 11, "size": 7},
  "last_sequence": 15})";

std::string changed(const std::string& from, const std::string& to) {
  std::string text = whole_lease;
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Leases, ContainTheJobsInputs) {
  const Result<Lease> lease = leaseOf(whole_lease);
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->job_id, "j-1");
  EXPECT_EQ(lease->kind, JobSpec::Kind::kRl);
  EXPECT_EQ(lease->token, "secret");
  EXPECT_EQ(lease->seconds, 30);
  EXPECT_EQ(lease->base_model, "nano");
  EXPECT_EQ(lease->base_file, "/models/nano.gguf");
  EXPECT_EQ(lease->base_size, 12U);
  EXPECT_EQ(lease->base_revision, -7);
  EXPECT_EQ(lease->adapter_files, std::vector<std::string>{"adapter_config.json"});
  EXPECT_TRUE(lease->reference_files.empty());
  EXPECT_EQ(lease->config, R"({"learning_rate": 1e-4, "nested": {"a": [1]}})");
  ASSERT_EQ(lease->reward_history.size(), 2U);
  EXPECT_EQ(lease->reward_history[1].step, 2);
  EXPECT_EQ(lease->reward_history[1].deviation, 0.25);
  EXPECT_TRUE(lease->has_state);
  EXPECT_EQ(lease->last_sequence, 15U);
  EXPECT_EQ(lease->path("/data"), "/api/v1/trainer/jobs/j-1/data");
}

TEST(Leases, OfNewJobsHaveNoState) {
  const Result<Lease> lease = leaseOf(changed(R"({"sequence": 11, "size": 7})", "null"));
  ASSERT_TRUE(lease);
  EXPECT_FALSE(lease->has_state);
}

TEST(Leases, RejectInvalidBodies) {
  EXPECT_FALSE(leaseOf("not json"));
  EXPECT_FALSE(leaseOf("[]"));
  EXPECT_FALSE(leaseOf("{}"));
  EXPECT_FALSE(leaseOf(changed(R"("token": "secret")", R"("token": 7)")));
  EXPECT_FALSE(leaseOf(changed(R"("seconds": 30)", R"("seconds": 0)")));
  EXPECT_FALSE(leaseOf(changed(R"("config": {)", R"("konfig": {)")));
}

TEST(Leases, RejectFileNamesWithPaths) {
  for (const char* name : {"../up", "/etc/passwd", ".hidden", "", "a/b"}) {
    EXPECT_FALSE(leaseOf(changed("adapter_config.json", name))) << name;
    EXPECT_FALSE(leaseOf(changed("j-1", name))) << name;
  }
}

}  // namespace
}  // namespace spindle::trainer
