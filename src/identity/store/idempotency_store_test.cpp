#include "identity/store/idempotency_store.h"

#include <atomic>
#include <thread>

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class IdempotencyStoreTest : public IdentityTest {
 protected:
  Result<IdempotencyClaim> begin(std::string_view body = "{}",
                                 std::string_view key = "k1",
                                 std::string_view caller = "usr_1",
                                 std::string_view path = "/api/v1/users") {
    return store_.begin({caller, "POST", path, key, body});
  }
  static RecordedResponse response() {
    RecordedResponse stored;
    stored.status = 201;
    stored.headers = {{"ETag", "\"1\""}, {"Location", "/x:1"}};
    stored.body = std::string("{\"key\":\"secret-\0-☃\"}", 22);
    return stored;
  }

  IdempotencyStore store_{*database_, clock_, sha256("seal")};
};

TEST_P(IdempotencyStoreTest, ReplaysTheResponseOfTheSameRequest) {
  const Result<IdempotencyClaim> first = begin();
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->replay);
  ASSERT_TRUE(store_.finish(*first, response()));
  for (int i = 0; i < 2; ++i) {
    const Result<IdempotencyClaim> again = begin();
    ASSERT_TRUE(again && again->replay);
    EXPECT_EQ(again->replay->status, 201);
    EXPECT_EQ(again->replay->headers, response().headers);
    EXPECT_EQ(again->replay->body, response().body);
  }
}

TEST_P(IdempotencyStoreTest, EncryptsResponses) {
  ASSERT_TRUE(store_.finish(*begin(), response()));
  const auto row = database_->read([](storage::Session& session) {
    return session.queryOne("SELECT answer FROM idempotency_keys");
  });
  const std::string stored = (*row)->text("answer");
  EXPECT_EQ(stored.find("secret"), std::string::npos);
  EXPECT_EQ(decodeBase64(stored)->find("secret"), std::string::npos);
}

TEST_P(IdempotencyStoreTest, RejectsTheKeyWithAnotherBody) {
  const Result<IdempotencyClaim> first = begin("{\"a\":1}");
  ASSERT_TRUE(first);
  for (int i = 0; i < 2; ++i) {
    const Result<IdempotencyClaim> other = begin("{\"a\":2}");
    ASSERT_EQ(codeOf(other), ErrorCode::kInvalidSchema);
    EXPECT_EQ(other.error().violations().at(0).type, "idempotency_key_reused");
    ASSERT_TRUE(store_.finish(*first, response()));
  }
}

TEST_P(IdempotencyStoreTest, SeparatesCallersPathsAndKeys) {
  ASSERT_TRUE(store_.finish(*begin(), response()));
  EXPECT_FALSE(begin("{}", "k2")->replay);
  EXPECT_FALSE(begin("{}", "k1", "usr_2")->replay);
  EXPECT_FALSE(begin("{}", "k1", "usr_1", "/api/v1/teams")->replay);
}

TEST_P(IdempotencyStoreTest, ExecutesOneOfConcurrentRequests) {
  std::atomic<int> through{0};
  std::atomic<int> running{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Result<IdempotencyClaim> claim = begin();
        if (claim) ++through;
        if (!claim && claim.error().reason() == "idempotency_in_progress") ++running;
      });
    }
  }
  EXPECT_EQ(through, 1);
  EXPECT_EQ(running, 3);
}

TEST_P(IdempotencyStoreTest, TakesOverAnExpiredLease) {
  const Result<IdempotencyClaim> dead = begin();
  ASSERT_TRUE(dead);
  clock_.advance(std::chrono::seconds(59));
  EXPECT_EQ(reasonOf(begin()), "idempotency_in_progress");
  clock_.advance(std::chrono::seconds(1));
  const Result<IdempotencyClaim> successor = begin();
  ASSERT_TRUE(successor);
  EXPECT_FALSE(successor->replay);
  RecordedResponse late = response();
  late.status = 500;
  ASSERT_TRUE(store_.finish(*dead, late)) << "it was not dead, only slow";
  EXPECT_EQ(reasonOf(begin()), "idempotency_in_progress");
  ASSERT_TRUE(store_.finish(*successor, response()));
  ASSERT_TRUE(store_.abandon(*successor)) << "an answer that was kept stays";
  EXPECT_EQ(begin()->replay->status, 201);
}

TEST_P(IdempotencyStoreTest, DeletesAnAbandonedRequest) {
  ASSERT_TRUE(store_.abandon(*begin("{\"a\":1}")));
  const Result<IdempotencyClaim> again = begin("{\"a\":2}");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->replay);
}

TEST_P(IdempotencyStoreTest, DeletesResponsesAfterADay) {
  ASSERT_TRUE(store_.finish(*begin(), response()));
  clock_.advance(std::chrono::hours(24) - std::chrono::seconds(1));
  EXPECT_TRUE(begin()->replay);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(begin("{\"other\":1}")->replay);
}

SPINDLE_ON_BOTH_ENGINES(IdempotencyStoreTest);

}  // namespace
}  // namespace spindle::identity
