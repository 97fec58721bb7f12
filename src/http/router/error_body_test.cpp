#include "http/router/error_body.h"

#include <gtest/gtest.h>

namespace spindle::http {
namespace {

TEST(ErrorBody, CarriesTheMembersOfItsError) {
  const Error error = Error::notFound("a:v1 was deleted")
                          .with("deleted_at", R"("2024-05-01T10:00:00Z")")
                          .with("missing", R"(["x"])");
  EXPECT_EQ(errorResponse(error, ErrorShape::kReason).body,
            R"({"reason":"a:v1 was deleted","deleted_at":"2024-05-01T10:00:00Z","missing":["x"]})");
  EXPECT_EQ(errorResponse(error, ErrorShape::kReason).status, 404);
}

TEST(ErrorBody, ReportsAFullDisk) {
  const Error error(ErrorCode::kStorageFull, "No space is left.");
  const Response response = errorResponse(error, ErrorShape::kDetailWithCode);
  EXPECT_EQ(response.status, 507);
  EXPECT_EQ(response.body, R"({"detail":"No space is left.","code":"storage_full"})");
}

TEST(ErrorBody, UsesTheOpenAiFormatForCompletions) {
  const Response limited =
      errorResponse({ErrorCode::kRateLimited, "Too many."}, ErrorShape::kOpenAi);
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.headers.get("Retry-After"), "1");
  EXPECT_EQ(limited.body,
            R"({"error":{"message":"Too many.","type":"rate_limit_error","param":null,)"
            R"("code":null}})");
  const Error missing = Error::notFound("No such model.").because("model_not_found");
  EXPECT_EQ(errorResponse(missing, ErrorShape::kOpenAi).body,
            R"({"error":{"message":"No such model.","type":"not_found_error","param":null,)"
            R"("code":"model_not_found"}})");
  EXPECT_EQ(errorResponse(Error::internal("a secret"), ErrorShape::kOpenAi).body.find("secret"),
            std::string::npos);
}

TEST(ErrorBody, ReportsAnExhaustedQuota) {
  const Error error(ErrorCode::kQuotaExceeded, "You exceeded your current quota.");
  const Response response = errorResponse(error, ErrorShape::kOpenAi);
  EXPECT_EQ(response.status, 402);
  EXPECT_EQ(response.body, R"({"error":{"message":"You exceeded your current quota.",)"
                           R"("type":"insufficient_quota","param":null,"code":null}})");
  EXPECT_EQ(errorResponse(error, ErrorShape::kDetailWithCode).body,
            R"({"detail":"You exceeded your current quota.","code":"quota_exceeded"})");
}

TEST(ErrorBody, OpenAiFormatIncludesViolations) {
  Violation violation;
  violation.type = "missing";
  violation.loc = {LocStep("body"), LocStep("messages"), LocStep(std::int64_t{0}), LocStep("role")};
  violation.msg = "Field required";
  const Response response = errorResponse(Error::invalid({violation}), ErrorShape::kOpenAi);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.body, R"({"detail":[{"type":"missing","loc":["body","messages",0,"role"],)"
                           R"("msg":"Field required","input":null}],"error":{"message":)"
                           R"("messages.0.role: Field required","type":"invalid_request_error",)"
                           R"("param":"messages","code":null}})");
}

}  // namespace
}  // namespace spindle::http
