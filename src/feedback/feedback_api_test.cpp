#include "feedback/feedback_api.h"

#include <string>

#include "columnar/testing/store_for_test.h"
#include "feedback/feedback_json.h"
#include "feedback/store/columnar_feedback_store.h"
#include "feedback/store/feedback_row.h"
#include "http/message/body_stream.h"
#include "http/router/openapi.h"
#include "http/router/route_group.h"
#include "identity/api/api_for_test.h"
#include "json/document.h"
#include "objects/store/caller_projects.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

using namespace std::chrono_literals;

/// Calls the routes with the real stores, without a socket.
class FeedbackRoutes : public identity::ApiTest<identity::IdentityTest> {
 protected:
  void SetUp() override {
    IdentityTest::SetUp();
    addFeedbackRoutes({router_,
                       {access_, store_, validator_,
                        [this](std::string_view user) {
                          return std::make_unique<objects::CallerProjects>(access_, projects_,
                                                                           user);
                        },
                        clock_, audit_trail_},
                       http::RoutePolicy()});
    const identity::Team acme = addAcme();
    project(acme, "app", *users_.find(lead_id_));
    base_path_ = "/feedback/";
  }

  http::Response post(const std::string& target,
                      const std::string& body,
                      const std::string& bearer) {
    http::Response response = send(http::Method::kPost, target, bearer, body);
    if (response.stream) {
      std::string piece;
      while (response.stream->next(piece) == http::BodyStream::State::kChunk) {
        response.body += piece;
        piece.clear();
      }
    }
    return response;
  }
  http::Response post(const std::string& target, const std::string& body) {
    return post(target, body, lead_);
  }

  static std::string memberOf(const std::string& json, const std::string& name) {
    const auto parsed = json::Document::parse(json);
    const auto member = std::get<json::Document>(parsed).root().find(name);
    return member && member->isString() ? member->text() : "";
  }

  static std::string item(const std::string& call,
                          const std::string& type,
                          const std::string& payload,
                          const std::string& more = "") {
    return R"({"project_id":"acme/app","svc_ref":"svc:///acme/app/call/)" + call +
           R"(","feedback_type":")" + type + R"(","payload":)" + payload + more + "}";
  }

  /// Creates feedback and returns its id.
  std::string made(const std::string& call,
                   const std::string& type,
                   const std::string& payload,
                   const std::string& more = "") {
    clock_.advance(1s);
    const http::Response response = post("create", item(call, type, payload, more));
    EXPECT_EQ(response.status, 200) << response.body;
    return memberOf(response.body, "id");
  }

  std::string queried(const std::string& more) {
    const http::Response response = post("query", R"({"project_id":"acme/app")" + more + "}");
    return (response.status == 200 ? "" : std::to_string(response.status) + " ") + response.body;
  }
  std::string purge(const std::string& expression) {
    return post("purge", R"({"project_id":"acme/app","query":{"$expr":)" + expression + "}}").body;
  }

  std::string projectId() {
    const Result<identity::ProjectAccess> app = access_.readProject(lead_id_, "acme", "app");
    return app ? app->project_id : "";
  }

  columnar::StoreForTest columnar_{{feedbackFamily()}};
  ColumnarFeedbackStore store_{*columnar_, 0};
  EmojiNames emoji_{"👍 thumbs_up\n"};
  FeedbackValidator validator_{
      {.clock = clock_,
       .emoji = emoji_,
       .object_value =
           [](std::string_view, std::string_view, std::string_view) {
             return Result<std::string>(Error::notFound("Object not found"));
           },
       .queue_exists = [](std::string_view, std::string_view) -> Result<bool> { return false; }}};
};

std::string eq(const std::string& field, const std::string& literal) {
  return R"({"$eq":[{"$getField":")" + field + R"("},{"$literal":)" + literal + "}]}";
}
std::string where(const std::string& expression) {
  return R"(,"query":{"$expr":)" + expression + "}";
}

TEST_P(FeedbackRoutes, ReturnTheStoredFeedback) {
  const http::Response response = post("create", item("c1", "svc.reaction.1", R"({"emoji":"👍"})"));
  EXPECT_EQ(response.body, R"({"id":")" + memberOf(response.body, "id") + R"(","created_at":")" +
                               formatTimestamp(clock_.now()) + R"(","svc_user_id":")" + lead_id_ +
                               R"(","payload":{"emoji":"👍","alias":":thumbs_up:","detoned":"👍",)"
                               R"("detoned_alias":":thumbs_up:"}})");
}

