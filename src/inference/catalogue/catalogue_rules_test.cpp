#include "inference/catalogue/catalogue_rules.h"

#include <gtest/gtest.h>

namespace spindle::inference {
namespace {

Model modelOf(const std::string& file, std::vector<Target> targets) {
  Model model;
  model.name = "m";
  model.file = file;
  model.targets = std::move(targets);
  return model;
}

std::string complaintAbout(Model model) {
  const Result<void> complete = completeTargets(model);
  return complete ? "" : complete.error().violations().at(0).msg;
}

TEST(ModelNames, MatchThePattern) {
  for (const char* name : {"a", "gpt-4o", "meta-llama/Llama-3.1-8B-Instruct", "qwen3:14b", "0",
                           "team@v1.2_x", "a/b/c"}) {
    EXPECT_TRUE(isModelName(name)) << name;
  }
  EXPECT_TRUE(isModelName(std::string(200, 'a')));
  EXPECT_FALSE(isModelName(std::string(201, 'a')));
  for (const char* name : {"", "-a", "/a", ".a", "a b", "a?b", "a%2Fb", "ü", "a\n"}) {
    EXPECT_FALSE(isModelName(name)) << name;
  }
}

TEST(ModelNames, AreNotArtifacts) {
  EXPECT_FALSE(isModelName("svc-artifact:///team/project/name:v1"));
  EXPECT_FALSE(isModelName("svc-artifact://team/project/name"));
  EXPECT_TRUE(isModelName("svc-artifact"));
}

TEST(ModelNames, SurviveUrlPathNormalization) {
  for (const char* name : {"a//b", "a/", "a/./b", "a/../b", "a/.."}) {
    EXPECT_FALSE(isModelName(name)) << name;
  }
  EXPECT_TRUE(isModelName("a/.hidden"));
}

TEST(UpstreamNames, MatchThePattern) {
  EXPECT_TRUE(isUpstreamName("vllm-1.local"));
  EXPECT_FALSE(isUpstreamName("a/b"));
  EXPECT_FALSE(isUpstreamName(""));
  EXPECT_FALSE(isUpstreamName(std::string(65, 'a')));
}

TEST(Targets, OfAFileStartWithTheEngine) {
  Model model = modelOf("/m.gguf", {{.model = "x", .upstream = "u"}});
  ASSERT_TRUE(completeTargets(model));
  ASSERT_EQ(model.targets.size(), 2U);
  EXPECT_EQ(model.targets[0], Target{});
}

TEST(Targets, OfAFileKeepTheListedEngine) {
  Model model = modelOf("/m.gguf", {{.upstream = "u"}, {.tier = 1}});
  ASSERT_TRUE(completeTargets(model));
  ASSERT_EQ(model.targets.size(), 2U);
  EXPECT_EQ(model.targets[1].tier, 1);
}

TEST(Targets, AreValidated) {
  EXPECT_EQ(complaintAbout(modelOf("", {})), "A model needs a file or an upstream");
  EXPECT_EQ(complaintAbout(modelOf("", {{.upstream = "u"}, {}})),
            "A model without a file cannot have the engine as a target");
  EXPECT_EQ(complaintAbout(modelOf("", {{.upstream = "u"}, {.tier = 1, .upstream = "u"}})),
            "This target is named twice");
  EXPECT_EQ(complaintAbout(modelOf("/m.gguf", {{.model = "x"}})),
            "The engine as a target must not have a model name");
  EXPECT_EQ(complaintAbout(
                modelOf("", {{.model = "a", .upstream = "u"}, {.model = "b", .upstream = "u"}})),
            "");
}

}  // namespace
}  // namespace spindle::inference
