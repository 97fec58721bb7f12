#include "schema/confidential.h"

#include <gtest/gtest.h>

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

struct Login {
  std::string name;
  std::vector<std::string> words;
};

Codec<Login> plainCodec() {
  return Record<Login>("Login", Extra::kForbid)
      .required("name", &Login::name, string({.min_length = 2}))
      .required("words", &Login::words, list(string()))
      .codec();
}

TEST(Confidential, ReadsAndWritesLikeTheInnerType) {
  const Codec<Login> codec = confidential(plainCodec());
  const Result<Login> login = parse(codec, R"({"name":"me","words":["a"]})");
  ASSERT_TRUE(login);
  EXPECT_EQ(login->words.at(0), "a");
  EXPECT_EQ(codec.toJson(*login), R"({"name":"me","words":["a"]})");
}

TEST(Confidential, ViolationsDoNotContainTheInput) {
  for (const char* text :
       {R"({"words":["hunter2"]})", R"({"name":"hunter2","words":["a",["hunter2"]]})",
        R"({"name":"me","words":"hunter2"})", R"({"name":"me","words":[],"other":"hunter2"})",
        R"("hunter2")"}) {
    const Result<Login> open = parse(plainCodec(), text);
    const Result<Login> closed = parse(confidential(plainCodec()), text);
    ASSERT_FALSE(open);
    ASSERT_FALSE(closed);
    ASSERT_EQ(open.error().violations().size(), closed.error().violations().size());
    for (std::size_t i = 0; i < open.error().violations().size(); ++i) {
      EXPECT_EQ(closed.error().violations()[i].type, open.error().violations()[i].type);
      EXPECT_EQ(closed.error().violations()[i].loc, open.error().violations()[i].loc);
      EXPECT_EQ(closed.error().violations()[i].msg, open.error().violations()[i].msg);
    }
    EXPECT_EQ(violationsJson(closed.error().violations()).find("hunter2"), std::string::npos);
  }
}

}  // namespace
}  // namespace spindle::schema