TEST_P(FeedbackRoutes, ListEveryColumnInOrder) {
  const std::string id = made("c1", "svc.note.1", R"({"note":"fine"})", R"(,"creator":"Ann")");
  EXPECT_EQ(queried(""),
            R"({"result":[{"id":")" + id +
                R"(","project_id":"acme/app","svc_ref":"svc:///acme/app/call/c1","svc_user_id":")" +
                lead_id_ + R"(","creator":"Ann","created_at":")" + formatTimestamp(clock_.now()) +
                R"(","feedback_type":"svc.note.1","payload":{"note":"fine"},"annotation_ref":null,)"
                R"("runnable_ref":null,"call_ref":null,"trigger_ref":null,"queue_id":null,)"
                R"("scorer_tags":[],"scorer_tag_reasons":{},"scorer_tag_confidences":{},)"
                R"("scorer_ratings":{},"scorer_rating_reasons":{},"scorer_rating_confidences":{},)"
                R"("span_agent_name":"","span_agent_version":"","span_status_code":"UNSET",)"
                R"("span_conversation_id":"","span_trace_id":"","scorer_trace_id":""}],)"
                R"("total_count":1})");
}

TEST_P(FeedbackRoutes, ListTheRequestedFields) {
  made("c1", "custom", R"({"score":0.9,"deep":{"x":[1,"y"]}})");
  EXPECT_EQ(
      queried(R"(,"fields":["feedback_type","payload.score","payload.deep.x.1","payload.no"])"),
      R"({"result":[{"feedback_type":"custom","payload.score":"0.9","payload.deep.x.1":"y",)"
      R"("payload.no":""}],"total_count":1})");
  EXPECT_EQ(queried(R"(,"fields":["colour"])"), R"(400 {"reason":"Unknown field: colour"})");
  EXPECT_EQ(queried(where(eq("colour", "1"))), R"(400 {"reason":"Unknown field: colour"})");
  EXPECT_EQ(queried(R"(,"sort_by":[{"field":"colour","direction":"asc"}])"),
            R"(400 {"reason":"Unknown field: colour"})");
}

