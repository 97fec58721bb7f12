#include "base/crypto/scrypt.h"

#include <gtest/gtest.h>

namespace spindle {
namespace {

TEST(Scrypt, MatchesRfc7914) {
  // RFC 7914, section 12: the first half of the 64 bytes of its third vector.
  const Result<Sha256> key = scrypt("pleaseletmein", "SodiumChloride", {14, 8, 1});
  ASSERT_TRUE(key);
  EXPECT_EQ(toHex(*key), "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2");
}

TEST(Scrypt, DependsOnEveryInput) {
  const ScryptCost cheap{4, 1, 1};
  const Sha256 key = *scrypt("password", "salt", cheap);
  EXPECT_EQ(key, *scrypt("password", "salt", cheap));
  EXPECT_NE(key, *scrypt("passworD", "salt", cheap));
  EXPECT_NE(key, *scrypt("password", "salT", cheap));
  EXPECT_NE(key, *scrypt("password", "salt", {5, 1, 1}));
  EXPECT_NE(key, *scrypt("", "salt", cheap));
}

TEST(Scrypt, RefusesUnsupportedCosts) {
  for (const ScryptCost& cost : {ScryptCost{0, 8, 1}, ScryptCost{21, 8, 1}, ScryptCost{4, 0, 1}}) {
    const Result<Sha256> key = scrypt("password", "salt", cost);
    ASSERT_FALSE(key);
    EXPECT_EQ(key.error().code(), ErrorCode::kUnavailable);
  }
}

}  // namespace
}  // namespace spindle
