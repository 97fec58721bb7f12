#include "engine/api/engine_service.h"

#include <gtest/gtest.h>

namespace spindle::engine {
namespace {

class Routes final : public http::Service {
 public:
  http::Admission admit(const http::Request& /*head*/) const override {
    http::Admission admission;
    admission.body_limit = 77;
    return admission;
  }
  http::Response handle(http::Request& request) const override {
    http::Response response;
    response.body = "routed " + request.target;
    return response;
  }
};

http::Request get(const std::string& target) {
  http::Request request;
  request.target = target;
  return request;
}

TEST(EngineService, ReportsProgressDuringLoading) {
  EngineService service;
  service.setProgress(0.42F);
  http::Request request = get("/health");
  EXPECT_FALSE(service.admit(request).refusal);
  const http::Response response = service.handle(request);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.headers.get("Retry-After"), "1");
  EXPECT_EQ(response.body, R"({"status":"loading","progress":0.42})");
}

TEST(EngineService, RefusesOtherRequestsDuringLoading) {
  EngineService service;
  for (const std::string target : {"/v1/chat/completions", "/v1/models", "/nothing"}) {
    const http::Admission admission = service.admit(get(target));
    ASSERT_TRUE(admission.refusal);
    EXPECT_EQ(admission.refusal->status, 503);
    EXPECT_EQ(admission.refusal->headers.get("Retry-After"), "1");
    EXPECT_NE(admission.refusal->body.find("The model is being loaded"), std::string::npos);
  }
}

TEST(EngineService, ForwardsRequestsAfterLoading) {
  EngineService service;
  const Routes routes;
  service.open(routes, {.model = "tiny", .slots = 3, .context = 512, .memory_bytes = 12345});
  http::Request request = get("/v1/models");
  EXPECT_EQ(service.admit(request).body_limit, 77U);
  EXPECT_EQ(service.handle(request).body, "routed /v1/models");
  http::Request health = get("/health");
  EXPECT_EQ(service.handle(health).status, 200);
  EXPECT_EQ(service.handle(health).body,
            R"({"status":"ok","model":"tiny","slots":3,"context":512,"memory_bytes":12345})");
}

}  // namespace
}  // namespace spindle::engine
