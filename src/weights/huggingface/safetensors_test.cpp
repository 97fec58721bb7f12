#include "weights/formats/safetensors.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "weights/huggingface/hf_folder_for_test.h"

namespace spindle::weights {
namespace {

class SafeTensorsTest : public ::testing::Test {
 protected:
  void write(const std::string& header, const std::string& data, std::uint64_t claimed = 0) const {
    const std::uint64_t size = claimed == 0 ? header.size() : claimed;
    folder_.write("t.safetensors",
                  std::string(reinterpret_cast<const char*>(&size), sizeof(size)) + header + data);
  }
  std::string refusal() const {
    const Result<SafeTensors> file = SafeTensors::open(folder_.file("t.safetensors"));
    if (file) return "";
    EXPECT_EQ(file.error().code(), ErrorCode::kInvalidArgument);
    return file.error().message();
  }

  HfFolderForTest folder_{HfFolderForTest::Model{}};
};

TEST_F(SafeTensorsTest, TensorsAreFoundByName) {
  write(R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
        R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[8,12]}}   )",
        std::string("\0\0\x80\x3f\0\0\0\x40\x80\x3f\0\x40", 12));
  const Result<SafeTensors> file = SafeTensors::open(folder_.file("t.safetensors"));
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->tensors().size(), 2U);
  EXPECT_EQ(file->find("a")->info.shape, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(floatsOf(TensorType::kF32, file->find("a")->data), (std::vector<float>{1, 2}));
  EXPECT_EQ(floatsOf(TensorType::kBf16, file->find("b")->data), (std::vector<float>{1, 2}));
  EXPECT_EQ(file->find("c"), nullptr);
}

TEST_F(SafeTensorsTest, RejectsInvalidHeaders) {
  const auto refused = [this](const std::string& header, const std::string& why) {
    write(header, "12345678");
    EXPECT_NE(refusal().find(why), std::string::npos) << header << ": " << refusal();
  };
  refused("[]", "its header is no JSON object");
  refused("{", "its header is no JSON object");
  refused(R"({"a":1})", "the tensor a is not a JSON object");
  refused(R"({"a":{"shape":[2],"data_offsets":[0,8]}})", "the tensor a has no dtype");
  refused(R"({"a":{"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]}})", "is F8_E4M3");
  refused(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", "has no valid shape");
  refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})", "has no valid shape");
  refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
          "data_offsets that do not match");
  refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
          "data_offsets that do not match");
  refused(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
          "data_offsets that do not match");
  refused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
          R"("b":{"dtype":"F32","shape":[1],"data_offsets":[3,7]}})",
          "the data of the tensor b overlaps another tensor's data");
  refused(R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]}})",
          "more than 8 dimensions");
  refused(R"({"a":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,8]}})",
          "data_offsets that do not match");
  EXPECT_EQ(refusal().find(folder_.path()), std::string::npos) << "no folders in error texts";
  write("{}", "", 1UL << 40);
  EXPECT_NE(refusal().find("header is too long"), std::string::npos);
  folder_.write("t.safetensors", "123");
  EXPECT_NE(refusal().find("too short"), std::string::npos);
}

TEST_F(SafeTensorsTest, OpensShardedFolders) {
  ASSERT_TRUE(SafeTensors::openFolder(folder_.path()));
  std::filesystem::rename(folder_.file("model.safetensors"), folder_.file("part-1.safetensors"));
  write(R"({"extra":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  folder_.write(
      "model.safetensors.index.json",
      R"({"weight_map":{"model.norm.weight":"part-1.safetensors","extra":"t.safetensors"}})");
  const Result<SafeTensors> pieces = SafeTensors::openFolder(folder_.path());
  ASSERT_TRUE(pieces) << pieces.error().message();
  EXPECT_NE(pieces->find("extra"), nullptr);
  EXPECT_EQ(floatsOf(TensorType::kF32, pieces->find("model.norm.weight")->data),
            folder_.weights("model.norm.weight"));
  folder_.write("model.safetensors.index.json", R"({"weight_map":{"a":"../t.safetensors"}})");
  const Result<SafeTensors> outside = SafeTensors::openFolder(folder_.path());
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message().find("is no file name"), std::string::npos);
}

}  // namespace
}  // namespace spindle::weights
