#include "agents/ingest/otlp_ingest.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "identity/access/access.h"
#include "identity/store/identity_for_test.h"
#include "otlp/decode.h"
#include "tracing/ingest/payload_for_test.h"
#include "tracing/store/call_store.h"

namespace spindle::agents {
namespace {

/// Fake that stores rows in a list.
class RowsForTest final : public SpanSink {
 public:
  Result<void> write(std::string_view /*project_id*/, std::vector<AgentSpan> spans) override {
    for (AgentSpan& span : spans) rows.push_back(std::move(span));
    return {};
  }

  std::vector<AgentSpan> rows;
};

/// Fake that stores call parts in a list; reading is not supported.
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

/// Stub that resolves every project to the project of the test.
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

class IntakeTest : public identity::IdentityTest {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    ada_ = person("ada");
    project_id_ = project(team("research", ada_), "lab", ada_).id;
  }

  void ingest(OtlpTarget target) {
    Result<otlp::ExportRequest> request = otlp::decodeJson(
        R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c",)"
        R"("spanId":"b7ad6b7169203331","name":"chat m","startTimeUnixNano":"1700000000000000000",)"
        R"("endTimeUnixNano":"1700000001000000000"}]}]}]})");
    ASSERT_TRUE(request);
    const Result<otlp::Rejections> taken = ingestExport(
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
        .retention_days = [this](std::string_view project) -> Result<std::optional<std::int64_t>> {
          if (project == unavailable_project_) return Error::unavailable("Try again.");
          return days_;
        },
        .ref_projects =
            [this](std::string_view) { return std::make_unique<OneProject>(project_id_); },
        .media_store = [](std::string_view, const tracing::ProjectScope&,
                          wire::Spelling) { return std::make_unique<tracing::MediaForTest>(); },
        .clock = clock_,
        .limits = limits_};
  }

  /// Returns a request with one resource and the given number of spans.
  static std::string requestWith(const std::string& service, int spans) {
    std::string body = R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name",)"
                       R"("value":{"stringValue":")" +
                       service + R"("}}]},"scopeSpans":[{"spans":[)";
    for (int i = 0; i < spans; ++i) {
      body += (i == 0 ? "" : ",");
      body += R"({"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":")" +
              std::to_string(1'000'000'000'000'000 + i) + R"(","name":"chat m",)" +
              R"("startTimeUnixNano":"1700000000000000000",)" +
              R"("endTimeUnixNano":"1700000001000000000"})";
    }
    return body + "]}]}]}";
  }

  Result<otlp::Rejections> ingestBody(std::string body, OtlpTarget target) {
    otlp::ExportRequest request = TRY(otlp::decodeJson(std::move(body)));
    return ingestExport(services(), {ada_.id, wire::Spelling::kNeutral, "research/lab", target},
                        request);
  }

  identity::User ada_;
  std::string project_id_;
  identity::Access access_{access_facts_, projects_};
  RowsForTest rows_;
  CallsForTest calls_;
  OpPlaceholders ops_{[this](std::string_view, std::string_view, std::string_view) {
    ++published_ops_;
    return Result<std::string>("digest");
  }};
  int published_ops_ = 0;
  tracing::IngestLimits limits_;
  const Sampler sampler_;
  Counter sampled_out_;
  std::optional<std::int64_t> days_;
  std::string unavailable_project_;  ///< its settings cannot be read
};

TEST_P(IntakeTest, SpansHaveTheRetentionOfTheProject) {
  for (const OtlpTarget target : {OtlpTarget::kRows, OtlpTarget::kBoth}) {
    rows_.rows.clear();
    days_ = std::nullopt;
    ingest(target);
    days_ = 7;
    ingest(target);
    ASSERT_EQ(rows_.rows.size(), 2U);
    EXPECT_EQ(rows_.rows[0].expire_at, std::nullopt);
    EXPECT_EQ(rows_.rows[1].expire_at, rows_.rows[1].started_at + std::chrono::hours(7 * 24));
  }
  ASSERT_EQ(calls_.parts.size(), 2U);
  const auto& call = std::get<tracing::CallComplete>(calls_.parts[1]);
  EXPECT_EQ(call.start.expire_at, rows_.rows[1].expire_at);
}

TEST_P(IntakeTest, RowsHaveSenderAndTime) {
  ingest(OtlpTarget::kRows);
  ASSERT_EQ(rows_.rows.size(), 1U);
  EXPECT_EQ(rows_.rows[0].svc_user_id, ada_.id);
  EXPECT_EQ(rows_.rows[0].created_at, clock_.now());
  EXPECT_TRUE(calls_.parts.empty());
}

