#include "http/message/message.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

TEST(Headers, CompareNamesWithoutRegardToCase) {
  Headers headers;
  headers.add("Content-Type", "text/plain");
  EXPECT_EQ(headers.get("content-type"), "text/plain");
  EXPECT_EQ(headers.find("Content-Typ"), nullptr);
  EXPECT_EQ(headers.get("absent"), "");
}

TEST(Headers, SetReplacesEveryFieldOfTheNameInPlace) {
  Headers headers;
  headers.add("A", "1");
  headers.add("B", "2");
  headers.add("a", "3");
  headers.set("A", "4");
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers.begin()->second, "4");
  EXPECT_EQ(headers.get("B"), "2");
  headers.set("C", "5");
  EXPECT_EQ(headers.get("c"), "5");
}

TEST(Headers, RemoveTakesEveryFieldOfTheName) {
  Headers headers;
  headers.add("A", "1");
  headers.add("a", "2");
  headers.add("B", "3");
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
