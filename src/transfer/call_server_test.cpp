#include "transfer/call_server.h"

#include <vector>

#include <gtest/gtest.h>

namespace spindle::transfer {
namespace {

using std::chrono::seconds;

Answer answerOf(int status, std::string body = {}) {
  Answer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

TEST(Explain, FindsTheReasonInTheBody) {
  EXPECT_EQ(explain(answerOf(404, R"({"reason":"Project not found"})")).message(),
            "the server answered 404: Project not found");
  EXPECT_EQ(explain(answerOf(401, R"({"detail":"Not authenticated"})")).message(),
            "the server answered 401: Not authenticated");
  EXPECT_EQ(
      explain(
          answerOf(422, R"({"detail":[{"loc":["body","batch",0,"id"],"msg":"Field required"}]})"))
          .message(),
      "the server answered 422: body.batch.0.id: Field required");
}

TEST(Explain, ShowsOtherBodiesAsTheyAre) {
  EXPECT_EQ(explain(answerOf(502, "<html>")).message(), "the server answered 502: <html>");
  EXPECT_EQ(explain(answerOf(500)).message(), "the server answered 500");
  EXPECT_EQ(reasonOf(answerOf(500, std::string(1000, 'x'))).size(), 300U);
}

TEST(Patience, WaitsAsLongAsTheServerSays) {
  std::vector<seconds> pauses;
  int asked = 0;
  const Result<Answer> answer = askPatiently([&](seconds wait) { pauses.push_back(wait); },
                                             [&]() -> Result<Answer> {
                                               Answer busy = answerOf(++asked < 3 ? 429 : 200);
                                               busy.retry_after = seconds(7);
                                               return busy;
                                             });
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->ok());
  EXPECT_EQ(pauses, (std::vector<seconds>{seconds(7), seconds(7)}));
}

TEST(Patience, WaitsLongerAndLongerWhenTheServerDoesNotSay) {
  std::vector<seconds> pauses;
  const Result<Answer> answer = askPatiently([&](seconds wait) { pauses.push_back(wait); },
                                             [&]() -> Result<Answer> { return answerOf(503); });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 503) << "it gives up in the end";
  ASSERT_GT(pauses.size(), 6U);
  EXPECT_EQ(std::vector<seconds>(pauses.begin(), pauses.begin() + 7),
            (std::vector<seconds>{seconds(1), seconds(2), seconds(4), seconds(8), seconds(16),
                                  seconds(30), seconds(30)}));
}

TEST(Patience, DoesNotWaitForAnythingElse) {
  for (const int status : {200, 400, 404, 500, 507}) {
    const Result<Answer> answer = askPatiently(
        [](seconds) { FAIL() << "waits"; }, [&]() -> Result<Answer> { return answerOf(status); });
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->status, status);
  }
  const Result<Answer> broken =
      askPatiently([](seconds) { FAIL() << "waits"; },
                   []() -> Result<Answer> { return Error(ErrorCode::kUpstream, "refused"); });
  EXPECT_FALSE(broken.has_value());
}

}  // namespace
}  // namespace spindle::transfer
