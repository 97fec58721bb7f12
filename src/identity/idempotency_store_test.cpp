#include "identity/idempotency_store.h"

#include <atomic>
#include <thread>

#include "identity/identity_for_test.h"

namespace spindle::identity {
namespace {

class Idempotency : public IdentityContract {
 protected:
  Result<IdempotentStart> begin(std::string_view body = "{}",
                                std::string_view key = "k1",
                                std::string_view caller = "usr_1",
                                std::string_view path = "/api/v1/users") {
    return store_.begin({caller, "POST", path, key, body});
  }
  static StoredAnswer answer() {
    StoredAnswer stored;
    stored.status = 201;
    stored.headers = {{"ETag", "\"1\""}, {"Location", "/x:1"}};
    stored.body = std::string("{\"key\":\"secret-\0-☃\"}", 22);
    return stored;
  }

  IdempotencyStore store_{*database_, clock_, sha256("seal")};
};

TEST_P(Idempotency, ReplaysTheAnswerOfTheSameRequest) {
  const Result<IdempotentStart> first = begin();
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->replay);
  ASSERT_TRUE(store_.finish(*first, answer()));
  for (int i = 0; i < 2; ++i) {
    const Result<IdempotentStart> again = begin();
    ASSERT_TRUE(again && again->replay);
    EXPECT_EQ(again->replay->status, 201);
    EXPECT_EQ(again->replay->headers, answer().headers);
    EXPECT_EQ(again->replay->body, answer().body);
  }
}

TEST_P(Idempotency, KeepsAnswersEncrypted) {
  ASSERT_TRUE(store_.finish(*begin(), answer()));
  const auto row = database_->read([](storage::Session& session) {
    return session.queryOne("SELECT answer FROM idempotency_keys");
  });
  const std::string stored = (*row)->text("answer");
  EXPECT_EQ(stored.find("secret"), std::string::npos);
  EXPECT_EQ(decodeBase64(stored)->find("secret"), std::string::npos);
}

TEST_P(Idempotency, RefusesTheKeyWithAnotherBody) {
  const Result<IdempotentStart> first = begin("{\"a\":1}");
  ASSERT_TRUE(first);
  for (int i = 0; i < 2; ++i) {
    const Result<IdempotentStart> other = begin("{\"a\":2}");
    ASSERT_EQ(codeOf(other), ErrorCode::kInvalidSchema);
    EXPECT_EQ(other.error().violations().at(0).type, "idempotency_key_reused");
    ASSERT_TRUE(store_.finish(*first, answer()));
  }
}

TEST_P(Idempotency, KeepsCallersPathsAndKeysApart) {
  ASSERT_TRUE(store_.finish(*begin(), answer()));
  EXPECT_FALSE(begin("{}", "k2")->replay);
  EXPECT_FALSE(begin("{}", "k1", "usr_2")->replay);
  EXPECT_FALSE(begin("{}", "k1", "usr_1", "/api/v1/teams")->replay);
}

TEST_P(Idempotency, LetsOneOfManyThrough) {
  std::atomic<int> through{0};
  std::atomic<int> running{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        const Result<IdempotentStart> start = begin();
        if (start) ++through;
        if (!start && start.error().reason() == "idempotency_in_progress") ++running;
      });
    }
  }
  EXPECT_EQ(through, 1);
  EXPECT_EQ(running, 3);
}

TEST_P(Idempotency, DoesNotWaitForEverForARequestThatDied) {
  const Result<IdempotentStart> dead = begin();
  ASSERT_TRUE(dead);
  clock_.advance(std::chrono::seconds(59));
  EXPECT_EQ(reasonOf(begin()), "idempotency_in_progress");
  clock_.advance(std::chrono::seconds(1));
  const Result<IdempotentStart> heir = begin();
  ASSERT_TRUE(heir);
  EXPECT_FALSE(heir->replay);
  StoredAnswer late = answer();
  late.status = 500;
  ASSERT_TRUE(store_.finish(*dead, late)) << "it was not dead, only slow";
  EXPECT_EQ(reasonOf(begin()), "idempotency_in_progress");
  ASSERT_TRUE(store_.finish(*heir, answer()));
  ASSERT_TRUE(store_.abandon(*heir)) << "an answer that was kept stays";
  EXPECT_EQ(begin()->replay->status, 201);
}

TEST_P(Idempotency, ForgetsAnAbandonedRequestAtOnce) {
  ASSERT_TRUE(store_.abandon(*begin("{\"a\":1}")));
  const Result<IdempotentStart> again = begin("{\"a\":2}");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->replay);
}

TEST_P(Idempotency, ForgetsAnswersAfterADay) {
  ASSERT_TRUE(store_.finish(*begin(), answer()));
  clock_.advance(std::chrono::hours(24) - std::chrono::seconds(1));
  EXPECT_TRUE(begin()->replay);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_FALSE(begin("{\"other\":1}")->replay);
}

SPINDLE_ON_BOTH_ENGINES(Idempotency);

}  // namespace
}  // namespace spindle::identity
