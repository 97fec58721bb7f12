#include "identity/sessions/password_hasher.h"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace spindle::identity {
namespace {

constexpr ScryptCost kCheap{4, 1, 1};

TEST(PasswordHasher, MatchesThePasswordOnly) {
  PasswordHasher hasher(sha256("key"), kCheap);
  const std::string hash = *hasher.hash(Secret("correct horse battery"));
  EXPECT_TRUE(hash.starts_with("scrypt$4$1$1$")) << hash;
  EXPECT_EQ(hash.find("horse"), std::string::npos);
  EXPECT_TRUE(*hasher.matches(Secret("correct horse battery"), hash));
  EXPECT_FALSE(*hasher.matches(Secret("correct horse batterx"), hash));
  EXPECT_FALSE(*hasher.matches(Secret(""), hash));
  EXPECT_NE(hash, *hasher.hash(Secret("correct horse battery"))) << "a salt of its own";
}

TEST(PasswordHasher, NeedsTheKeyOfTheServer) {
  PasswordHasher hasher(sha256("key"), kCheap);
  PasswordHasher other(sha256("other"), kCheap);
  EXPECT_FALSE(*other.matches(Secret("password"), *hasher.hash(Secret("password"))));
}

TEST(PasswordHasher, ReadsHashesOfAnotherCost) {
  PasswordHasher old(sha256("key"), kCheap);
  PasswordHasher now(sha256("key"), {5, 2, 1});
  EXPECT_TRUE(*now.matches(Secret("password"), *old.hash(Secret("password"))));
}

TEST(PasswordHasher, MatchesNothingWithADamagedHash) {
  PasswordHasher hasher(sha256("key"), kCheap);
  for (const std::string_view hash :
       {"", "scrypt", "scrypt$4$1$1$$", "scrypt$99$1$1$c2FsdA$c2FsdA", "scrypt$4$1$x$c2FsdA$c2FsdA",
        "plain$4$1$1$c2FsdA$c2FsdA", "scrypt$-4$1$1$c2FsdA$c2FsdA"}) {
    const Result<bool> matched = hasher.matches(Secret(""), hash);
    ASSERT_TRUE(matched) << hash;
    EXPECT_FALSE(*matched) << hash;
  }
}

TEST(PasswordHasher, RefusesCallersBeyondItsLimits) {
  // With the only turn taken and no waiting allowed, a caller is refused at once. The hash that
  // takes the turn costs enough to outlast the other callers.
  PasswordHasher hasher(sha256("key"), {15, 8, 1}, {.running = 1, .waiting = 0});
  std::atomic<int> hashed = 0;
  std::atomic<int> refused = 0;
  std::vector<std::thread> callers;
  callers.reserve(8);
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      const Result<std::string> hash = hasher.hash(Secret("password"));
      if (hash) ++hashed;
      if (!hash && hash.error().code() == ErrorCode::kUnavailable) ++refused;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(hashed + refused, 8);
  EXPECT_GE(hashed, 1);
  EXPECT_TRUE(hasher.hash(Secret("password"))) << "the turn is free again";
}

}  // namespace
}  // namespace spindle::identity
