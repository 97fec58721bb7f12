#include "base/crypto/secret_filter.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"

namespace spindle {
namespace {

const std::string kKey = "sk-up/stream+\"4711";
const SecretFilter kFilter{Secret(kKey)};

TEST(SecretFilter, ReplacesTheSecretEverywhere) {
  EXPECT_EQ(kFilter.apply("a " + kKey + " b " + kKey), "a *** b ***");
  EXPECT_EQ(kFilter.apply("nothing to see"), "nothing to see");
  EXPECT_EQ(kFilter.apply(""), "");
}

TEST(SecretFilter, ReplacesEncodedForms) {
  EXPECT_EQ(kFilter.apply("?k=sk-up%2Fstream%2B%224711&x"), "?k=***&x");
  EXPECT_EQ(kFilter.apply("?k=sk-up%2fstream%2b%224711&x"), "?k=***&x");
  EXPECT_EQ(kFilter.apply(R"("sk-up/stream+\"4711")"), R"("***")");
  EXPECT_EQ(kFilter.apply(R"("sk-up\/stream+\"4711")"), R"("***")");
}

TEST(SecretFilter, ReplacesBase64OfTextsThatContainIt) {
  for (const std::string before : {"", "u", "us", "user:", "api:", "Bearer "}) {
    for (const std::string after : {"", "!", "!!", "!!!"}) {
      for (const std::string& encoded :
           {encodeBase64(before + kKey + after), encodeBase64Url(before + kKey + after)}) {
        const std::string filtered = kFilter.apply("Basic " + encoded);
        EXPECT_NE(filtered.find("***"), std::string::npos) << encoded;
        // The rest decodes to nothing of the secret except its edges.
        EXPECT_LT(filtered.size(), std::string("Basic ").size() + 3 + before.size() * 2 + 16);
      }
    }
  }
}

TEST(SecretFilter, ReplacesASecretInChunks) {
  const std::string text = "data: " + kKey + "\n\ndata: s" + encodeBase64("u:" + kKey) + " sk-u";
  const std::string whole = kFilter.apply(text);
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    SecretFilter::Stream stream(kFilter);
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      out += stream.feed(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(out + stream.finish(), whole) << piece;
  }
}

TEST(SecretFilter, DelaysOnlyPossibleSecrets) {
  SecretFilter::Stream stream(kFilter);
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
