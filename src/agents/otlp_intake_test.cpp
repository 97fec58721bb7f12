#include "agents/otlp_intake.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "identity/access.h"
#include "identity/identity_for_test.h"
#include "otlp/decode.h"
#include "tracing/call_store.h"
#include "tracing/payload_for_test.h"

namespace spindle::agents {
namespace {

/// Keeps rows in a list.
class RowsForTest final : public SpanSink {
 public:
  Result<void> write(std::string_view /*project_id*/, std::vector<AgentSpan> spans) override {
    for (AgentSpan& span : spans) rows.push_back(std::move(span));
    return {};
  }

  std::vector<AgentSpan> rows;
};

/// Keeps parts of calls in a list; nothing can be read.
class CallsForTest final : public tracing::CallStore {
 public:
  Result<void> write(std::string_view /*project_id*/,
                     std::vector<tracing::CallPart> written) override {
    for (tracing::CallPart& part : written) parts.push_back(std::move(part));
    return {};
  }
  Result<std::unique_ptr<tracing::CallView>> view(
      const tracing::ProjectScope& /*project*/) override {
    return Error::unavailable("There is nothing to read.");
  }
  Result<std::int64_t> removeExpired(Timestamp /*now*/) override { return 0; }

  std::vector<tracing::CallPart> parts;
};

/// Every project is the one of the test.
class OneProject final : public objects::RefProjects {
 public:
  explicit OneProject(std::string id) : id_(std::move(id)) {}
  Result<std::optional<std::string>> internalOf(std::string_view /*external*/) override {
    return std::optional<std::string>(id_);
  }
  Result<std::optional<std::string>> externalOf(std::string_view /*internal*/) override {
    return std::optional<std::string>("research/lab");
  }

 private:
  const std::string id_;
};

class IntakeTest : public identity::IdentityContract {
 protected:
  void SetUp() override {
    IdentityContract::SetUp();
    ada_ = person("ada");
    project_id_ = project(team("research", ada_), "lab", ada_).id;
  }

  void take(OtlpTarget target) {
    Result<otlp::ExportRequest> request = otlp::decodeJson(
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",)"
        R"("spanId":"b7ad6b7169203331","name":"chat m","startTimeUnixNano":"1700000000000000000",)"
        R"("endTimeUnixNano":"1700000001000000000"}]}]}]})");
    ASSERT_TRUE(request);
    const Result<otlp::Rejections> taken = takeExport(
        services(), {ada_.id, wire::Spelling::kNeutral, "research/lab", target}, *request);
    ASSERT_TRUE(taken) << taken.error().message();
    EXPECT_EQ(otlp::jsonResponse(*taken), "{}");
  }

  OtlpServices services() {
    return {
        .access = access_,
        .spans = rows_,
        .calls = calls_,
        .ops = ops_,
        .sampler = sampler_,
        .sampled_out = sampled_out_,
        .retention_days = [this](std::string_view) { return Result(days_); },
        .ref_projects =
            [this](std::string_view) { return std::make_unique<OneProject>(project_id_); },
        .media_keeper = [](std::string_view, const tracing::ProjectScope&,
                           wire::Spelling) { return std::make_unique<tracing::MediaForTest>(); },
        .clock = clock_};
  }

  identity::User ada_;
  std::string project_id_;
  identity::Access access_{standings_, projects_};
  RowsForTest rows_;
  CallsForTest calls_;
  OpPlaceholders ops_{[](std::string_view, std::string_view, std::string_view) {
    return Result<std::string>("digest");
  }};
  const Sampler sampler_;
  Counter sampled_out_;
  std::optional<std::int64_t> days_;
};

TEST_P(IntakeTest, SpansAreKeptAsLongAsTheProjectKeepsItsCalls) {
  for (const OtlpTarget target : {OtlpTarget::kRows, OtlpTarget::kBoth}) {
    rows_.rows.clear();
    days_ = std::nullopt;
    take(target);
    days_ = 7;
    take(target);
    ASSERT_EQ(rows_.rows.size(), 2U);
    EXPECT_EQ(rows_.rows[0].expire_at, std::nullopt);
    EXPECT_EQ(rows_.rows[1].expire_at, rows_.rows[1].started_at + std::chrono::hours(7 * 24));
  }
  ASSERT_EQ(calls_.parts.size(), 2U);
  const auto& call = std::get<tracing::CallComplete>(calls_.parts[1]);
  EXPECT_EQ(call.start.expire_at, rows_.rows[1].expire_at);
}

TEST_P(IntakeTest, RowsSayWhoSentThemAndWhen) {
  take(OtlpTarget::kRows);
  ASSERT_EQ(rows_.rows.size(), 1U);
  EXPECT_EQ(rows_.rows[0].svc_user_id, ada_.id);
  EXPECT_EQ(rows_.rows[0].created_at, clock_.now());
  EXPECT_TRUE(calls_.parts.empty());
}

SPINDLE_ON_BOTH_ENGINES(IntakeTest);

}  // namespace
}  // namespace spindle::agents
