#include "tracing/ingest/stored_payload.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"
#include "tracing/ingest/payload_for_test.h"
#include "wire/spelling.h"

namespace spindle::tracing {
namespace {

class PayloadTest : public ::testing::Test {
 protected:
  StoredPayload stored(std::string_view json, const PayloadRules& rules = {}) {
    Result<StoredPayload> payload = storePayload(json, rules, ports_);
    EXPECT_TRUE(payload) << json.substr(0, 100);
    return payload ? *std::move(payload) : StoredPayload();
  }

  static std::string nested(std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  }

  ProjectsForTest projects_;
  MediaForTest media_;
  PayloadPorts ports_{projects_, media_};
};

TEST_F(PayloadTest, StoresCompactJson) {
  EXPECT_EQ(stored(R"( { "a" : [ 1 , 2.50 ] , "b" : "\u0041\/\n\u00e9" } )").json,
            "{\"a\":[1,2.50],\"b\":\"A/\\n\xC3\xA9\"}");
}

TEST_F(PayloadTest, CountsBytesLikePythonJson) {
  struct Case {
    std::string_view json;
    std::int64_t bytes;
  };
  // Lengths of json.dumps(json.loads(text)).
  const Case cases[] = {
      {R"({"a":1,"b":[1,2.5,"x"],"c":{}})", 37},
      {"[]", 2},
      {"{}", 2},
      {R"("")", 2},
      {"null", 4},
      {"\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", 26},
      {R"("a\"b\\c\n\t\u0001\u007f/")", 26},
      {"[true,false,null]", 19},
      {R"({"k":{"n":[[],{}]}})", 22},
      {R"("\b\f\u000b")", 12},
      {"{\"\xC3\xA9\":1}", 13},
  };
  for (const Case& each : cases) EXPECT_EQ(stored(each.json).bytes, each.bytes) << each.json;
}

TEST_F(PayloadTest, RedactsCredentialsAtAnyDepth) {
  const StoredPayload payload = stored(
      R"({"api_key":"s3cret","deep":[{"Authorization":"Bearer x","n":1}],"apiKey":"","token":"t",)"
      R"("secret_key":{"api_key":5}})",
      {.redact = true});
  EXPECT_EQ(payload.json,
            R"({"api_key":"REDACTED","deep":[{"Authorization":"REDACTED","n":1}],"apiKey":"",)"
            R"("token":"t","secret_key":{"api_key":5}})");
  EXPECT_EQ(stored(R"({"api_key":"s3cret"})").json, R"({"api_key":"s3cret"})");
}

TEST_F(PayloadTest, ExtractsLargeMedia) {
  const std::string uri = "data:image/png;base64," + encodeBase64(std::string(9000, 'x'));
  const StoredPayload payload = stored("{\"image\":\"" + uri + "\"}", {.extract_media = true});
  EXPECT_EQ(payload.json, R"({"image":"svc-trace-internal:///prj_1/object/content:1"})");
  EXPECT_EQ(media_.kept, (std::vector<std::string>{std::string(9000, 'x')}));
  EXPECT_EQ(media_.types, (std::vector<std::string>{"image/png"}));
  EXPECT_GT(stored("{\"image\":\"" + uri + "\"}").json.size(), 9000U);
}

TEST_F(PayloadTest, MakesRefsInternalAndListsThemOnce) {
  const StoredPayload payload =
      stored(R"({"a":"svc:///team/app/object/o:1","b":["svc:///team/app/object/o:1","x"]})");
  EXPECT_EQ(payload.json, R"({"a":"svc-trace-internal:///prj_1/object/o:1",)"
                          R"("b":["svc-trace-internal:///prj_1/object/o:1","x"]})");
  EXPECT_EQ(payload.refs, (std::vector<std::string>{"svc-trace-internal:///prj_1/object/o:1"}));
}

TEST_F(PayloadTest, NeutralizesTopLevelPlatformMembers) {
  const std::string key(wire::platformKey(wire::Spelling::kVendor));
  const std::string json = "{\"" + key + "\":{\"" + key + "\":1}}";
  EXPECT_EQ(stored(json, {.platform_members = true}).json, "{\"svc\":{\"" + key + "\":1}}");
  EXPECT_EQ(stored(json).json, json);
}

TEST_F(PayloadTest, RejectsExcessiveNesting) {
  EXPECT_TRUE(storePayload(nested(kMaxPayloadDepth), {}, ports_));
  const Result<StoredPayload> deep = storePayload(nested(kMaxPayloadDepth + 1), {}, ports_);
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().code(), ErrorCode::kTooLarge);
  EXPECT_EQ(deep.error().message(), "Request too large");
}

}  // namespace
}  // namespace spindle::tracing
