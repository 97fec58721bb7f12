#include "feedback/feedback_validator.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "feedback/feedback_payload.h"
#include "wire/spelling.h"

namespace spindle::feedback {
namespace {

/// Projects of one caller, who can read acme/app (p1) and acme/other (p2).
class KnownProjects final : public objects::RefProjects {
 public:
  Result<std::optional<std::string>> internalOf(std::string_view external) override {
    if (external == "acme/app") return std::optional<std::string>("p1");
    if (external == "acme/other") return std::optional<std::string>("p2");
    return std::optional<std::string>();
  }
  Result<std::optional<std::string>> externalOf(std::string_view internal) override {
    if (internal == "p1") return std::optional<std::string>("acme/app");
    return std::optional<std::string>();
  }
};

class FeedbackValidatorTest : public ::testing::Test {
 protected:
  static constexpr const char* kCall = "svc:///acme/app/call/c1";

  static Feedback given(const std::string& type, const std::string& payload) {
    Feedback feedback;
    feedback.svc_ref = kCall;
    feedback.feedback_type = type;
    feedback.payload = payload;
    return feedback;
  }

  Result<Feedback> validate(Feedback feedback) {
    return validator_.validate(std::move(feedback), {"p1", "u1", projects_});
  }
  Feedback stored(Feedback feedback) {
    Result<Feedback> result = validate(std::move(feedback));
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    return result ? *std::move(result) : Feedback();
  }
  /// Returns the message of a 400, or `accepted`.
  std::string refusal(Feedback feedback) {
    const Result<Feedback> result = validate(std::move(feedback));
    if (result) return "accepted";
    return (result.error().code() == ErrorCode::kInvalidArgument ? "" : "another code: ") +
           result.error().message();
  }

