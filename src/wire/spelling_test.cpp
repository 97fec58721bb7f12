#include "wire/spelling.h"

#include <array>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace spindle::wire {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr auto kMembers = std::to_array<Names>({
    {"svc_user_id", "wb_user_id"},
    {"svc_username", "wb_username"},
    {"svc_run_id", "wb_run_id"},
    {"svc_run_step", "wb_run_step"},
    {"svc_run_step_end", "wb_run_step_end"},
    {"svc_user_ids", "wb_user_ids"},
    {"svc_run_ids", "wb_run_ids"},
    {"svc_ref", "weave_ref"},
    {"svc_type", "weave_type"},
    {"svc_call_id", "weave_call_id"},
    {"svc", "weave"},
    {"_svc", "_weave"},
    {"_svc_eval_meta", "_weave_eval_meta"},
    {"min_required_svc_python_version", "min_required_weave_python_version"},
    {"X-Svc-Trace-Id", "X-Weave-Trace-Id"},
    {"X-Svc-Client-Capabilities", "X-Weave-Client-Capabilities"},
    {"X-Svc-Retry-Id", "X-Weave-Retry-Id"},
    {"svc-api-key", "wandb-api-key"},
});

TEST(Spelling, TranslatesEveryMember) {
  for (const auto& [neutral, vendor] : kMembers) {
    EXPECT_EQ(memberFor(Spelling::kVendor, neutral), vendor);
    EXPECT_EQ(memberFor(Spelling::kNeutral, neutral), neutral);
  }
}

TEST(Spelling, LeavesOtherMembersUnchanged) {
  for (const std::string_view name : {"", "id", "wb_", "wb_user", "weave_refs", "my_weave_ref"}) {
    EXPECT_EQ(memberFor(Spelling::kVendor, name), name);
  }
}

constexpr auto kFields = std::to_array<Names>({
    {"svc_user_id", "wb_user_id"},
    {"svc_run_step_end", "wb_run_step_end"},
    {"summary.svc.status", "summary.weave.status"},
    {"summary.svc", "summary.weave"},
    {"attributes.svc.os\\.name", "attributes.weave.os\\.name"},
    {"attributes._svc_eval_meta.run", "attributes._weave_eval_meta.run"},
    {"feedback.[svc.note.1].payload.note", "feedback.[wandb.note.1].payload.note"},
    {"feedback.[svc.runnable.my-scorer].payload.output.x",
     "feedback.[wandb.runnable.my-scorer].payload.output.x"},
});

TEST(Spelling, MakesFieldPathsNeutral) {
  for (const auto& [neutral, vendor] : kFields) {
    EXPECT_EQ(neutralField(vendor), neutral);
    EXPECT_EQ(neutralField(neutral), neutral);
  }
}

TEST(Spelling, LeavesUserKeysInPathsUnchanged) {
  for (const std::string_view path :
       {"inputs.weave.x", "output.wb_user_id", "summary.usage.weave", "summary.weave\\.status",
        "summary.x.weave", "attributes\\.weave.x", "feedback.[*].payload.x",
        "feedback.[wandb.note.1", "feedback.[wandb.mine].payload.weave", ""}) {
    EXPECT_EQ(neutralField(path), path);
  }
}

constexpr auto kFeedbackTypes = std::to_array<Names>({
    {"svc.reaction.1", "wandb.reaction.1"},
    {"svc.note.1", "wandb.note.1"},
    {"svc.annotation.quality", "wandb.annotation.quality"},
    {"svc.runnable.my.scorer", "wandb.runnable.my.scorer"},
    {"svc.agent_monitor", "wandb.agent_monitor"},
    {"svc.agent_user_feedback", "wandb.agent_user_feedback"},
});

TEST(Spelling, TranslatesFeedbackTypesBothWays) {
  for (const auto& [neutral, vendor] : kFeedbackTypes) {
    EXPECT_EQ(neutralFeedbackType(vendor), neutral);
    EXPECT_EQ(neutralFeedbackType(neutral), neutral);
    EXPECT_EQ(feedbackTypeFor(Spelling::kVendor, neutral), vendor);
    EXPECT_EQ(feedbackTypeFor(Spelling::kNeutral, neutral), neutral);
  }
}

TEST(Spelling, LeavesUserFeedbackTypesUnchanged) {
  for (const std::string_view type :
       {"my.note.1", "wandb.note.2", "wandb.annotation.", "wandb.", "custom", ""}) {
    EXPECT_EQ(neutralFeedbackType(type), type);
  }
}

