#include "http/router/route_group.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "http/message/body_stream.h"
#include "schema/scalar.h"

namespace spindle::http {
namespace {

struct Greetings {
  std::string word;
};
struct NamePath {
  std::string name;
};
struct Letter {
  std::string text;
};

schema::Codec<Letter> letterCodec() {
  return schema::Record<Letter>("Letter")
      .required("text", &Letter::text, schema::string({.min_length = 1}), "Text.")
      .codec();
}

Parameters<NamePath> namePath() {
  return Parameters<NamePath>().path("name", &NamePath::name, schema::string({.max_length = 4}),
                                     "Name.");
}

Result<Letter> greet(const Greetings& greetings, const Context& context, const NamePath& path) {
  if (path.name == "no") return Error::notFound("Nobody.");
  return Letter{greetings.word + " " + path.name +
                std::string(context.request.headers.get("X-End"))};
}

Result<Reply<Letter>> answer(const Greetings& greetings, const NamePath& path, Letter letter) {
  letter.text = greetings.word + " " + path.name + ": " + letter.text;
  Reply<Letter> reply(std::move(letter));
  reply.status = 202;
  reply.with("ETag", "\"1\"");
  return reply;
}

Result<Letter> echo(const Letter& letter) { return letter; }

Result<void> forget() { return {}; }

RoutePolicy openPolicy() {
  RoutePolicy policy;
  policy.credentials = Credentials::kOpen;
  policy.errors = ErrorShape::kDetail;
  return policy;
}

class RouteGroupTest : public ::testing::Test {
 protected:
  RouteGroupTest() {
    RouteGroup routes(router_, Greetings{"Hello"}, openPolicy(), "letters");
    routes.get("/greet/{name}", {"greet", "Greet", "Twice."},
               {.params = namePath(), .reply = letterCodec()}, greet);
    routes.put("/greet/{name}", {"answer", "Answer"},
               {.params = namePath(), .body = letterCodec(), .reply = letterCodec()}, answer);
    routes.post("/echo", {"echo", "Echo"},
                {.body = letterCodec(), .reply = letterCodec(), .status = 201}, echo);
    routes.remove("/all", {"forget", "Forget"}, {}, forget);
    replyWithLines(routes.get("/lines", {"lines", "Lines"}, {},
                              [](const Greetings& greetings) -> Result<Reply<Nothing>> {
                                auto lines = std::make_shared<PushedBody>(64);
                                lines->tryPush(greetings.word);
                                lines->finish();
                                Reply reply(Nothing{});
                                reply.stream = std::move(lines);
                                return reply;
                              }),
                   letterCodec().type());
  }

  Response send(Method method, std::string target, std::string body = "") {
    Request request;
    request.method = method;
    request.target = std::move(target);
    request.body = std::move(body);
    return router_.handle(request);
  }

  Router router_{RouterPorts{}};
};

TEST_F(RouteGroupTest, HandlersReceiveServicesContextAndParameters) {
  const Response response = send(Method::kGet, "/greet/Ann");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"text":"Hello Ann"})");
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
}

TEST_F(RouteGroupTest, HandlersReceiveParametersAndBody) {
  const Response response = send(Method::kPut, "/greet/Ann", R"({"text":"Hi"})");
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.headers.get("ETag"), "\"1\"");
  EXPECT_EQ(response.body, R"({"text":"Hello Ann: Hi"})");
}

TEST_F(RouteGroupTest, ASingleInputCanBeTheBody) {
  const Response response = send(Method::kPost, "/echo", R"({"text":"Hi"})");
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"text":"Hi"})");
}

TEST_F(RouteGroupTest, NoValueIsStatus204) {
  const Response response = send(Method::kDelete, "/all");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(response.headers.find("Content-Type"), nullptr);
}

TEST_F(RouteGroupTest, ErrorsOfHandlersHaveTheShapeOfThePolicy) {
  const Response response = send(Method::kGet, "/greet/no");
  EXPECT_EQ(response.status, 404);
  EXPECT_NE(response.body.find("Nobody."), std::string::npos);
}

TEST_F(RouteGroupTest, InvalidParametersAndBodiesAreReportedTogether) {
  const Response response = send(Method::kPut, "/greet/Annabel", R"({"text":""})");
  EXPECT_EQ(response.status, 422);
  EXPECT_NE(response.body.find(R"("loc":["path","name"])"), std::string::npos) << response.body;
  EXPECT_NE(response.body.find(R"("loc":["body","text"])"), std::string::npos) << response.body;
}

TEST_F(RouteGroupTest, LinesHaveTheirOwnContentType) {
  const Response response = send(Method::kGet, "/lines");
  EXPECT_EQ(response.headers.get("Content-Type"), kLinesType);
  ASSERT_NE(response.stream, nullptr);
}

TEST_F(RouteGroupTest, RoutesHaveTheTextsAndTheTagOfTheGroup) {
  const Route& route = *router_.routes().front();
  EXPECT_EQ(route.operation_id, "greet");
  EXPECT_EQ(route.summary, "Greet");
  EXPECT_EQ(route.description, "Twice.");
  EXPECT_EQ(route.tag, "letters");
  EXPECT_EQ(route.policy.errors, ErrorShape::kDetail);
  EXPECT_FALSE(route.describe_body);
  EXPECT_TRUE(route.describe_reply);
}

}  // namespace
}  // namespace spindle::http
