#include "identity/access/authenticator.h"

#include <atomic>
#include <thread>

#include "identity/store/identity_for_test.h"

namespace spindle::identity {
namespace {

class AuthenticatorTest : public IdentityTest {
 protected:
  Authenticator authenticator_{keys_, clock_};
};

TEST_P(AuthenticatorTest, FindsTheUserOfAKey) {
  const User ann = person("ann");
  const IssuedKey issued = key(ann, "laptop");
  for (int i = 0; i < 3; ++i) {
    const Result<AuthenticatedUser> user = authenticator_.authenticate(issued.text.reveal());
    ASSERT_TRUE(user);
    EXPECT_EQ(user->user_id, ann.id);
    EXPECT_EQ(user->username, "ann");
    EXPECT_EQ(user->key_id, issued.key.key_id);
    EXPECT_EQ(user->api_key_id, issued.key.id);
  }
}

TEST_P(AuthenticatorTest, RejectsInvalidKeys) {
  const IssuedKey issued = key(person("ann"), "laptop");
  std::string wrong(issued.text.reveal());
  wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
  for (const std::string& text :
       {std::string(), wrong, issued.key.key_id, std::string(10'000, 'x'),
        std::string(issued.text.reveal()) + '\0', std::string("spk_\xFF with blanks and more")}) {
    EXPECT_EQ(codeOf(authenticator_.authenticate(text)), ErrorCode::kUnauthenticated);
  }
}

TEST_P(AuthenticatorTest, RejectsARevokedKeyAtTheNextRequest) {
  const User ann = person("ann");
  for (const bool elsewhere : {false, true}) {
    const IssuedKey issued = key(ann, elsewhere ? "second" : "first");
    ASSERT_TRUE(authenticator_.authenticate(issued.text.reveal()));
    ASSERT_TRUE(authenticator_.authenticate(issued.text.reveal()));
    if (elsewhere) {
      const std::unique_ptr<storage::Database> process = database_.openAgain();
      ApiKeyRepository tool(*process, clock_, sha256("test"));
      ASSERT_TRUE(tool.remove(issued.key.id));
    } else {
      ASSERT_TRUE(keys_.remove(issued.key.id));
    }
    EXPECT_EQ(codeOf(authenticator_.authenticate(issued.text.reveal())),
              ErrorCode::kUnauthenticated);
  }
}

TEST_P(AuthenticatorTest, RejectsAnExpiredKey) {
  NewApiKey fresh;
  fresh.owner_id = person("ann").id;
  fresh.name = "short";
  fresh.expires_at = clock_.now() + std::chrono::seconds(10);
  const Result<IssuedKey> issued = keys_.issue(fresh);
  ASSERT_TRUE(authenticator_.authenticate(issued->text.reveal()));
  clock_.advance(std::chrono::seconds(9));
  ASSERT_TRUE(authenticator_.authenticate(issued->text.reveal()));
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(codeOf(authenticator_.authenticate(issued->text.reveal())),
            ErrorCode::kUnauthenticated);
}

TEST_P(AuthenticatorTest, RejectsKeysOfADeletedServiceAccount) {
  const User ann = person("ann");
  const Team acme = team("acme", ann);
  const ApiKeyRepository::NewAccount made = serviceAccount(acme, "ci");
  ASSERT_TRUE(authenticator_.authenticate(made.key.text.reveal()));
  ASSERT_TRUE(teams_.removeMember(acme.id, made.account.id));
  EXPECT_EQ(codeOf(authenticator_.authenticate(made.key.text.reveal())),
            ErrorCode::kUnauthenticated);
}

TEST_P(AuthenticatorTest, RecordsTheLastUseAtIntervals) {
  const IssuedKey issued = key(person("ann"), "laptop");
  const auto use_at = [&](std::chrono::microseconds later) {
    clock_.advance(later);
    EXPECT_TRUE(authenticator_.authenticate(issued.text.reveal()));
    EXPECT_TRUE(authenticator_.flushUses());
    return *keys_.find(issued.key.id)->last_used_at;
  };
  const Timestamp first = use_at(std::chrono::seconds(1));
  EXPECT_EQ(first, clock_.now());
  EXPECT_EQ(use_at(std::chrono::minutes(1)), first) << "not written down at every request";
  const Timestamp third = use_at(std::chrono::minutes(10));
  EXPECT_EQ(third, clock_.now());
}

TEST_P(AuthenticatorTest, ServesManyThreads) {
  std::vector<IssuedKey> issued;
  const User ann = person("ann");
  issued.reserve(4);
  for (int i = 0; i < 4; ++i) issued.push_back(key(ann, "key" + std::to_string(i)));
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(issued.size());
    for (const IssuedKey& mine : issued) {
      threads.emplace_back([&] {
        for (int round = 0; round < 100; ++round) {
          const Result<AuthenticatedUser> user = authenticator_.authenticate(mine.text.reveal());
          if (!user || user->key_id != mine.key.key_id) ++wrong;
          if (round % 25 == 0 && !authenticator_.flushUses()) ++wrong;
        }
      });
    }
  }
  EXPECT_EQ(wrong, 0);
}

SPINDLE_ON_BOTH_ENGINES(AuthenticatorTest);

}  // namespace
}  // namespace spindle::identity
