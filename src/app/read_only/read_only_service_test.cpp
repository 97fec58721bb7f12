#include "app/read_only/read_only_service.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

using http::Method;

TEST(ReadRequests, QueriesAreReads) {
  EXPECT_TRUE(isReadRequest(Method::kGet, "/api/v1/projects"));
  EXPECT_TRUE(isReadRequest(Method::kPost, "/calls/stream_query"));
  EXPECT_TRUE(isReadRequest(Method::kPost, "/v2/team/project/eval_results/query"));
  EXPECT_TRUE(isReadRequest(Method::kPost, "/api/v1/backup/holds"));
  EXPECT_TRUE(isReadRequest(Method::kDelete, "/api/v1/backup/holds/h1"));
}

TEST(ReadRequests, OthersAreWrites) {
  EXPECT_FALSE(isReadRequest(Method::kPost, "/call/start"));
  EXPECT_FALSE(isReadRequest(Method::kPost, "/calls"));
  EXPECT_FALSE(isReadRequest(Method::kPost, "/calls/query/"));
  EXPECT_FALSE(isReadRequest(Method::kPost, "/calls/query/more"));
  EXPECT_FALSE(isReadRequest(Method::kPost, "/v2/team//eval_results/query"));
  EXPECT_FALSE(isReadRequest(Method::kPost, ""));
  EXPECT_FALSE(isReadRequest(Method::kPost, "/v1/chat/completions"));
  EXPECT_FALSE(isReadRequest(Method::kPut, "/calls/query"));
  EXPECT_FALSE(isReadRequest(Method::kOther, "/calls/query"));
  EXPECT_FALSE(isReadRequest(Method::kGet, "/api/v1/session/oidc/start"));
}

/// Accepts everything.
class OpenService final : public http::Service {
 public:
  http::Admission admit(const http::Request& /*head*/) const override {
    http::Admission admission;
    admission.errors = http::ErrorShape::kDetail;
    return admission;
  }
  http::Response handle(http::Request& /*request*/) const override { return {}; }
};

TEST(ReadOnlyServices, WritesAreRefusedWithTheReason) {
  const OpenService inner;
  const ReadOnlyService service(inner);
  http::Request request;
  request.method = Method::kPost;
  request.target = "/call/start?x=1";
  const http::Admission refused = service.admit(request);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->status, 503);
  EXPECT_EQ(refused.refusal->headers.get("Retry-After"), "30");
  EXPECT_NE(refused.refusal->body.find("read-only"), std::string::npos);
  request.target = "/calls/query?x=1";
  EXPECT_FALSE(service.admit(request).refusal);
}

}  // namespace
}  // namespace spindle::app