  ManualClock clock_{timestampOfMicros(1'700'000'000'000'000)};
  EmojiNames emoji_{"👍 thumbs_up\n"};
  KnownProjects projects_;
  std::map<std::string, std::string> objects_;
  FeedbackValidator validator_{
      {.clock = clock_,
       .emoji = emoji_,
       .object_value = [this](std::string_view project,
                              std::string_view object,
                              std::string_view version) -> Result<std::string> {
         const auto found = objects_.find(std::string(project) + "/" + std::string(object) + ":" +
                                          std::string(version));
         if (found == objects_.end()) return Error::notFound("Object not found");
         return found->second;
       },
       .queue_exists = [](std::string_view, std::string_view queue) -> Result<bool> {
         return queue == "q1";
       }}};
};

TEST_F(FeedbackValidatorTest, FillsServerFields) {
  const Feedback feedback = stored(given("custom", R"({ "a" : "\u0041" })"));
  EXPECT_EQ(feedback.id.size(), 36U);
  EXPECT_EQ(feedback.created_at, clock_.now());
  EXPECT_EQ(feedback.svc_user_id, "u1");
  EXPECT_EQ(feedback.svc_ref, "svc-trace-internal:///p1/call/c1");
  EXPECT_EQ(feedback.target_kind, "call");
  EXPECT_EQ(feedback.target_id, "c1");
  EXPECT_EQ(feedback.payload, R"({"a":"A"})");
}

TEST_F(FeedbackValidatorTest, AcceptsOnlyUuids) {
  Feedback feedback = given("custom", "{}");
  feedback.id = "018f4d10-5c00-7000-8000-000000000001";
  EXPECT_EQ(stored(feedback).id, feedback.id);
  feedback.id = "mine";
  EXPECT_EQ(refusal(feedback), "Invalid UUID: mine");
  feedback.id = "018F4D10-5C00-7000-8000-000000000001";
  EXPECT_EQ(refusal(feedback), "Invalid UUID: " + feedback.id);
}

TEST_F(FeedbackValidatorTest, AcceptsBothSpellings) {
  const std::string type = wire::feedbackTypeFor(wire::Spelling::kVendor, "svc.note.1");
  Feedback feedback = given(type, R"({"note":"x"})");
  feedback.svc_ref =
      std::string(wire::schemeText(wire::RefScheme::kExternal, wire::Spelling::kVendor)) +
      "acme/app/call/c1";
  const Feedback result = stored(feedback);
  EXPECT_EQ(result.feedback_type, "svc.note.1");
  EXPECT_EQ(result.svc_ref, "svc-trace-internal:///p1/call/c1");
}

TEST_F(FeedbackValidatorTest, RequiresATargetRef) {
  Feedback feedback = given("custom", "{}");
  for (const char* ref : {"nothing", "svc:///acme/app"}) {
    feedback.svc_ref = ref;
    EXPECT_NE(refusal(feedback), "accepted") << ref;
  }
  feedback.svc_ref = "svc:///acme/other/call/c1";
  EXPECT_EQ(stored(feedback).target_id, "");
}

TEST_F(FeedbackValidatorTest, AddsNamesToReactions) {
  EXPECT_EQ(stored(given("svc.reaction.1", R"({"emoji":"👍🏽","alias":"mine"})")).payload,
            R"({"emoji":"👍🏽","alias":":thumbs_up_medium_skin_tone:","detoned":"👍",)"
            R"("detoned_alias":":thumbs_up:"})");
  EXPECT_EQ(refusal(given("svc.reaction.1", R"({"emoji":"👍👍"})")),
            "Value of key 'emoji' in payload is not exactly one emoji");
  EXPECT_EQ(refusal(given("svc.reaction.1", R"({"emoji":"ok"})")),
            "Value of key 'emoji' in payload is not exactly one emoji");
  EXPECT_EQ(refusal(given("svc.reaction.1", R"({"emoji":1})")),
            "A reaction needs a payload with an 'emoji'");
}

TEST_F(FeedbackValidatorTest, LimitsTheLengthOfNotes) {
  const auto note = [](const std::string& text) {
    return given("svc.note.1", R"({"note":")" + text + R"("})");
  };
  std::string longest;
  for (std::size_t i = 0; i < kMaxNoteCharacters; ++i) longest += "é";
  EXPECT_EQ(refusal(note("x")), "accepted");
  EXPECT_EQ(refusal(note(longest)), "accepted");
  EXPECT_EQ(refusal(note(longest + "x")), "A note must have between 1 and 1024 characters");
  EXPECT_EQ(refusal(note("")), "A note must have between 1 and 1024 characters");
  EXPECT_EQ(refusal(given("svc.note.1", "{}")), "A note needs a payload with a 'note'");
}

TEST_F(FeedbackValidatorTest, ChecksAnnotationsAgainstTheirSpecification) {
  objects_["p1/quality:v1"] =
      R"({"_type":"AnnotationSpec","field_schema":{"type":"number","minimum":0,"maximum":1}})";
  Feedback feedback = given("svc.annotation.quality", R"({"value":0.5})");
  EXPECT_EQ(refusal(feedback), "annotation_ref is required for annotation feedback");
  feedback.annotation_ref = "svc:///acme/app/object/quality:v1";
  EXPECT_EQ(stored(feedback).annotation_ref, "svc-trace-internal:///p1/object/quality:v1");
  feedback.payload = R"({"value":1.5})";
  EXPECT_EQ(refusal(feedback), "Value 1.5 is greater than the maximum of 1.0");
  feedback.payload = "{}";
  EXPECT_EQ(refusal(feedback), "Annotation feedback needs a payload with 'value'");
  feedback.payload = R"({"value":0.5})";
  feedback.annotation_ref = "svc:///acme/app/object/other:v1";
  const std::string wrong =
      "annotation_ref must point to an object named quality in the same project";
  EXPECT_EQ(refusal(feedback), wrong);
  feedback.annotation_ref = "svc:///acme/other/object/quality:v1";
  EXPECT_EQ(refusal(feedback), wrong);
  feedback.annotation_ref = "svc:///acme/app/object/quality:v9";
  EXPECT_EQ(validate(feedback).error().code(), ErrorCode::kNotFound);
}

TEST_F(FeedbackValidatorTest, ValidatesRunnableFeedback) {
  Feedback feedback = given("svc.runnable.judge", R"({"output":{"score":1}})");
  using RefAndRefusal = std::pair<std::optional<std::string>, std::string>;
  for (const auto& [ref, message] :
       {RefAndRefusal{std::nullopt, "runnable_ref is required for runnable feedback"},
        RefAndRefusal{"svc:///acme/app/object/judge:v1", "accepted"},
        RefAndRefusal{"svc:///acme/app/object/other:v1",
                      "runnable_ref must point to an object or op named judge"},
        RefAndRefusal{"svc:///acme/app/op/judge:v1",
                      "call_ref is required for runnable feedback of an op"}}) {
    feedback.runnable_ref = ref;
    EXPECT_EQ(refusal(feedback), message) << ref.value_or("no ref");
  }
  feedback.call_ref = "svc:///acme/app/call/c2";
  const Feedback result = stored(feedback);
  EXPECT_EQ(result.runnable_ref, "svc-trace-internal:///p1/op/judge:v1");
  EXPECT_EQ(result.call_ref, "svc-trace-internal:///p1/call/c2");
  feedback.payload = R"({"score":1})";
  EXPECT_EQ(refusal(feedback), "Runnable feedback needs a payload with 'output'");
}

TEST_F(FeedbackValidatorTest, RequiresRefsOfMonitors) {
  Feedback feedback = given("svc.agent_monitor", "{}");
  feedback.scorer_tags = {"good"};
  EXPECT_EQ(refusal(feedback), "runnable_ref is required for agent monitor feedback");
  feedback.runnable_ref = "svc:///acme/app/object/judge:v1";
  EXPECT_EQ(refusal(feedback), "call_ref is required for agent monitor feedback");
  feedback.call_ref = "svc:///acme/app/call/c2";
  EXPECT_EQ(refusal(feedback), "trigger_ref is required for agent monitor feedback");
  feedback.trigger_ref = "svc:///acme/app/object/monitor:v1";
  EXPECT_EQ(refusal(feedback), "accepted");
}

TEST_F(FeedbackValidatorTest, RequiresTagsOfUserFeedback) {
  Feedback feedback = given("svc.agent_user_feedback", "{}");
  EXPECT_EQ(refusal(feedback), "scorer_tags is required for agent user feedback");
  feedback.scorer_tags = {"good"};
  feedback.scorer_ratings = R"({"_rating_":0.5})";
  EXPECT_EQ(refusal(feedback), "accepted");
}

TEST_F(FeedbackValidatorTest, DerivesAgentIdsFromTheTarget) {
  Feedback feedback = given("svc.agent_user_feedback", "{}");
  feedback.scorer_tags = {"good"};
  feedback.svc_ref = "svc:///acme/app/agent_turn/t1";
  EXPECT_EQ(stored(feedback).span_trace_id, "t1");
  feedback.span_trace_id = "t2";
  EXPECT_EQ(refusal(feedback), "span_trace_id contradicts the target ref");
  feedback.span_trace_id.clear();
  feedback.svc_ref = "svc:///acme/app/agent_conversation/a%2Fb";
  const Feedback result = stored(feedback);
  EXPECT_EQ(result.span_conversation_id, "a/b");
  EXPECT_EQ(result.target_kind, "agent_conversation");
}

TEST_F(FeedbackValidatorTest, RejectsMembersOfOtherTypes) {
  const Feedback plain = given("custom", "{}");
  const auto with = [&plain](auto change) {
    Feedback feedback = plain;
    change(feedback);
    return feedback;
  };
  const std::string ref = "svc:///acme/app/object/o:v1";
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.annotation_ref = ref; })),
            "annotation_ref is only allowed for annotation feedback");
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.runnable_ref = ref; })),
            "runnable_ref is only allowed for runnable feedback");
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.call_ref = ref; })),
            "call_ref is only allowed for runnable feedback");
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.trigger_ref = ref; })),
            "trigger_ref is only allowed for runnable feedback");
  const std::string scores = "scorer fields are only allowed for runnable and agent feedback";
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.scorer_tags = {"a"}; })), scores);
  EXPECT_EQ(refusal(with([&](Feedback& f) { f.scorer_ratings = R"({"a":1.0})"; })), scores);
}

TEST_F(FeedbackValidatorTest, LimitsPayloadSize) {
  const std::string frame = R"({"a":""})";
  const std::string filler(kMaxPayloadBytes - frame.size(), 'x');
  EXPECT_EQ(refusal(given("custom", R"({"a":")" + filler + R"("})")), "accepted");
  EXPECT_EQ(refusal(given("custom", R"({"a":"x)" + filler + R"("})")),
            "Feedback payload too large");
}

TEST_F(FeedbackValidatorTest, RejectsUnknownQueues) {
  Feedback feedback = given("custom", "{}");
  feedback.queue_id = "q1";
  EXPECT_EQ(refusal(feedback), "accepted");
  feedback.queue_id = "q2";
  EXPECT_EQ(refusal(feedback), "Unknown annotation queue: q2");
}

TEST_F(FeedbackValidatorTest, StoresInternalRefsInPayloads) {
  EXPECT_EQ(stored(given("custom", R"({"see":"svc:///acme/app/call/c2"})")).payload,
            R"({"see":"svc-trace-internal:///p1/call/c2"})");
}

}  // namespace
}  // namespace spindle::feedback
