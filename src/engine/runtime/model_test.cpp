#include "engine/runtime/model.h"

#include <fstream>

#include <gtest/gtest.h>

#include "engine/runtime/model_for_test.h"

namespace spindle::engine {
namespace {

class ModelTest : public ::testing::Test {
 protected:
  std::string whyNot(const std::string& path) const {
    const Result<std::unique_ptr<Model>> loaded = Model::load(path);
    if (loaded) return "";
    EXPECT_EQ(loaded.error().code(), ErrorCode::kInvalidArgument);
    const std::string& message = loaded.error().message();
    const std::string name = path.substr(path.rfind('/') + 1);
    EXPECT_TRUE(message.starts_with(name + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    const std::string folder = path.substr(0, path.rfind('/'));
    EXPECT_TRUE(folder.empty() || message.find(folder) == std::string::npos) << message;
    return message.substr(std::min(message.size(), name.size() + 2));
  }
  std::string written(const std::string& bytes) const {
    std::string path = model_.file() + ".broken";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  std::string good() const {
    std::ifstream file(model_.file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ModelForTest model_;
};

TEST_F(ModelTest, SaysWhyAFileCannotBeLoaded) {
  EXPECT_EQ(whyNot(model_.file() + ".none"), "No such file or directory");
  EXPECT_EQ(whyNot("/"), "Is a directory");
  EXPECT_EQ(whyNot(written("")), "the file is empty");
  EXPECT_NE(whyNot(written("no model at all")).find("magic"), std::string::npos);
  EXPECT_NE(whyNot(written(good().substr(0, good().size() / 2))), "");
  std::string other = good();
  other.replace(other.find("llama", other.find("general.architecture")), 5, "lxxma");
  EXPECT_NE(whyNot(written(other)).find("lxxma"), std::string::npos);
}

TEST_F(ModelTest, SaysWhyAnAdapterCannotBeLoaded) {
  const Result<std::shared_ptr<Adapter>> none = Adapter::load(*model_, "/nowhere/a.gguf");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "a.gguf: No such file or directory");
  const Result<std::shared_ptr<Adapter>> model = Adapter::load(*model_, model_.file());
  ASSERT_FALSE(model);
  EXPECT_NE(model.error().message().find("adapter"), std::string::npos) << model.error().message();
}

TEST_F(ModelTest, RefusesAnAdapterThatWouldEndTheProcess) {
  // The library does not check the types of values and tensors.
  const auto refused = [this](const weights::GgufWriter& writer) {
    const std::string path = model_.file() + ".adapter";
    EXPECT_TRUE(writer.writeTo(path));
    const Result<std::shared_ptr<Adapter>> adapter = Adapter::load(*model_, path);
    return adapter ? "" : adapter.error().message();
  };
  const auto zeros = [](weights::GgufWriter& writer, weights::TensorInfo info) {
    const std::string bytes(weights::bytesOf(info).value_or(0), '\0');
    writer.addTensor(std::move(info), [bytes](const weights::ByteSink& to) { return to(bytes); });
  };
  weights::GgufWriter integers;
  integers.addText("general.type", "adapter");
  integers.addText("general.architecture", "llama");
  integers.addText("adapter.type", "lora");
  integers.addF32("adapter.lora.alpha", 8);
  zeros(integers, {"blk.0.attn_q.weight.lora_a", {4, 32}, weights::TensorType::kI8});
  zeros(integers, {"blk.0.attn_q.weight.lora_b", {32, 4}, weights::TensorType::kI8});
  EXPECT_NE(refused(integers).find("is i8;"), std::string::npos) << refused(integers);
  weights::GgufWriter number;
  number.addU32("general.type", 1);
  EXPECT_NE(refused(number).find("general.type must be the text"), std::string::npos);
}

TEST_F(ModelTest, ReportsLoadingProgress) {
  std::vector<float> shares;
  const auto loaded = Model::load(model_.file(), [&shares](float share) {
    shares.push_back(share);
    return true;
  });
  ASSERT_TRUE(loaded);
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0F);
  EXPECT_FALSE(Model::load(model_.file(), [](float) { return false; }));
}

TEST_F(ModelTest, ReportsItsMemory) {
  // Two layers, each with two heads of width 8 for keys and for values.
  EXPECT_EQ(model_->kvBytesPerToken(2), 2U * 2 * (8 + 8) * 2);
  EXPECT_GT(model_->bytes(), 10'000U);
  EXPECT_LT(model_->bytes(), good().size());
}

}  // namespace
}  // namespace spindle::engine
