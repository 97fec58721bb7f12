#include "weights/adapters/peft_folder_check.h"

#include <filesystem>
#include <fstream>
#include <limits>

#include <gtest/gtest.h>

#include "weights/adapters/adapter_folder_for_test.h"

namespace spindle::weights {
namespace {

const std::string kCheckedMembers =
    R"("peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj"],"bias":"none")";
const std::string kCheckedModule = "model.layers.0.self_attn.q_proj";

class PeftFolderCheck : public ::testing::Test {
 protected:
  std::string problem(const std::string& members = kCheckedMembers) {
    adapter_.write(members);
    return problemOf(adapter_.path());
  }
  static std::string problemOf(const std::string& folder) {
    const Result<void> checked = checkPeftFolder(folder);
    return checked ? "" : checked.error().message();
  }

  HfFolderForTest base_{HfFolderForTest::Model{}};
  AdapterFolderForTest adapter_{base_};
};

TEST_F(PeftFolderCheck, AcceptsAnAdapterOfAnUnknownModel) {
  adapter_.addTensor("base_model.model.transformer.h.0.attn.lora_A.weight", {4, 48});
  adapter_.addTensor("base_model.model.transformer.h.0.attn.lora_B.weight", {96, 4});
  EXPECT_EQ(problem(), "");
}

TEST_F(PeftFolderCheck, RejectsUnsupportedOptions) {
  adapter_.add(kCheckedModule, 4);
  EXPECT_EQ(problem(kCheckedMembers + R"(,"use_dora":true)"),
            "adapter_config.json: use_dora is not supported.");
}

TEST_F(PeftFolderCheck, RejectsTensorsThatAreNoPairs) {
  EXPECT_EQ(problem(), "adapter_model.safetensors has no tensors.");
  adapter_.addTensor("base_model.model." + kCheckedModule + ".lora_A.weight", {4, 32});
  EXPECT_NE(problem().find("do not fit together"), std::string::npos);
  adapter_.addTensor("base_model.model." + kCheckedModule + ".lora_B.weight", {32, 3});
  EXPECT_NE(problem().find("do not fit together"), std::string::npos);
  adapter_.addTensor("base_model.model.lm_head.weight", {4, 32});
  EXPECT_NE(problem().find("is no part of a LoRA adapter"), std::string::npos);
}

TEST_F(PeftFolderCheck, RejectsOtherShapes) {
  adapter_.addTensor("x.lora_A.weight", {4, 2, 2});
  adapter_.addTensor("x.lora_B.weight", {2, 4});
  EXPECT_NE(problem().find("is no matrix"), std::string::npos);
}

TEST_F(PeftFolderCheck, RejectsNumbersThatAreNotFinite) {
  adapter_.add(kCheckedModule, 4);
  ASSERT_EQ(problem(), "");
  std::fstream file(adapter_.path() + "/adapter_model.safetensors",
                    std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(-static_cast<std::streamoff>(sizeof(float)), std::ios::end);
  const float bad = std::numeric_limits<float>::infinity();
  file.write(reinterpret_cast<const char*>(&bad), sizeof(bad));
  file.close();
  EXPECT_NE(problemOf(adapter_.path()).find("not finite"), std::string::npos);
}

TEST_F(PeftFolderCheck, RejectsTruncatedAndMissingFiles) {
  adapter_.add(kCheckedModule, 4);
  ASSERT_EQ(problem(), "");
  const std::string weights = adapter_.path() + "/adapter_model.safetensors";
  const auto size = std::filesystem::file_size(weights);
  for (const std::uintmax_t less : {size - 1, size / 2, std::uintmax_t(7), std::uintmax_t(0)}) {
    std::filesystem::resize_file(weights, less);
    EXPECT_NE(problemOf(adapter_.path()), "") << less;
  }
  std::filesystem::remove(weights);
  EXPECT_NE(problemOf(adapter_.path()), "");
}

}  // namespace
}  // namespace spindle::weights
