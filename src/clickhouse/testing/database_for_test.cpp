#include "clickhouse/testing/database_for_test.h"

#include <cstdlib>
#include <stdexcept>

#include "base/crypto/id.h"

namespace spindle::clickhouse {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): never set
  return value == nullptr ? std::string() : std::string(value);
}

ClientOptions serverOptions() {
  ClientOptions options;
  options.url = environment("SPINDLE_TEST_CLICKHOUSE");
  const std::string user = environment("SPINDLE_TEST_CLICKHOUSE_USER");
  if (!user.empty()) options.user = user;
  options.password = Secret(environment("SPINDLE_TEST_CLICKHOUSE_PASSWORD"));
  return options;
}

/// Returns `<before>"<name>"<after>`.
SqlText around(SqlView before, const std::string& name, SqlView after = {}) {
  return before + SqlText::identifier(name).value() + after;
}

}  // namespace

bool DatabaseForTest::isAvailable() { return !environment("SPINDLE_TEST_CLICKHOUSE").empty(); }

DatabaseForTest::DatabaseForTest() {
  name_ = "spindle_test_" + newPrefixedId("", SystemClock().now());
  Client server(serverOptions());
  const Result<void> created = server.execute(around("CREATE DATABASE ", name_));
  if (!created) throw std::runtime_error(created.error().message());
  client_ = std::make_unique<Client>(options());
}

DatabaseForTest::~DatabaseForTest() {
  client_.reset();
  Client server(serverOptions());
  // A failure leaves an empty database behind, which harms no other test.
  static_cast<void>(server.execute(around("DROP DATABASE ", name_, " SYNC")));
}

ClientOptions DatabaseForTest::options() const {
  ClientOptions options = serverOptions();
  options.database = name_;
  return options;
}

}  // namespace spindle::clickhouse
