#include "http/message/message.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

Headers headersOf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return headers;
}

TEST(Headers, CompareNamesWithoutRegardToCase) {
  const Headers headers = headersOf({{"Content-Type", "text/plain"}});
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.find("Content-Typ"), nullptr);
  EXPECT_EQ(headers.get("absent"), "");
}

TEST(Headers, SetReplacesEveryFieldOfTheNameInPlace) {
  Headers headers = headersOf({{"A", "1"}, {"B", "2"}, {"a", "3"}});
  headers.set("A", "4");
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers.begin()->second, "4");
  EXPECT_EQ(headers.get("B"), "2");
  headers.set("C", "5");
  EXPECT_EQ(headers.get("c"), "5");
}

TEST(Headers, RemoveTakesEveryFieldOfTheName) {
  Headers headers = headersOf({{"A", "1"}, {"a", "2"}, {"B", "3"}});
  headers.remove("A");
  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.find("a"), nullptr);
}

TEST(Method, RoundTripsThroughText) {
  for (const Method method : {Method::kGet, Method::kHead, Method::kPost, Method::kPut,
                              Method::kPatch, Method::kDelete, Method::kOptions}) {
    EXPECT_EQ(methodOf(nameOf(method)), method);
  }
  EXPECT_EQ(methodOf("BREW"), Method::kOther);
  EXPECT_EQ(methodOf("get"), Method::kOther) << "methods are case-sensitive";
}

TEST(Request, SplitsTheTargetAtTheFirstQuestionMark) {
  Request request;
  request.target = "/a/b?c=d?e";
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query(), "c=d?e");
  request.target = "/a";
  EXPECT_EQ(request.path(), "/a");
  EXPECT_EQ(request.query(), "");
}

}  // namespace
}  // namespace spindle::http
