#include "transfer/call_api_client.h"

#include <vector>

#include <gtest/gtest.h>

namespace spindle::transfer {
namespace {

using std::chrono::seconds;

ApiResponse responseOf(int status, std::string body = {}) {
  ApiResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

TEST(ToError, FindsTheReasonInTheBody) {
  EXPECT_EQ(toError(responseOf(404, R"({"reason":"Project not found"})")).message(),
            "the server answered 404: Project not found");
  EXPECT_EQ(toError(responseOf(401, R"({"detail":"Not authenticated"})")).message(),
            "the server answered 401: Not authenticated");
  EXPECT_EQ(
      toError(
          responseOf(422, R"({"detail":[{"loc":["body","batch",0,"id"],"msg":"Field required"}]})"))
          .message(),
      "the server answered 422: body.batch.0.id: Field required");
}

TEST(ToError, ShowsOtherBodiesUnchanged) {
  EXPECT_EQ(toError(responseOf(502, "<html>")).message(), "the server answered 502: <html>");
  EXPECT_EQ(toError(responseOf(500)).message(), "the server answered 500");
  EXPECT_EQ(reasonOf(responseOf(500, std::string(1000, 'x'))).size(), 300U);
}

TEST(SendWithRetries, WaitsForRetryAfter) {
  std::vector<seconds> pauses;
  int asked = 0;
  const Result<ApiResponse> response =
      sendWithRetries([&](seconds wait) { pauses.push_back(wait); },
                      [&]() -> Result<ApiResponse> {
                        ApiResponse busy = responseOf(++asked < 3 ? 429 : 200);
                        busy.retry_after = seconds(7);
                        return busy;
                      });
  ASSERT_TRUE(response.has_value());
  EXPECT_TRUE(response->ok());
  EXPECT_EQ(pauses, (std::vector<seconds>{seconds(7), seconds(7)}));
}

TEST(SendWithRetries, BacksOffWithoutRetryAfter) {
  std::vector<seconds> pauses;
  const Result<ApiResponse> response =
      sendWithRetries([&](seconds wait) { pauses.push_back(wait); },
                      [&]() -> Result<ApiResponse> { return responseOf(503); });
  ASSERT_TRUE(response.has_value());
  EXPECT_EQ(response->status, 503) << "it gives up in the end";
  ASSERT_GT(pauses.size(), 6U);
  EXPECT_EQ(std::vector<seconds>(pauses.begin(), pauses.begin() + 7),
            (std::vector<seconds>{seconds(1), seconds(2), seconds(4), seconds(8), seconds(16),
                                  seconds(30), seconds(30)}));
}

TEST(SendWithRetries, DoesNotRetryOtherStatuses) {
  for (const int status : {200, 400, 404, 500, 507}) {
    const Result<ApiResponse> response =
        sendWithRetries([](seconds) { FAIL() << "waits"; },
                        [&]() -> Result<ApiResponse> { return responseOf(status); });
    ASSERT_TRUE(response.has_value());
    EXPECT_EQ(response->status, status);
  }
  const Result<ApiResponse> broken = sendWithRetries(
      [](seconds) { FAIL() << "waits"; },
      []() -> Result<ApiResponse> { return Error(ErrorCode::kUpstream, "refused"); });
  EXPECT_FALSE(broken.has_value());
}

}  // namespace
}  // namespace spindle::transfer