TEST(Spelling, TranslatesOpsThatTheServerRecords) {
  EXPECT_EQ(neutralOpName("weave.completions_create"), "svc.completions_create");
  EXPECT_EQ(opNameFor(Spelling::kVendor, "svc.image_generation_create"),
            "weave.image_generation_create");
  EXPECT_EQ(opNameFor(Spelling::kNeutral, "svc.completions_create"), "svc.completions_create");
  EXPECT_EQ(neutralOpName("weave.mine"), "weave.mine");
}

TEST(Spelling, TranslatesPlatformMembers) {
  EXPECT_EQ(platformKey(Spelling::kNeutral), "svc");
  EXPECT_EQ(platformKey(Spelling::kVendor), "weave");
  EXPECT_TRUE(isPlatformKey("svc"));
  EXPECT_TRUE(isPlatformKey("weave"));
  EXPECT_FALSE(isPlatformKey("usage"));
  EXPECT_EQ(neutralPlatformMember("_weave_eval_meta"), "_svc_eval_meta");
  EXPECT_EQ(platformMemberFor(Spelling::kVendor, "_svc_eval_meta"), "_weave_eval_meta");
  EXPECT_EQ(platformMemberFor(Spelling::kVendor, "svc_user_id"), "svc_user_id");
}

TEST(Spelling, SplitsReferencesOfEverySchemeInBothSpellings) {
  for (const RefScheme scheme :
       {RefScheme::kExternal, RefScheme::kInternal, RefScheme::kPrivate, RefScheme::kArtifact}) {
    for (const Spelling spelling : {Spelling::kNeutral, Spelling::kVendor}) {
      const std::string text = std::string(schemeText(scheme, spelling)) + "a/b";
      const SplitRef ref = splitRef(text);
      EXPECT_EQ(ref.scheme, scheme) << text;
      EXPECT_EQ(ref.spelling, spelling) << text;
      EXPECT_EQ(ref.rest, "a/b") << text;
    }
  }
  EXPECT_EQ(schemeText(RefScheme::kExternal, Spelling::kNeutral), "svc:///");
  EXPECT_EQ(schemeText(RefScheme::kInternal, Spelling::kVendor), "weave-trace-internal:///");
}

TEST(Spelling, FindsNoReferenceInOtherTexts) {
  for (const std::string_view text :
       {"", "s", "svc:/", "svc://x", "weave", " weave:///a", "http:///x", "Weave:///a/b"}) {
    EXPECT_EQ(splitRef(text).scheme, RefScheme::kNone) << text;
  }
  EXPECT_EQ(schemeText(RefScheme::kNone, Spelling::kVendor), "");
}

TEST(Spelling, RecognizesTheValueTypeMember) {
  EXPECT_TRUE(isValueTypeMember("svc_type"));
  EXPECT_TRUE(isValueTypeMember("weave_type"));
  EXPECT_FALSE(isValueTypeMember("_type"));
}

TEST(Spelling, MediaFilesAreCustomValuesOfOneType) {
  EXPECT_EQ(customValueType(Spelling::kNeutral), "CustomSvcType");
  EXPECT_EQ(customValueType(Spelling::kVendor), "CustomWeaveType");
  EXPECT_TRUE(contentType(Spelling::kNeutral).starts_with("svc."));
  EXPECT_NE(contentType(Spelling::kNeutral), contentType(Spelling::kVendor));
}

TEST(Spelling, TranslatesKeysOfAttributes) {
  EXPECT_EQ(neutralAttribute("weave.eval.run_id"), "svc.eval.run_id");
  EXPECT_EQ(neutralAttribute("wandb.entity"), "svcp.entity");
  EXPECT_EQ(neutralAttribute("wandb.wb_run_id"), "svcp.svc_run_id");
  EXPECT_EQ(neutralAttribute("gen_ai.system"), std::nullopt);
  EXPECT_EQ(neutralAttribute("svc.agent.name"), std::nullopt);
  EXPECT_EQ(neutralAttribute("weaver.x"), std::nullopt);
}

TEST(Spelling, RecognizesApiKeyHeaders) {
  for (const std::string_view name : {"svcp-api-key", "svc-api-key", "wandb-api-key", "Api-Key"})
    EXPECT_TRUE(isKeyHeader(name)) << name;
  for (const std::string_view name : {"", "authorization", "x-api-key", "api-keys"})
    EXPECT_FALSE(isKeyHeader(name)) << name;
}

}  // namespace
}  // namespace spindle::wire
