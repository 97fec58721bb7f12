#include "tracing/routes/call_preview.h"

#include <string>

#include <gtest/gtest.h>

#include "objects/values/ref_projects_for_test.h"

namespace spindle::tracing {
namespace {

class CallPreviews : public ::testing::Test {
 protected:
  /// Returns what a response shows of inputs that were read for previews of `bytes`.
  std::string inputs(const std::string& stored, std::int64_t bytes) {
    Call call;
    call.inputs = stored.substr(0, static_cast<std::size_t>(previewCharacters(bytes)));
    call.preview.emplace().inputs_bytes = static_cast<std::int64_t>(stored.size());
    show(call, bytes);
    return *call.inputs;
  }
  void show(Call& call, std::int64_t bytes) {
    EXPECT_TRUE(showPreviews(call, extras_, bytes, projects_, wire::Spelling::kNeutral));
  }

  objects::OneProjectForTest projects_{"team/app", "prj_2"};
  CallExtras extras_;
};

TEST_F(CallPreviews, KeepSmallPayloads) {
  EXPECT_EQ(inputs(R"({"a":"0123456"})", 16), R"({"a":"0123456"})");
  EXPECT_EQ(inputs(R"({"a":"01234567"})", 16), R"({"a":"01234567"})");
  EXPECT_EQ(inputs(R"({"a":"012345678"})", 16), R"({"preview":"{\"a\":\"012345678\"","bytes":17})");
}

TEST_F(CallPreviews, CutBetweenCharacters) {
  EXPECT_EQ(inputs(R"({"a":"012345678ééééé"})", 16),
            R"({"preview":"{\"a\":\"012345678","bytes":27})");
  EXPECT_EQ(inputs(R"({"a":"0123456é8"})", 16), R"({"preview":"{\"a\":\"0123456é8","bytes":18})");
}

TEST_F(CallPreviews, ShowNoInternalReferences) {
  const std::string shown = inputs(
      R"({"r":"svc-trace-internal:///prj_1/object/x:y","long":")" + std::string(500, 'x') + "\"}",
      64);
  EXPECT_EQ(shown.find("prj_1"), std::string::npos) << shown;
  EXPECT_NE(shown.find("svc-private://///object/x:y"), std::string::npos) << shown;
}

TEST_F(CallPreviews, KeepTheUsageOfASummary) {
  Call call;
  call.summary = R"({"usage":{"m":{"prompt_tokens":1}},"x":1})";
  call.preview.emplace().summary_bytes = static_cast<std::int64_t>(call.summary->size());
  show(call, 16);
  EXPECT_EQ(*call.summary,
            R"({"preview":"{\"usage\":{\"m\":{\"","bytes":41,"usage":{"m":{"prompt_tokens":1}}})");
  call.summary = R"({"long":")" + std::string(300, 'x');
  call.preview->summary_bytes = 5000;
  call.preview->usage = R"({"m":{}})";
  show(call, 16);
  EXPECT_EQ(*call.summary, R"({"preview":"{\"long\":\"xxxxxxx","bytes":5000,"usage":{"m":{}}})");
}

TEST_F(CallPreviews, ShowThePlainTextOfAnException) {
  Call call;
  call.exception = "Error: \"x\"\n" + std::string(20, 'y');
  call.preview.emplace().exception_bytes = 31;
  show(call, 16);
  EXPECT_EQ(extras_.exception_preview, R"({"preview":"Error: \"x\"\nyyyyy","bytes":31})");
}

}  // namespace
}  // namespace spindle::tracing
