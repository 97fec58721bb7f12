#include "http/server/cors.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

CorsPolicy policyFor(std::vector<std::string> origins, bool credentials = false) {
  CorsPolicy policy;
  policy.allowed_origins = std::move(origins);
  policy.allow_credentials = credentials;
  return policy;
}

Request from(std::string_view origin, Method method = Method::kGet) {
  Request request;
  request.method = method;
  request.headers.add("Origin", origin);
  return request;
}

std::string fieldsOf(const Cors& cors, const Request& request) {
  std::string head;
  cors.appendFields(request, head);
  return head;
}

TEST(Cors, AddsNoFieldsWithoutAPolicy) {
  const Cors cors{CorsPolicy()};
  Request request = from("https://a.example", Method::kOptions);
  request.headers.add("Access-Control-Request-Method", "PUT");
  EXPECT_FALSE(cors.isPreflight(request));
  EXPECT_EQ(fieldsOf(cors, request), "");
}

TEST(Cors, NamesAnAllowedOriginAndVariesByIt) {
  const Cors cors(policyFor({"https://a.example", "https://b.example"}, true));
  const std::string fields = fieldsOf(cors, from("https://b.example"));
  EXPECT_NE(fields.find("Access-Control-Allow-Origin: https://b.example\r\n"), std::string::npos);
  EXPECT_NE(fields.find("Access-Control-Allow-Credentials: true\r\n"), std::string::npos);
  EXPECT_NE(fields.find("Vary: Origin\r\n"), std::string::npos);
  EXPECT_EQ(fieldsOf(cors, from("https://evil.example")), "Vary: Origin\r\n");
  EXPECT_EQ(fieldsOf(cors, Request()), "Vary: Origin\r\n");
}

TEST(Cors, WildcardNeedsVaryOnlyWithCredentials) {
  const Cors open(policyFor({"*"}));
  EXPECT_NE(fieldsOf(open, from("null")).find("Allow-Origin: *\r\n"), std::string::npos);
  EXPECT_EQ(fieldsOf(open, from("null")).find("Vary"), std::string::npos);
  const Cors trusting(policyFor({"*"}, true));
  EXPECT_NE(fieldsOf(trusting, from("https://x")).find("Allow-Origin: https://x\r\n"),
            std::string::npos);
}

TEST(Cors, AnswersAPreflight) {
  const Cors cors(policyFor({"https://a.example"}));
  Request request = from("https://a.example", Method::kOptions);
  EXPECT_FALSE(cors.isPreflight(request));
  request.headers.add("Access-Control-Request-Method", "PUT");
  request.headers.add("Access-Control-Request-Headers", "authorization, x-a");
  ASSERT_TRUE(cors.isPreflight(request));
  const Response response = cors.preflight(request);
  EXPECT_EQ(response.status, 204);
  EXPECT_NE(response.headers.get("Access-Control-Allow-Methods").find("PUT"), std::string::npos);
  EXPECT_EQ(response.headers.get("Access-Control-Allow-Headers"), "authorization, x-a");
  EXPECT_EQ(response.headers.get("Access-Control-Max-Age"), "600");
  request.headers.set("Origin", "https://evil.example");
  EXPECT_EQ(cors.preflight(request).status, 403);
}

}  // namespace
}  // namespace spindle::http