TEST_P(IntakeTest, ALargeResourceIsSharedByItsSpans) {
  const std::string service(1000, 's');
  const Result<otlp::Rejections> taken = ingestBody(requestWith(service, 3), OtlpTarget::kBoth);
  ASSERT_TRUE(taken) << taken.error().message();
  ASSERT_EQ(rows_.rows.size(), 3U);
  ASSERT_EQ(calls_.parts.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const AgentSpan& row = rows_.rows[i];
    ASSERT_NE(row.resource, nullptr);
    EXPECT_EQ(row.resource, rows_.rows[0].resource);
    EXPECT_EQ(row.resource_digest, row.resource->digest);
    EXPECT_EQ(row.resource->seen_at, clock_.now());
    EXPECT_EQ(row.raw_span_dump.find("resource"), std::string::npos);
    const auto& call = std::get<tracing::CallComplete>(calls_.parts[i]);
    ASSERT_NE(call.start.otel_resource, nullptr);
    EXPECT_EQ(call.start.otel_resource->digest, row.resource->digest);
    EXPECT_EQ(call.start.otel_dump->find("resource"), std::string::npos);
  }
  EXPECT_EQ(rows_.rows[0].resource->json, R"({"attributes":{"service":{"name":")" + service +
                                              R"("}},"dropped_attributes_count":0})");
}

TEST_P(IntakeTest, ASmallResourceStaysInsideItsSpans) {
  ASSERT_TRUE(ingestBody(requestWith("s", 1), OtlpTarget::kBoth));
  ASSERT_EQ(rows_.rows.size(), 1U);
  EXPECT_EQ(rows_.rows[0].resource, nullptr);
  EXPECT_EQ(rows_.rows[0].resource_digest, "");
  EXPECT_TRUE(rows_.rows[0].raw_span_dump.ends_with(
      R"("resource":{"attributes":{"service":{"name":"s"}},"dropped_attributes_count":0}})"));
  const auto& call = std::get<tracing::CallComplete>(calls_.parts[0]);
  EXPECT_EQ(call.start.otel_resource, nullptr);
}

TEST_P(IntakeTest, TheSizeOfACallCountsItsResource) {
  const std::string service(1000, 's');
  ASSERT_TRUE(ingestBody(requestWith(service, 1), OtlpTarget::kCalls));
  ASSERT_TRUE(ingestBody(requestWith("", 1), OtlpTarget::kCalls));
  ASSERT_EQ(calls_.parts.size(), 2U);
  const auto& large = std::get<tracing::CallComplete>(calls_.parts[0]);
  const auto& small = std::get<tracing::CallComplete>(calls_.parts[1]);
  EXPECT_EQ(large.start.bytes - small.start.bytes, 1000);
}

TEST_P(IntakeTest, ATooLargeRequestStoresNothing) {
  const std::string body = requestWith("s", 100);
  limits_.stored_request = 50'000;
  for (const OtlpTarget target : {OtlpTarget::kRows, OtlpTarget::kCalls, OtlpTarget::kBoth}) {
    const Result<otlp::Rejections> refused = ingestBody(body, target);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kTooLarge);
    EXPECT_NE(refused.error().message().find("limits.stored_request"), std::string::npos);
  }
  EXPECT_TRUE(rows_.rows.empty());
  EXPECT_TRUE(calls_.parts.empty());
  EXPECT_EQ(published_ops_, 0);
  limits_ = {};
  ASSERT_TRUE(ingestBody(body, OtlpTarget::kBoth));
  EXPECT_EQ(rows_.rows.size(), 100U);
  EXPECT_EQ(calls_.parts.size(), 100U);
  EXPECT_EQ(published_ops_, 1);
}

TEST_P(IntakeTest, TheGrowthOfARequestIsLimited) {
  limits_.stored_growth = 1;
  const Result<otlp::Rejections> refused = ingestBody(requestWith("s", 2000), OtlpTarget::kBoth);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("limits.stored_growth"), std::string::npos);
  EXPECT_TRUE(rows_.rows.empty());
}

TEST_P(IntakeTest, SpansOfATooLargeResourceAreRejected) {
  const Result<otlp::Rejections> taken =
      ingestBody(requestWith(std::string(300'000, 's'), 5), OtlpTarget::kBoth);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->spans(), 5U);
  EXPECT_EQ(taken->message(), "The attributes of a resource exceed 262144 bytes");
  EXPECT_TRUE(rows_.rows.empty());
}

TEST_P(IntakeTest, ATransientErrorOfOneProjectFailsTheRequest) {
  unavailable_project_ = project(team("sales", ada_), "bots", ada_).id;
  const std::string here = requestWith("here", 1);
  std::string there = requestWith("there", 1);
  const std::string attribute = R"({"key":"svc.entity","value":{"stringValue":"sales"}},)"
                                R"({"key":"svc.project","value":{"stringValue":"bots"}},)";
  there.insert(there.find(R"({"key":"service.name")"), attribute);
  // {"resourceSpans":[A]} and {"resourceSpans":[B]} become {"resourceSpans":[A,B]}.
  const std::string both =
      here.substr(0, here.size() - 2) + "," + there.substr(there.find('[') + 1);
  const Result<otlp::Rejections> taken = ingestBody(both, OtlpTarget::kBoth);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code(), ErrorCode::kUnavailable);
}

SPINDLE_ON_BOTH_ENGINES(IntakeTest);

}  // namespace
}  // namespace spindle::agents
