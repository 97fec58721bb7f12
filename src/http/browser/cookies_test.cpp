#include "http/browser/cookies.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

Headers withCookie(std::string_view field) {
  Headers headers;
  headers.add("cookie", field);
  return headers;
}

TEST(Cookies, AreFoundByTheirExactName) {
  EXPECT_EQ(cookieValue(withCookie("spindle=abc"), "spindle"), "abc");
  EXPECT_EQ(cookieValue(withCookie("a=1; spindle=abc; b=2"), "spindle"), "abc");
  EXPECT_EQ(cookieValue(withCookie("a=1;spindle=abc"), "spindle"), "abc");
  EXPECT_EQ(cookieValue(withCookie("xspindle=no; spindlex=no; Spindle=no"), "spindle"), "");
  EXPECT_EQ(cookieValue(withCookie("__Host-spindle=h; spindle=p"), "__Host-spindle"), "h");
  EXPECT_EQ(cookieValue(withCookie("__Host-spindle=h; spindle=p"), "spindle"), "p");
  EXPECT_EQ(cookieValue(Headers(), "spindle"), "");
}

TEST(Cookies, WithTheSameNameGiveTheFirstValue) {
  EXPECT_EQ(cookieValue(withCookie("spindle=first; spindle=second"), "spindle"), "first");
  Headers headers = withCookie("a=1");
  headers.add("Cookie", "spindle=other");
  headers.add("Cookie", "spindle=third");
  EXPECT_EQ(cookieValue(headers, "spindle"), "other");
}

TEST(Cookies, ToleratesMalformedFields) {
  for (const std::string_view field :
       {"", ";", ";;; ;", "=", "spindle", "=spindle", "\"spindle=x\"", "a=spindle=x"}) {
    EXPECT_EQ(cookieValue(withCookie(field), "spindle"), "") << field;
  }
  EXPECT_EQ(cookieValue(withCookie("spindle=a=b"), "spindle"), "a=b");
  EXPECT_EQ(cookieValue(withCookie(" spindle=a "), "spindle"), "a");
}

TEST(Cookies, AreHttpOnlyAndLax) {
  EXPECT_EQ(setCookieField({"spindle", "v", "/p/", std::chrono::seconds(60), false}),
            "spindle=v; Path=/p/; Max-Age=60; HttpOnly; SameSite=Lax");
  EXPECT_EQ(setCookieField({"__Host-spindle", "", "/", std::chrono::seconds(0), true}),
            "__Host-spindle=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure");
}

}  // namespace
}  // namespace spindle::http
