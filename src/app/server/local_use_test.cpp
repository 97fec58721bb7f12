#include "app/server/local_use.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "app/server/target_options.h"
#include "identity/store/migrations.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::app {
namespace {

class LocalUseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    database_->migrate({identity::identitySchema()}, clock_.now());
    admin_ = addUser("admin");
    server_.listen.host = "127.0.0.1";
  }

  std::string addUser(const std::string& name) {
    identity::NewUser fresh;
    fresh.username = name;
    return users_.insert(fresh)->id;
  }
  bool holdsAtStart() { return LocalUse(server_, users_, data_).holds(); }
  static http::Request headWith(const std::string& name) {
    http::Request head;
    head.headers.add("Host", "localhost");
    head.headers.add(name, "1");
    return head;
  }
  static http::Principal caller(const std::string& id) {
    http::Principal principal;
    principal.user_id = id;
    return principal;
  }

  const SystemClock clock_{};
  storage::DatabaseForTest database_{storage::Engine::kSqlite};
  storage::FolderForTest folder_;
  storage::DataFolder data_{folder_.path()};
  identity::UserRepository users_{*database_, clock_};
  config::ServerSettings server_;
  std::string admin_;
};

TEST_F(LocalUseTest, HoldsForOneUserOnLoopback) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
    server_.listen.host = host;
    EXPECT_TRUE(holdsAtStart()) << host;
  }
}

TEST_F(LocalUseTest, EndsWhereTheServerListensOnANetwork) {
  for (const char* host : {"0.0.0.0", "::", "192.168.1.5", "example.com"}) {
    server_.listen.host = host;
    EXPECT_FALSE(holdsAtStart()) << host;
  }
}

TEST_F(LocalUseTest, EndsWithASecondUser) {
  LocalUse use(server_, users_, data_);
  use.callerAccepted(caller(admin_));
  EXPECT_TRUE(use.holds());
  const std::string second = addUser("second");
  use.callerAccepted(caller(second));
  EXPECT_FALSE(use.holds()) << "from the second user's first request on";
  EXPECT_FALSE(holdsAtStart());
}

TEST_F(LocalUseTest, EndsWithASecondUserThatHasNotCalledYet) {
  LocalUse use(server_, users_, data_);
  addUser("second");
  use.refresh();
  EXPECT_FALSE(use.holds());
}

TEST_F(LocalUseTest, EndsWithAForwardedRequestAndStaysSoAfterARestart) {
  for (const char* name : {"X-Forwarded-For", "x-forwarded-proto", "X-FORWARDED-HOST", "Forwarded",
                           "Via", "X-Real-IP"}) {
    {
      LocalUse use(server_, users_, data_);
      ASSERT_TRUE(use.holds());
      use.requestArrived(headWith("X-Request-Id"));
      EXPECT_TRUE(use.holds());
      use.requestArrived(headWith(name));
      EXPECT_FALSE(use.holds()) << name;
    }
    EXPECT_FALSE(holdsAtStart()) << name;
    std::filesystem::remove(data_.fileAt(LocalUse::kForwardedMarker));
    EXPECT_TRUE(holdsAtStart()) << "the operator may undo it";
  }
}

TEST_F(LocalUseTest, DecidesOnPrivateTargetsOnlyUnderAuto) {
  LocalUse use(server_, users_, data_);
  config::Settings settings;
  const auto allows = [&](config::PrivateTargets choice) {
    settings.webhooks.allow_private = choice;
    return http::EgressPolicy(targetOptions(settings, use)).allowsAddress("h", "127.0.0.1");
  };
  EXPECT_TRUE(allows(config::PrivateTargets::kAuto));
  EXPECT_TRUE(allows(config::PrivateTargets::kAlways));
  EXPECT_FALSE(allows(config::PrivateTargets::kNever));
  use.requestArrived(headWith("X-Forwarded-For"));
  EXPECT_FALSE(allows(config::PrivateTargets::kAuto));
  EXPECT_TRUE(allows(config::PrivateTargets::kAlways));
  EXPECT_FALSE(allows(config::PrivateTargets::kNever));
}

}  // namespace
}  // namespace spindle::app
