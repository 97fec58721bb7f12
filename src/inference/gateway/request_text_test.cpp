#include "inference/gateway/request_text.h"

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

std::string edited(const std::string& body, const RequestEdits& edits) {
  const Result<RequestText> request = RequestText::of(body);
  EXPECT_TRUE(request) << body;
  return request ? request->with(edits) : std::string();
}

TEST(RequestText, ReplacesOnlyTheModel) {
  EXPECT_EQ(edited(R"( { "x" : [1, 2.50,"\u00e9"],"model":"a\"b" , "y":{"model":"stays"}} )",
                   {.model = "c\"d"}),
            R"({ "x" : [1, 2.50,"\u00e9"],"model":"c\"d" , "y":{"model":"stays"}})");
}

TEST(RequestText, ReplacesDuplicateModelMembers) {
  EXPECT_EQ(edited(R"({"model":"a","model":"b"})", {.model = "c"}), R"({"model":"c","model":"c"})");
}

TEST(RequestText, RequestsUsageInAnyFormOfTheOptions) {
  const auto asked = [](const std::string& body) {
    return edited(body, {.model = "m", .include_usage = true});
  };
  EXPECT_EQ(asked(R"({"model":"a"})"), R"({"stream_options":{"include_usage":true},"model":"m"})");
  EXPECT_EQ(asked(R"({"model":"a","stream_options":null})"),
            R"({"model":"m","stream_options":{"include_usage":true}})");
  EXPECT_EQ(asked(R"({"stream_options":{},"model":"a"})"),
            R"({"stream_options":{"include_usage":true},"model":"m"})");
  EXPECT_EQ(asked(R"({"stream_options":{"x":1},"model":"a"})"),
            R"({"stream_options":{"include_usage":true,"x":1},"model":"m"})");
  EXPECT_EQ(asked(R"({"stream_options":{"include_usage": false},"model":"a"})"),
            R"({"stream_options":{"include_usage": true},"model":"m"})");
}

TEST(RequestText, AddsALimitToARequestWithoutOne) {
  EXPECT_EQ(edited(R"({"model":"a"})", {.model = "m", .limit_name = "max_tokens", .limit = 7}),
            R"({"max_tokens":7,"model":"m"})");
}

TEST(RequestText, RequestsTokensUnlessTheRequestSetsTheOptions) {
  const auto asked = [](const std::string& body) {
    return edited(body, {.model = "m", .tokens = true});
  };
  EXPECT_EQ(asked(R"({"model":"a"})"), R"({"logprobs":true,"return_token_ids":true,"model":"m"})");
  EXPECT_EQ(asked(R"({"model":"a","logprobs":false,"return_token_ids":null})"),
            R"({"model":"m","logprobs":false,"return_token_ids":true})");
  EXPECT_EQ(asked(R"({"return_token_ids":false,"logprobs":true,"model":"a"})"),
            R"({"return_token_ids":false,"logprobs":true,"model":"m"})");
}

TEST(RequestText, RejectsBodiesThatAreNoObject) {
  for (const char* body : {"", "[]", "\"x\"", "{", "null"}) {
    EXPECT_FALSE(RequestText::of(body)) << body;
  }
}

}  // namespace
}  // namespace spindle::inference