TEST_P(FeedbackRoutes, FilterSortAndPage) {
  made("c1", "custom", R"({"score":2})");
  made("c2", "custom", R"({"score":10})");
  made("c3", "svc.note.1", R"({"note":"n"})");
  const std::string fields = R"(,"fields":["payload.score"])";
  const auto scores = [&](const std::string& more) { return queried(fields + more); };
  EXPECT_EQ(scores(R"(,"sort_by":[{"field":"payload.score","direction":"desc"}])"),
            R"({"result":[{"payload.score":"10"},{"payload.score":"2"},{"payload.score":""}],)"
            R"("total_count":3})");
  EXPECT_EQ(scores(R"(,"limit":1,"offset":1)"),
            R"({"result":[{"payload.score":"10"}],"total_count":3})");
  EXPECT_EQ(scores(R"(,"limit":0)"), R"({"result":[],"total_count":3})");
  EXPECT_EQ(scores(R"(,"limit":-1)"), R"(400 {"reason":"Limit must be a positive integer"})");
  EXPECT_EQ(scores(R"(,"offset":-1)"), R"(400 {"reason":"Offset must be a positive integer"})");
  EXPECT_EQ(scores(where(R"({"$gt":[{"$getField":"payload.score"},{"$literal":5}]})")),
            R"({"result":[{"payload.score":"10"}],"total_count":1})");
  EXPECT_EQ(scores(where(eq("svc_ref", R"("svc:///acme/app/call/c1")"))),
            R"({"result":[{"payload.score":"2"}],"total_count":1})");
  EXPECT_EQ(scores(where(eq("project_id", R"("acme/app")")) + R"(,"limit":0)"),
            R"({"result":[],"total_count":3})");
  EXPECT_EQ(scores(where(R"({"$gt":[{"$getField":"created_at"},{"$literal":"2100-01-01"}]})")),
            R"({"result":[],"total_count":0})");
}

TEST_P(FeedbackRoutes, AcceptBothSpellings) {
  const wire::Spelling vendor = wire::Spelling::kVendor;
  const std::string type = wire::feedbackTypeFor(vendor, "svc.note.1");
  const std::string ref =
      std::string(wire::schemeText(wire::RefScheme::kExternal, vendor)) + "acme/app/call/c1";
  const std::string member(wire::memberFor(vendor, "svc_ref"));
  const http::Response response =
      post("create", R"({"project_id":"acme/app",")" + member + R"(":")" + ref +
                         R"(","feedback_type":")" + type + R"(","payload":{"note":"n"}})");
  ASSERT_EQ(response.status, 200) << response.body;
  const std::string counted = R"({"result":[],"total_count":1})";
  EXPECT_EQ(queried(R"(,"limit":0)" + where(eq("feedback_type", "\"" + type + "\""))), counted);
  EXPECT_EQ(queried(R"(,"limit":0)" + where(eq("feedback_type", R"("svc.note.1")"))), counted);
  EXPECT_EQ(queried(R"(,"limit":0)" + where(eq(member, "\"" + ref + "\""))), counted);
  EXPECT_EQ(queried(R"(,"limit":0)" + where(eq(member, R"("svc:///acme/app/call/c1")"))), counted);
}

TEST_P(FeedbackRoutes, FindTagsAndRatings) {
  const std::string target =
      R"({"project_id":"acme/app","svc_ref":"svc:///acme/app/agent_turn/t1",)"
      R"("feedback_type":"svc.agent_user_feedback","payload":{},)";
  const http::Response response =
      post("create", target + R"("scorer_tags":["good","fast"],"scorer_ratings":{"_rating_":0.5},)"
                              R"("scorer_tag_reasons":{"good":"because"}})");
  ASSERT_EQ(response.status, 200) << response.body;
  const auto found = [this](const std::string& expression) {
    return queried(R"(,"limit":0)" + where(expression)) == R"({"result":[],"total_count":1})";
  };
  EXPECT_TRUE(
      found(R"({"$contains":{"input":{"$getField":"scorer_tags"},"substr":{"$literal":"fast"}}})"));
  EXPECT_FALSE(
      found(R"({"$contains":{"input":{"$getField":"scorer_tags"},"substr":{"$literal":"fas"}}})"));
  EXPECT_TRUE(found(eq("scorer_ratings._rating_", "0.5")));
  EXPECT_TRUE(found(eq("scorer_tag_reasons.good", R"("because")")));
  EXPECT_EQ(queried(R"(,"fields":["scorer_ratings._rating_","scorer_ratings.x","scorer_tags"])"),
            R"({"result":[{"scorer_ratings._rating_":0.5,"scorer_ratings.x":null,)"
            R"("scorer_tags":["good","fast"]}],"total_count":1})");
}

TEST_P(FeedbackRoutes, StoreBatchesAtomically) {
  const std::string good = item("c1", "custom", "{}");
  EXPECT_EQ(post("batch/create", R"({"batch":[]})").body, R"({"res":[]})");
  EXPECT_EQ(post("batch/create", R"({"batch":[)" + good + "," + good + "]}").status, 200);
  EXPECT_EQ(queried(R"(,"limit":0)"), R"({"result":[],"total_count":2})");
  const http::Response bad =
      post("batch/create", R"({"batch":[)" + good + "," + item("c1", "svc.note.1", "{}") + "]}");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(queried(R"(,"limit":0)"), R"({"result":[],"total_count":2})");
  const http::Response broken = post("batch/create", R"({"batch":[{"project_id":"acme/app"}]})");
  EXPECT_EQ(broken.status, 422);
  EXPECT_NE(broken.body.find(R"("loc":["body","batch",0,"svc_ref"])"), std::string::npos);
}

TEST_P(FeedbackRoutes, ReplaceUnderANewId) {
  const std::string old = made("c1", "svc.note.1", R"({"note":"old"})");
  const auto replace = [&](const std::string& payload) {
    return post("replace", item("c1", "svc.note.1", payload, R"(,"feedback_id":")" + old + "\""));
  };
  EXPECT_EQ(replace("{}").status, 400);
  EXPECT_EQ(queried(R"(,"fields":["payload"])"),
            R"({"result":[{"payload":{"note":"old"}}],"total_count":1})");
  const http::Response response = replace(R"({"note":"new"})");
  EXPECT_EQ(response.status, 200);
  EXPECT_NE(memberOf(response.body, "id"), old);
  EXPECT_EQ(queried(R"(,"fields":["payload"])"),
            R"({"result":[{"payload":{"note":"new"}}],"total_count":1})");
}

TEST_P(FeedbackRoutes, PurgeByIdsOnly) {
  const std::string first = made("c1", "custom", "{}");
  const std::string second = made("c2", "custom", "{}");
  made("c3", "custom", "{}");
  const std::string refusal =
      R"({"reason":"Can only purge feedback by specifying one or more feedback ids"})";
  EXPECT_EQ(purge(eq("feedback_type", R"("custom")")), refusal);
  EXPECT_EQ(purge(R"({"$in":[{"$getField":"id"},[{"$literal":")" + first + R"("}]]})"), refusal);
  EXPECT_EQ(purge(R"({"$eq":[{"$literal":")" + first + R"("},{"$getField":"id"}]})"), refusal);
  EXPECT_EQ(purge(R"({"$and":[)" + eq("id", "\"" + first + "\"") + "]}"), refusal);
  EXPECT_EQ(purge(R"({"$or":[]})"), refusal);
  EXPECT_EQ(
      purge(R"({"$or":[)" + eq("id", "\"" + first + "\"") + "," + eq("creator", "\"x\"") + "]}"),
      refusal);
  EXPECT_EQ(purge(eq("id", "\"unknown\"")), "{}");
  EXPECT_EQ(queried(R"(,"limit":0)"), R"({"result":[],"total_count":3})");
  EXPECT_EQ(purge(eq("id", "\"" + first + "\"")), "{}");
  EXPECT_EQ(purge(R"({"$or":[)" + eq("id", "\"" + second + "\"") + "]}"), "{}");
  EXPECT_EQ(queried(R"(,"limit":0)"), R"({"result":[],"total_count":1})");
}

TEST_P(FeedbackRoutes, EnforceRoles) {
  const std::string create = item("c1", "custom", "{}");
  EXPECT_EQ(statusesOf("create", create, {"", stranger_, viewer_, lead_}), "401 404 403 200");
  const std::string query = R"({"project_id":"acme/app"})";
  EXPECT_EQ(statusesOf("query", query, {stranger_, viewer_}), "404 200");
  EXPECT_EQ(post("query", R"({"project_id":"acme/new"})").body, R"({"result":[],"total_count":0})");
}

TEST_P(FeedbackRoutes, ReadAcrossAFlush) {
  made("c1", "custom", R"({"a":1})");
  ASSERT_TRUE(columnar_->flush());
  made("c2", "custom", R"({"a":2})");
  EXPECT_EQ(queried(R"(,"fields":["payload.a"])"),
            R"({"result":[{"payload.a":"1"},{"payload.a":"2"}],"total_count":2})");
}

TEST_P(FeedbackRoutes, StreamMoreThanOneChunk) {
  std::string batch;
  for (int i = 0; i < 700; ++i) batch += (batch.empty() ? "" : ",") + item("c1", "custom", "{}");
  ASSERT_EQ(post("batch/create", R"({"batch":[)" + batch + "]}").status, 200);
  const std::string body = queried(R"(,"fields":["feedback_type"])");
  EXPECT_TRUE(body.ends_with(R"({"feedback_type":"custom"}],"total_count":700})"));
  const auto parsed = json::Document::parse(body);
  EXPECT_EQ(std::get<json::Document>(parsed).root().find("result")->size(), 700U);
}

TEST_P(FeedbackRoutes, ReturnTheFeedbackOfCalls) {
  made("c1", "svc.note.1", R"({"note":"a"})");
  made("c1", "svc.note.1", R"({"note":"b"})");
  made("c2", "custom", "{}");
  const auto found = store_.ofTargets(projectId(), kCallTarget, {"c1", "c3"});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  const std::string list = embeddedFeedback(found->at("c1"), wire::Spelling::kNeutral);
  const auto parsed = json::Document::parse(list);
  const json::Node root = std::get<json::Document>(parsed).root();
  ASSERT_EQ(root.size(), 2U);
  const json::Node first = *root.begin();
  EXPECT_EQ(first.size(), 17U);
  EXPECT_EQ(first.find("payload")->raw(), R"({"note":"a"})");
  EXPECT_EQ(first.find("svc_ref")->text(), "svc-trace-internal:///" + projectId() + "/call/c1");
}

TEST_P(FeedbackRoutes, CountTagsAndRatings) {
  const auto score = [this](const std::string& more) {
    const http::Response response =
        post("create", R"({"project_id":"acme/app","svc_ref":"svc:///acme/app/agent_turn/t1",)"
                       R"("feedback_type":"svc.agent_monitor","payload":{},)"
                       R"("call_ref":"svc:///acme/app/call/c1",)"
                       R"("trigger_ref":"svc:///acme/app/object/watch:v1",)" +
                           more + "}");
    EXPECT_EQ(response.status, 200) << response.body;
  };
  const std::int64_t start = microsOf(clock_.now()) / 1000;
  score(R"("runnable_ref":"svc:///acme/app/object/judge:v1","span_agent_name":"a",)"
        R"("scorer_tags":["good"],"scorer_ratings":{"_rating_":0.25})");
  score(R"("runnable_ref":"svc:///acme/app/object/judge:v2","span_agent_name":"a",)"
        R"("scorer_tags":["good","fast"],"scorer_ratings":{"_rating_":0.5,"x":2})");
  clock_.advance(1h);
  score(R"("runnable_ref":"svc:///acme/app/object/other:v1","span_agent_name":"b")");
  const auto aggregate = [&](const std::string& more) {
    return post("aggregate", R"({"project_id":"acme/app","after_ms":)" + std::to_string(start) +
                                 R"(,"before_ms":)" + std::to_string(start + 7'200'000) + more +
                                 "}")
        .body;
  };
  const std::string span = R"(,"after_ms":)" + std::to_string(start) + R"(,"before_ms":)" +
                           std::to_string(start + 7'200'000);
  EXPECT_EQ(aggregate(""),
            R"({"time_bucket_seconds":null)" + span +
                R"(,"buckets":[{"time_bucket_start_ms":null,"group":{},)"
                R"("total_count":3,"scored_count":2,"tag_counts":{"fast":1,"good":2},)"
                R"("rating_counts":{"_rating_":2,"x":1},)"
                R"("rating_sums":{"_rating_":0.75,"x":2.0}}]})");
  EXPECT_EQ(
      aggregate(R"(,"group_by":["span_agent_name"],"tags":["fast"])"),
      R"({"time_bucket_seconds":null)" + span +
          R"(,"buckets":[{"time_bucket_start_ms":null,"group":{"span_agent_name":"a"},)"
          R"("total_count":1,"scored_count":1,"tag_counts":{"fast":1,"good":1},)"
          R"("rating_counts":{"_rating_":1,"x":1},"rating_sums":{"_rating_":0.5,"x":2.0}}]})");
  const std::int64_t hour = start / 3'600'000 * 3'600'000;
  const std::string hours = aggregate(R"(,"time_bucket_seconds":3600)");
  EXPECT_NE(hours.find(R"("time_bucket_start_ms":)" + std::to_string(hour)), std::string::npos);
  EXPECT_NE(hours.find(R"("time_bucket_start_ms":)" + std::to_string(hour + 3'600'000)),
            std::string::npos);
  const auto count = [&](const std::string& more) {
    const std::string body = aggregate(more);
    const std::size_t at = body.find(R"("total_count":)");
    return at == std::string::npos ? "0" : body.substr(at + 14, 1);
  };
  EXPECT_EQ(count(R"(,"rating_min":0.3)"), "1");
  EXPECT_EQ(count(R"(,"rating_max":0.3)"), "1");
  EXPECT_EQ(count(R"(,"scorer_ids":["judge:*"])"), "2");
  EXPECT_EQ(count(R"(,"scorer_ids":["judge:v1"])"), "1");
  EXPECT_EQ(count(R"(,"scorer_ids":["judge"])"), "2");
  EXPECT_EQ(count(R"(,"scorer_ids":["svc:///acme/app/object/judge:*"])"), "2");
  EXPECT_EQ(count(R"(,"monitor_ids":["watch"])"), "3");
  EXPECT_EQ(count(R"(,"monitor_ids":["none"])"), "0");
  EXPECT_EQ(count(R"(,"feedback_types":["svc.agent"])"), "3");
  EXPECT_EQ(count(R"(,"feedback_types":["svc.runnable."])"), "0");
  EXPECT_EQ(count(R"(,"span_types":["agent_turn"])"), "3");
  EXPECT_EQ(count(R"(,"span_types":["agent_conversation"])"), "0");
  EXPECT_EQ(count(R"(,"span_agent_names":["b"])"), "1");
  const std::string by_scorer = aggregate(R"(,"group_by":["scorer_id"])");
  EXPECT_NE(by_scorer.find(R"("group":{"scorer_id":"judge:v2"})"), std::string::npos);
}

TEST_P(FeedbackRoutes, LimitAggregates) {
  const auto aggregate = [this](const std::string& rest) {
    return post("aggregate", R"({"project_id":"acme/app",)" + rest + "}");
  };
  EXPECT_EQ(aggregate(R"("after_ms":0,"before_ms":2678400000)").status, 200);
  const http::Response wide = aggregate(R"("after_ms":0,"before_ms":2678400001)");
  EXPECT_EQ(wide.status, 422);
  EXPECT_NE(wide.body.find(R"("msg":"Value error, date range cannot exceed 31 days")"),
            std::string::npos);
  EXPECT_EQ(aggregate(R"("after_ms":0,"before_ms":256000,"time_bucket_seconds":1)").status, 422);
  EXPECT_EQ(aggregate(R"("after_ms":0,"before_ms":255000,"time_bucket_seconds":1)").status, 200);
  EXPECT_EQ(aggregate(R"("after_ms":5,"before_ms":4)").status, 422);
  EXPECT_EQ(aggregate(R"("after_ms":-1,"before_ms":4)").status, 422);
  EXPECT_EQ(aggregate(R"("after_ms":0,"before_ms":4,"rating_min":2)").status, 422);
  EXPECT_EQ(aggregate(R"("after_ms":0,"before_ms":4,"group_by":["colour"])").status, 422);
}

TEST_P(FeedbackRoutes, AggregatePayloadsOverTime) {
  clock_.advance(std::chrono::seconds(300 - microsOf(clock_.now()) / 1'000'000 % 300));
  const Timestamp start = clock_.now();
  made("c1", "custom", R"({"out":{"score":1,"ok":true},"word":"a"})");
  made("c2", "custom", R"({"out":{"score":"3","ok":false},"word":""})");
  made("c3", "custom", R"({"out":{"score":"many"}})");
  made("c3", "other", R"({"out":{"score":100}})");
  const std::string span = R"(,"start":")" + formatTimestamp(start) + R"(","end":")" +
                           formatTimestamp(start + 10min) + "\"";
  const http::Response response = post(
      "stats",
      R"({"project_id":"acme/app","feedback_type":"custom")" + span +
          R"(,"metrics":[{"json_path":"out.score","aggregations":["sum","avg","min","max","count"],)"
          R"("percentiles":[50,62.5]},{"json_path":"out.ok","value_type":"boolean"},)"
          R"({"json_path":"word","value_type":"categorical"}]})");
  EXPECT_EQ(
      response.body,
      R"({"start":")" + formatTimestamp(start) + R"(","end":")" + formatTimestamp(start + 10min) +
          R"(","granularity":300,"timezone":"UTC","buckets":[{"timestamp":")" +
          formatTimestamp(start) +
          R"(","count":3,"sum_out_score":4.0,"avg_out_score":2.0,"min_out_score":1.0,)"
          R"("max_out_score":3.0,"count_out_score":2,"p50_out_score":2.0,"p62_5_out_score":2.25,)"
          R"("count_true_out_ok":1,"count_false_out_ok":1,"count_word":1},{"timestamp":")" +
          formatTimestamp(start + 5min) +
          R"(","count":0,"sum_out_score":0.0,"avg_out_score":0.0,"min_out_score":null,)"
          R"("max_out_score":null,"count_out_score":0,"p50_out_score":null,"p62_5_out_score":null,)"
          R"("count_true_out_ok":0,"count_false_out_ok":0,"count_word":0}],"window_stats":)"
          R"({"out_score":{"sum":4.0,"avg":2.0,"min":1.0,"max":3.0,"count":2,"p50":2.0,)"
          R"("p62_5":2.25},"out_ok":{"count_true":1,"count_false":1},"word":{"count":1}}})");
}

TEST_P(FeedbackRoutes, AlignBucketsToTheTimeZone) {
  const auto stats = [this](const std::string& more) {
    return post("stats", R"({"project_id":"acme/app","start":"2024-07-01T22:00:00Z",)"
                         R"("end":"2024-07-03T22:00:00Z","granularity":86400)" +
                             more + "}")
        .body;
  };
  EXPECT_EQ(
      stats(R"(,"timezone":"Europe/Berlin")"),
      R"({"start":"2024-07-01T22:00:00Z","end":"2024-07-03T22:00:00Z","granularity":86400,)"
      R"("timezone":"Europe/Berlin","buckets":[{"timestamp":"2024-07-01T22:00:00Z","count":0},)"
      R"({"timestamp":"2024-07-02T22:00:00Z","count":0}],"window_stats":null})");
  EXPECT_NE(stats("").find(R"("timestamp":"2024-07-01T00:00:00Z")"), std::string::npos);
  EXPECT_EQ(stats(R"(,"timezone":"Mars/Base")"), R"({"reason":"Unknown timezone: Mars/Base"})");
}

TEST_P(FeedbackRoutes, LimitTheTimeRangeOfStatistics) {
  const auto stats = [this](const std::string& rest) {
    return post("stats", R"({"project_id":"acme/app",)" + rest + "}");
  };
  const http::Response turned =
      stats(R"("start":"2024-01-02T00:00:00Z","end":"2024-01-01T00:00:00Z")");
  EXPECT_EQ(turned.status, 422);
  EXPECT_NE(turned.body.find(R"("msg":"Value error, FeedbackStatsReq end must be after start")"),
            std::string::npos);
  EXPECT_EQ(stats(R"("start":"2024-01-01","end":"2024-02-02")").status, 422);
  EXPECT_EQ(stats(R"("start":"2001-01-01")").status, 422);
  EXPECT_EQ(stats(R"("start":"2024-01-01","end":"2024-01-31","granularity":1)").status, 200);
}

TEST_P(FeedbackRoutes, ListPayloadPaths) {
  const Timestamp start = clock_.now();
  made("c1", "custom", R"({"score":1,"deep":{"ok":true,"a.b":"x"},"list":[1],"none":null})");
  made("c2", "custom", R"({"score":"high","deep":{"ok":false}})");
  made("c3", "custom", R"({"score":2})");
  const auto schema = [&](const std::string& more) {
    return post("payload_schema", R"({"project_id":"acme/app","start":")" + formatTimestamp(start) +
                                      R"(","end":")" + formatTimestamp(start + 1h) + "\"" + more +
                                      "}");
  };
  EXPECT_EQ(schema("").body, R"({"paths":[{"json_path":"deep.a\\.b","value_type":"categorical"},)"
                             R"({"json_path":"deep.ok","value_type":"boolean"},)"
                             R"({"json_path":"score","value_type":"numeric"}]})");
  EXPECT_EQ(schema(R"(,"sample_limit":1)").body,
            R"({"paths":[{"json_path":"score","value_type":"numeric"}]})");
  EXPECT_EQ(schema(R"(,"sample_limit":0)").status, 422);
  EXPECT_EQ(schema(R"(,"sample_limit":5001)").status, 422);
  EXPECT_EQ(schema(R"(,"feedback_type":"other")").body, R"({"paths":[]})");
}

TEST_P(FeedbackRoutes, AppearInTheOpenApiDocument) {
  const std::string document = http::openApiDocument(router_, "Spindle", "1");
  for (const char* name :
       {"FeedbackCreate", "FeedbackPage", "FeedbackAggregate", "FeedbackStats"}) {
    EXPECT_NE(document.find(name), std::string::npos) << name;
  }
}

SPINDLE_ON_BOTH_ENGINES(FeedbackRoutes);

}  // namespace
}  // namespace spindle::feedback
