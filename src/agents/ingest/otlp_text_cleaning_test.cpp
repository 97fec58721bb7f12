#include "agents/ingest/otlp_text_cleaning.h"

#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"
#include "otlp/json_text.h"
#include "tracing/ingest/payload_for_test.h"

namespace spindle::agents {
namespace {

class OtlpTexts : public testing::Test {
 protected:
  std::string cleaned(std::string_view json) {
    std::optional<otlp::Value> value = otlp::parseJson(texts_.keep(std::string(json)), texts_);
    EXPECT_TRUE(value) << json;
    const Result<void> done = cleanTexts(*value, {projects_, media_, texts_});
    if (!done) return done.error().message();
    std::string out;
    otlp::appendJson(out, *value);
    return out;
  }

  /// Returns a picture that is large enough for the media store.
  static std::string picture() {
    return encodeBase64("\x89PNG\r\n\x1a\n" + std::string(9000, '\x07'));
  }

  otlp::TextArena texts_;
  tracing::ProjectsForTest projects_;
  tracing::MediaForTest media_;
};

TEST_F(OtlpTexts, RedactsCredentialsByTheNamesOfTheirFields) {
  for (const std::string name :
       {"auth_headers", "Authorization", "auth-token", "aws_access_key", "aws_access_key_id",
        "bearer_token", "vertex_credentials", "webhook_key", "webhook_secret", "my_access_token",
        "OPENAI_API_KEY", "api_token", "client_secret", "private-key", "refresh_token",
        "secret_access_key", "secret_key", "session_token"}) {
    const std::string json = "{\"" + name + "\":\"s3cret\"}";
    EXPECT_EQ(cleaned(json), "{\"" + name + "\":\"REDACTED\"}");
  }
  EXPECT_EQ(cleaned(R"({"a":[{"api_key":"x","n":1}],"api_key":"","max_tokens":5})"),
            R"({"a":[{"api_key":"REDACTED","n":1}],"api_key":"","max_tokens":5})");
  EXPECT_EQ(cleaned(R"({"authorization":["Bearer x"],"api_key":7})"),
            R"({"authorization":["REDACTED"],"api_key":7})");
  EXPECT_EQ(cleaned(R"({"text":"{\"api_key\":\"x\"}"})"), R"({"text":"{\"api_key\":\"x\"}"})");
}

TEST_F(OtlpTexts, MovesLargeFilesOutAfterRedaction) {
  EXPECT_EQ(cleaned(R"({"m":[{"data":")" + picture() + R"("}]})"),
            R"({"m":[{"data":"svc-trace-internal:///prj_1/object/content:1"}]})");
  EXPECT_EQ(media_.types.at(0), "image/png");
  EXPECT_EQ(cleaned(R"({"u":"data:image/png;base64,)" + picture() + R"("})"),
            R"({"u":"svc-trace-internal:///prj_1/object/content:2"})");
  EXPECT_EQ(cleaned(R"({"private_key":")" + picture() + R"("})"), R"({"private_key":"REDACTED"})");
  EXPECT_EQ(media_.kept.size(), 2U);
  const std::string text = R"({"t":")" + std::string(9000, 'a') + R"("})";
  EXPECT_EQ(cleaned(text), text);
}

TEST_F(OtlpTexts, AFileThatCannotBeMovedStaysInTheText) {
  class Full final : public tracing::MediaStore {
    Result<std::string> keep(std::string_view, std::string_view) override {
      return Error(ErrorCode::kStorageFull, "full");
    }
  };
  Full full;
  const std::string held = picture();
  otlp::Value value{std::string_view(held)};
  EXPECT_TRUE(cleanTexts(value, {projects_, full, texts_}));
  EXPECT_EQ(*value.asText(), held);
}

TEST_F(OtlpTexts, ConvertsReferencesToInternalOnesAlsoInsideJson) {
  EXPECT_EQ(cleaned(R"({"svc.content_refs":["svc:///team/app/object/x:d"]})"),
            R"({"svc.content_refs":["svc-trace-internal:///prj_1/object/x:d"]})");
  EXPECT_EQ(cleaned(R"({"t":"{\"r\":\"svc:///team/app/object/x:d\"}"})"),
            R"({"t":"{\"r\":\"svc-trace-internal:///prj_1/object/x:d\"}"})");
  EXPECT_EQ(cleaned(R"({"t":"see svc:///team/app/object/x:d"})"),
            R"({"t":"see svc:///team/app/object/x:d"})");
  EXPECT_NE(cleaned(R"({"t":"svc-trace-internal:///prj_2/object/x:d"})").find("prj_2"), 0U);
}

TEST_F(OtlpTexts, RejectsAnInternalReferenceToAnotherProject) {
  otlp::Value value{std::string_view("svc-trace-internal:///prj_2/object/x:d")};
  const Result<void> done = cleanTexts(value, {projects_, media_, texts_});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace spindle::agents
