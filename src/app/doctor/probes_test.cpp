#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "app/doctor/health_probe.h"
#include "app/doctor/network_checks.h"
#include "app/doctor/postgres_probe.h"
#include "base/core/metrics.h"
#include "http/server/server.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::app {
namespace {

class FixedStatusService final : public http::Service {
 public:
  explicit FixedStatusService(int status) : status_(status) {}

  http::Admission admit(const http::Request& /*head*/) const override {
    http::Admission admission;
    admission.body_limit = 1024;
    return admission;
  }

  http::Response handle(http::Request& request) const override {
    http::Response response(request.target == "/health" ? status_ : 404);
    response.body = R"({"status":"ok"})";
    return response;
  }

 private:
  int status_;
};

/// Fixture with a server on a free port and its settings.
class HealthProbe : public testing::Test {
 protected:
  config::ServerSettings started(const FixedStatusService& service) {
    http::ServerOptions options;
    options.port = 0;
    options.access_log = false;
    server_ = std::make_unique<http::Server>(std::move(options), service, metrics_);
    server_->start();
    config::ServerSettings settings;
    settings.listen.port = server_->port();
    return settings;
  }

  MetricRegistry metrics_;
  std::unique_ptr<http::Server> server_;
};

TEST_F(HealthProbe, FetchesTheHealthOfARunningServer) {
  const FixedStatusService service(200);
  const config::ServerSettings settings = started(service);
  const Result<std::string> health = fetchHealth(settings, healthUrl(settings));
  ASSERT_TRUE(health.has_value()) << health.error().message();
  EXPECT_EQ(*health, R"({"status":"ok"})");
  const Fetch fetch = [&settings](const std::string& url) { return fetchHealth(settings, url); };
  EXPECT_EQ(checkPort(settings, probePort(settings.listen), fetch).verdict, Verdict::kOk);
  server_->stop();
}

TEST_F(HealthProbe, RefusesOtherStatuses) {
  const FixedStatusService service(503);
  const config::ServerSettings settings = started(service);
  EXPECT_FALSE(fetchHealth(settings, healthUrl(settings)).has_value());
  server_->stop();
  EXPECT_FALSE(fetchHealth(settings, healthUrl(settings)).has_value());
}

TEST(PostgresProbe, ReturnsTheServerVersion) {
  const Secret database = storage::PostgresForTest::instance().createDatabase();
  const Result<std::string> version = fetchPostgresVersion(database);
  ASSERT_TRUE(version.has_value()) << version.error().message();
  EXPECT_TRUE(version->starts_with("15")) << *version;
}

TEST(PostgresProbe, ReportsTheReasonWithoutThePassword) {
  const Result<std::string> version =
      fetchPostgresVersion(Secret("postgres://spindle:hunter2@127.0.0.1:1/spindle"));
  ASSERT_FALSE(version.has_value());
  EXPECT_EQ(version.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(version.error().message().find("hunter2"), std::string::npos);
}

}  // namespace
}  // namespace spindle::app
