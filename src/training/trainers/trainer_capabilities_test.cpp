#include "training/trainers/trainer_capabilities.h"

#include <gtest/gtest.h>

#include "training/trainers/training_for_test.h"

namespace spindle::training {
namespace {

class Capabilities : public ::testing::Test {
 protected:
  static std::optional<BaseModel> find(std::string_view team_id, std::string_view name) {
    if (team_id != "team") return std::nullopt;
    if (name == "file") return BaseModel{"file", tinyModelFile()};
    if (name == "folder") return BaseModel{"folder", "", tinyModelFolder()};
    if (name == "both") return BaseModel{"both", tinyModelFile(), tinyModelFolder()};
    if (name == "neither") return BaseModel{"neither", ""};
    return std::nullopt;
  }
  bool takes(const TrainerCapabilities& trainer, const JobDemand& job) {
    // Demands are stored with the job.
    return accepts(trainer, demandOf(demandText(job)), find, families_);
  }
  static JobDemand job(const std::string& base,
                       const JobResources& resources = {},
                       JobKind kind = JobKind::kSft) {
    return {.kind = kind, .team_id = "team", .base_model = base, .resources = resources};
  }

  const TrainerCapabilities usual_ = {};
  const TrainerCapabilities folders_ = {.formats = {BaseFormat::kHuggingFace}};
  BaseModelFamilies families_;
};

TEST_F(Capabilities, MatchTheFormsOfTheBaseModel) {
  EXPECT_TRUE(takes(usual_, job("file")));
  EXPECT_FALSE(takes(usual_, job("folder")));
  EXPECT_TRUE(takes(usual_, job("both")));
  EXPECT_FALSE(takes(folders_, job("file")));
  EXPECT_TRUE(takes(folders_, job("folder")));
  EXPECT_TRUE(takes(folders_, job("both")));
}

TEST_F(Capabilities, LetEveryTrainerReportAModelThatIsGone) {
  EXPECT_TRUE(takes(usual_, job("gone")));
  EXPECT_TRUE(takes(folders_, job("neither")));
}

TEST_F(Capabilities, LeaveJobsFromBeforeDemandsToTrainersWithFiles) {
  for (const char* text : {"{}", "", "[1]"}) {
    EXPECT_TRUE(accepts(usual_, demandOf(text), find, families_)) << text;
    EXPECT_FALSE(accepts(folders_, demandOf(text), find, families_)) << text;
  }
}

TEST_F(Capabilities, MatchTheKindOfTheJob) {
  const TrainerCapabilities sft{.kinds = {JobKind::kSft}};
  EXPECT_TRUE(takes(sft, job("file")));
  EXPECT_FALSE(takes(sft, job("file", {}, JobKind::kRl)));
}

TEST_F(Capabilities, MatchTheResources) {
  const TrainerCapabilities host{.gpus = 4, .gpu_memory_gib = 80, .labels = {"h100", "berlin"}};
  EXPECT_TRUE(takes(host, job("file", {.gpus = 4, .gpu_memory_gib = 80, .labels = {"berlin"}})));
  EXPECT_FALSE(takes(host, job("file", {.gpus = 5})));
  EXPECT_FALSE(takes(host, job("file", {.gpu_memory_gib = 81})));
  EXPECT_FALSE(takes(host, job("file", {.labels = {"berlin", "h200"}})));
  EXPECT_FALSE(takes(usual_, job("file", {.gpus = 1})));
}

TEST_F(Capabilities, MatchTheFamilyInTheFiles) {
  for (const char* base : {"file", "folder"}) {
    const std::string family = families_.familyOf(*find("team", base));
    EXPECT_EQ(family, "llama") << base;
    TrainerCapabilities trainer{.formats = {BaseFormat::kGguf, BaseFormat::kHuggingFace}};
    trainer.families = {"qwen3", "llama"};
    EXPECT_TRUE(takes(trainer, job(base))) << base;
    trainer.families = {"qwen3"};
    EXPECT_FALSE(takes(trainer, job(base))) << base;
  }
  EXPECT_EQ(families_.familyOf({"x", "/no/such/file"}), "");
}

}  // namespace
}  // namespace spindle::training
