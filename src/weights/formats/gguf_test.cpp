#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"

namespace spindle::weights {
namespace {

class GgufTest : public ::testing::Test {
 protected:
  static ByteSource sourceOf(std::string bytes) {
    return [bytes = std::move(bytes)](const ByteSink& sink) -> Result<void> {
      // Send two chunks: a sink must accept any number.
      TRY(sink(std::string_view(bytes).substr(0, 3)));
      return sink(std::string_view(bytes).substr(3));
    };
  }

  void writeSample() const {
    GgufWriter writer;
    writer.addText("general.architecture", "llama");
    writer.addU32("llama.block_count", 7);
    writer.addF32("llama.epsilon", 0.5F);
    writer.addBool("on", true);
    writer.addTexts("names", {"a", "", "c d"});
    writer.addI32s("types", {1, -3});
    writer.addTensor({"m", {2, 3}, TensorType::kF32},
                     sourceOf(encoded(TensorType::kF32, {1, 2, 3, 4, 5, 6})));
    writer.addTensor({"v", {5}, TensorType::kF16},
                     sourceOf(encoded(TensorType::kF16, {1, 2, 3, 4, 5})));
    ASSERT_TRUE(writer.writeTo(path_));
  }

  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }
  void setContent(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  FolderForTest folder_;
  const std::string path_ = folder_.path() + "/model.gguf";
};

TEST_F(GgufTest, ReadsBackWrittenFile) {
  writeSample();
  const Result<GgufFile> file = GgufFile::open(path_);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->text("general.architecture"), "llama");
  EXPECT_EQ(file->integer("llama.block_count"), 7);
  EXPECT_EQ(file->number("llama.block_count"), 7);
  EXPECT_EQ(file->number("llama.epsilon"), 0.5);
  EXPECT_EQ(file->boolean("on"), true);
  EXPECT_EQ(file->texts("names"), (std::vector<std::string_view>{"a", "", "c d"}));
  EXPECT_EQ(file->integers("types"), (std::vector<std::int64_t>{1, -3}));
  EXPECT_EQ(file->numbers("types"), (std::vector<double>{1, -3}));
  ASSERT_EQ(file->tensors().size(), 2U);
  const StoredTensor* matrix = file->find("m");
  ASSERT_NE(matrix, nullptr);
  EXPECT_EQ(matrix->info.shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(floatsOf(TensorType::kF32, matrix->data), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(floatsOf(TensorType::kF16, file->find("v")->data), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(matrix->data.data()) % 32, 0U);
}

TEST_F(GgufTest, ReturnsEmptyForOtherValueTypes) {
  writeSample();
  const Result<GgufFile> file = GgufFile::open(path_);
  ASSERT_TRUE(file);
  EXPECT_FALSE(file->has("nothing"));
  EXPECT_EQ(file->integer("nothing"), std::nullopt);
  EXPECT_EQ(file->integer("general.architecture"), std::nullopt);
  EXPECT_EQ(file->number("names"), std::nullopt);
  EXPECT_EQ(file->boolean("llama.block_count"), std::nullopt);
  EXPECT_EQ(file->text("on"), std::nullopt);
  EXPECT_EQ(file->texts("types"), std::nullopt);
  EXPECT_EQ(file->integers("names"), std::nullopt);
  EXPECT_EQ(file->find("x"), nullptr);
}

TEST_F(GgufTest, RejectsTruncatedFiles) {
  writeSample();
  const std::string whole = content();
  const Result<GgufFile> complete = GgufFile::open(path_);
  ASSERT_TRUE(complete);
  // Only the padding after the last tensor may be missing.
  const std::size_t needed = whole.size() - 22;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    setContent(whole.substr(0, size));
    const Result<GgufFile> file = GgufFile::open(path_);
    EXPECT_EQ(file.has_value(), size >= needed) << size;
    if (!file) {
      EXPECT_EQ(file.error().code(), ErrorCode::kInvalidArgument);
    }
  }
}

TEST_F(GgufTest, SurvivesEnormousNumbers) {
  writeSample();
  const std::string whole = content();
  // Replace every eight bytes of the header by an enormous number.
  for (std::size_t at = 0; at + 8 <= 320; ++at) {
    for (const char fill : {'\xff', '\x7f'}) {
      std::string bytes = whole;
      bytes.replace(at, 8, std::string(8, fill));
      setContent(bytes);
      const Result<GgufFile> file = GgufFile::open(path_);
      if (!file) {
        EXPECT_EQ(file.error().code(), ErrorCode::kInvalidArgument);
      }
    }
  }
}

TEST_F(GgufTest, RejectsOtherFormats) {
  setContent("not a model at all, but long enough to be one");
  const Result<GgufFile> file = GgufFile::open(path_);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message().find("does not begin with GGUF"), std::string::npos);
  EXPECT_EQ(GgufFile::open(path_ + "x").error().code(), ErrorCode::kNotFound);
}

TEST_F(GgufTest, ShortSourceLeavesNoFile) {
  GgufWriter writer;
  writer.addTensor({"m", {2}, TensorType::kF32}, sourceOf("1234567"));
  const Result<void> written = writer.writeTo(path_);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message(), "The tensor m has 7 bytes, not 8.");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(TensorSizes, CountWholeBlocks) {
  EXPECT_EQ(bytesOf({"t", {3, 256}, TensorType::kQ4K}), 3 * 144U);
  EXPECT_EQ(bytesOf({"t", {256, 3}, TensorType::kQ4K}), std::nullopt) << "rows are whole blocks";
  EXPECT_EQ(bytesOf({"t", {}, TensorType::kF32}), 4U);
  EXPECT_EQ(bytesOf({"t", {0}, TensorType::kF32}), 0U);
  EXPECT_EQ(bytesOf({"t", {1UL << 40, 1UL << 40}, TensorType::kF32}), std::nullopt);
  EXPECT_EQ(bytesOf({"t", {1UL << 62}, TensorType::kF64}), std::nullopt);
  EXPECT_EQ(bytesOf({"t", {1}, static_cast<TensorType>(99)}), std::nullopt);
}

}  // namespace
}  // namespace spindle::weights
