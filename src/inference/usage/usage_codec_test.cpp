#include "inference/usage/usage_codec.h"

#include <string>

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

UsageRecord sample() {
  return {.id = "0199-a",
          .request_id = "req",
          .started_at = timestampOfMicros(1'700'000'000'123'456),
          .team_id = "team",
          .project_id = "project",
          .user_id = "user",
          .key_id = "spk_key",
          .model = "vendor/model",
          .upstream = "upstream",
          .operation = "chat",
          .status = 499,
          .streamed = true,
          .counted = true,
          .tokens = {1, 2, 3, std::int64_t{1} << 60},
          .cost = 0.1,
          .latency = std::chrono::microseconds(77),
          .first_token = std::chrono::microseconds(5),
          .attempts = 3};
}

void expectEqual(const UsageRecord& a, const UsageRecord& b) {
  EXPECT_EQ(a.id, b.id);
  EXPECT_EQ(a.request_id, b.request_id);
  EXPECT_EQ(a.started_at, b.started_at);
  EXPECT_EQ(a.team_id, b.team_id);
  EXPECT_EQ(a.project_id, b.project_id);
  EXPECT_EQ(a.user_id, b.user_id);
  EXPECT_EQ(a.key_id, b.key_id);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.upstream, b.upstream);
  EXPECT_EQ(a.operation, b.operation);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.streamed, b.streamed);
  EXPECT_EQ(a.counted, b.counted);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.cost, b.cost);
  EXPECT_EQ(a.latency, b.latency);
  EXPECT_EQ(a.first_token, b.first_token);
  EXPECT_EQ(a.attempts, b.attempts);
}

TEST(UsageCodec, DecodesEncodedRecords) {
  UsageRecord other;
  other.id = "b";
  std::string bytes;
  encodeUsage(sample(), bytes);
  encodeUsage(other, bytes);
  const auto records = decodeUsage(bytes);
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 2U);
  expectEqual(records->front(), sample());
  expectEqual(records->back(), other);
  EXPECT_FALSE(records->back().first_token);
}

TEST(UsageCodec, RejectsEveryTruncationAndTrailingBytes) {
  std::string bytes;
  encodeUsage(sample(), bytes);
  for (std::size_t length = 1; length < bytes.size(); ++length) {
    EXPECT_FALSE(decodeUsage(std::string_view(bytes).substr(0, length))) << length;
  }
  EXPECT_FALSE(decodeUsage(bytes + "x"));
  EXPECT_FALSE(decodeUsage(std::string(8, '\xff')));
}

TEST(UsageCodec, CutsTextsThatAreTooLong) {
  UsageRecord record = sample();
  for (std::string* text :
       {&record.id, &record.request_id, &record.team_id, &record.project_id, &record.user_id,
        &record.key_id, &record.model, &record.upstream, &record.operation}) {
    *text = std::string(100'000, 'x');
  }
  std::string bytes;
  encodeUsage(record, bytes);
  EXPECT_LE(bytes.size(), kMostUsageRecordBytes);
  const auto records = decodeUsage(bytes);
  ASSERT_TRUE(records);
  EXPECT_EQ(records->front().model.size(), 4096U);
}

}  // namespace
}  // namespace spindle::inference
