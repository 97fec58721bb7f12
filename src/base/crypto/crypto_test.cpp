#include "base/crypto/crypto.h"

#include <set>

#include <gtest/gtest.h>

#include "base/core/results_for_test.h"
#include "base/crypto/sealer.h"

namespace spindle {
namespace {

TEST(Crypto, IncrementalHashEqualsOneShotHash) {
  Sha256Stream one;
  Sha256Stream other;
  one.add("The quick brown ");
  other.add("something else");
  one.add("");
  one.add("fox");
  EXPECT_EQ(one.finish(), sha256("The quick brown fox"));
  EXPECT_EQ(other.finish(), sha256("something else"));
  EXPECT_EQ(Sha256Stream().finish(), sha256(""));
}

TEST(Crypto, MatchesPublishedDigests) {
  EXPECT_EQ(toHex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(toHex(hmacSha256("key", "The quick brown fox jumps over the lazy dog")),
            "f7bc83f430538424b13298e6aa6fb143ef4d59a14946175997479dbc2d1a3cd8");
}

// RFC 4231, test cases 1, 2 and 6.
TEST(Crypto, MatchesPublishedHmacs) {
  EXPECT_EQ(toHex(hmacSha256(std::string(20, '\x0b'), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(toHex(hmacSha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(toHex(hmacSha256(std::string(131, '\xaa'),
                             "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Crypto, EncodesAndDecodesBase64OfEveryLength) {
  expectTexts(encodeBase64, {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foobar", "Zm9vYmFy"}});
  EXPECT_EQ(encodeBase64Url("\xfb\xff"), "-_8");
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes(size, '\0');
    randomBytes(bytes.data(), size);
    EXPECT_EQ(decodeBase64(encodeBase64(bytes)), bytes);
    EXPECT_EQ(decodeBase64Url(encodeBase64Url(bytes)), bytes);
  }
}

TEST(Crypto, RefusesTextThatIsNotBase64) {
  EXPECT_FALSE(decodeBase64("Zg==x").has_value());
  EXPECT_FALSE(decodeBase64("Z").has_value());
  EXPECT_FALSE(decodeBase64("Zm9v YmFy").has_value());
}

TEST(Crypto, OpensOnlyWithTheSameKeyAndContext) {
  const Sha256 key = sha256("key");
  std::string sealed = seal(key, "the plain text", "team/secret");
  EXPECT_EQ(open(key, sealed, "team/secret"), "the plain text");
  EXPECT_FALSE(open(key, sealed, "other/secret").has_value());
  EXPECT_FALSE(open(sha256("other"), sealed, "team/secret").has_value());
  EXPECT_NE(seal(key, "the plain text", "team/secret"), sealed);
  sealed[15] = static_cast<char>(sealed[15] ^ 1);
  EXPECT_FALSE(open(key, sealed, "team/secret").has_value());
  EXPECT_FALSE(open(key, "short", "team/secret").has_value());
  EXPECT_EQ(open(key, seal(key, "", ""), ""), "");
}

TEST(Crypto, SealsSecretsForAColumn) {
  const Sealer sealer(sha256("key"));
  std::string sealed = sealer.seal(Secret("the plain text"), "here");
  EXPECT_TRUE(decodeBase64(sealed).has_value());
  EXPECT_EQ(sealer.open(sealed, "here")->reveal(), "the plain text");
  EXPECT_FALSE(sealer.open(sealed, "there").has_value());
  EXPECT_FALSE(Sealer(sha256("other")).open(sealed, "here").has_value());
  EXPECT_FALSE(sealer.open("no base64!", "here").has_value());
}

TEST(Crypto, ComparesCompleteTexts) {
  EXPECT_TRUE(equalInConstantTime("abc", "abc"));
  EXPECT_FALSE(equalInConstantTime("abc", "abd"));
  EXPECT_FALSE(equalInConstantTime("abc", "ab"));
}

TEST(Crypto, RandomTextIsAlphanumeric) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string text = randomAlphanumeric(24);
    ASSERT_EQ(text.size(), 24U);
    for (const char c : text) ASSERT_TRUE(std::isalnum(static_cast<unsigned char>(c)));
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 100U);
}

}  // namespace
}  // namespace spindle
