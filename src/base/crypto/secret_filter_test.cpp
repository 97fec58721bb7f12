#include "base/crypto/secret_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

const std::string secret_key = "sk-up/stream+\"4711";
const SecretFilter secret_filter{Secret(secret_key)};

TEST(SecretFilter, ReplacesTheSecretEverywhere) {
  EXPECT_EQ(secret_filter.apply("a " + secret_key + " b " + secret_key), "a *** b ***");
  EXPECT_EQ(secret_filter.apply("nothing to see"), "nothing to see");
  EXPECT_EQ(secret_filter.apply(""), "");
}

TEST(SecretFilter, ReplacesEncodedForms) {
  EXPECT_EQ(secret_filter.apply("?k=sk-up%2Fstream%2B%224711&x"), "?k=***&x");
  EXPECT_EQ(secret_filter.apply("?k=sk-up%2fstream%2b%224711&x"), "?k=***&x");
  EXPECT_EQ(secret_filter.apply(R"("sk-up/stream+\"4711")"), R"("***")");
  EXPECT_EQ(secret_filter.apply(R"("sk-up\/stream+\"4711")"), R"("***")");
}

TEST(SecretFilter, ReplacesBase64OfTextsThatContainIt) {
  for (const std::string before : {"", "u", "us", "user:", "api:", "Bearer "}) {
    for (const std::string after : {"", "!", "!!", "!!!"}) {
      for (const std::string& encoded : {encodeBase64(before + secret_key + after),
                                         encodeBase64Url(before + secret_key + after)}) {
        const std::string filtered = secret_filter.apply("Basic " + encoded);
        EXPECT_NE(filtered.find("***"), std::string::npos) << encoded;
        // The rest decodes to nothing of the secret except its edges.
        EXPECT_LT(filtered.size(), std::string("Basic ").size() + 3 + before.size() * 2 + 16);
      }
    }
  }
}

TEST(SecretFilter, ReplacesASecretInChunks) {
  const std::string text =
      "data: " + secret_key + "\n\ndata: s" + encodeBase64("u:" + secret_key) + " sk-u";
  const std::string whole = secret_filter.apply(text);
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    SecretFilter::Stream stream(secret_filter);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      out += stream.feed(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(out + stream.finish(), whole) << piece;
  }
}

TEST(SecretFilter, DelaysOnlyPossibleSecrets) {
  SecretFilter::Stream stream(secret_filter);
  EXPECT_EQ(stream.feed("data: hello\n\n"), "data: hello\n\n");
  EXPECT_EQ(stream.feed("ask sk-up"), "ask ");
  EXPECT_EQ(stream.feed("per"), "sk-upper");
}

TEST(SecretFilter, IgnoresEmptyAndShortSecrets) {
  EXPECT_TRUE(SecretFilter().empty());
  EXPECT_TRUE(SecretFilter(Secret("hello")).empty());
  EXPECT_EQ(SecretFilter(Secret("hello")).apply("hello"), "hello");
  SecretFilter::Stream stream;
  EXPECT_EQ(stream.feed("as it is"), "as it is");
}

}  // namespace
}  // namespace spindle
