#include "weights/adapters/lora_adapter.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::weights {
namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string rawText(const std::string& text) { return raw<std::uint64_t>(text.size()) + text; }

std::string textValue(const std::string& key, const std::string& text) {
  return rawText(key) + raw<std::uint32_t>(8) + rawText(text);
}

template <class T>
std::string numberValue(const std::string& key, std::uint32_t type, T number) {
  return rawText(key) + raw(type) + raw(number);
}

/// Builds a GGUF adapter in which a test can change every field.
struct RawAdapter {
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dimensions;  ///< innermost first
    std::uint32_t type = 0;
    std::string data;
    std::optional<std::uint64_t> offset = {};
    std::optional<std::uint32_t> dimension_count = {};
  };

  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::optional<std::uint64_t> tensor_count;
  std::optional<std::uint64_t> value_count;
  std::vector<std::string> values = {
      textValue("general.type", "adapter"), textValue("general.architecture", "llama"),
      textValue("adapter.type", "lora"), numberValue("adapter.lora.alpha", 6, 8.0F)};
  std::vector<Tensor> tensors;
  std::uint64_t alignment = 32;

  RawAdapter() {
    add("blk.0.attn_q.weight.lora_a", {32, 4});
    add("blk.0.attn_q.weight.lora_b", {4, 32});
    add("blk.1.ffn_down.weight.lora_a", {64, 2});
    add("blk.1.ffn_down.weight.lora_b", {2, 32});
  }

  Tensor& add(const std::string& name,
              std::vector<std::uint64_t> dimensions,
              TensorType type = TensorType::kF32) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : dimensions) count *= size;
    const std::vector<float> numbers(count, 0.25F);
    std::string data;
    if (isPlainFloat(type) && type != TensorType::kF64) {
      data = encoded(type, numbers);
    } else {
      data.assign(bytesOf({name, {dimensions.rbegin(), dimensions.rend()}, type}).value_or(64),
                  '\x01');
    }
    tensors.push_back({name, std::move(dimensions), static_cast<std::uint32_t>(type), data});
    return tensors.back();
  }
  void replace(std::size_t index, std::vector<std::uint64_t> dimensions, TensorType type) {
    const std::string name = tensors.at(index).name;
    const Tensor changed = add(name, std::move(dimensions), type);
    tensors.pop_back();
    tensors.at(index) = changed;
  }

  std::uint64_t padded(std::uint64_t size) const {
    return (size + alignment - 1) / alignment * alignment;
  }

  std::string bytes() const {
    std::string out = magic + raw(version) + raw(tensor_count.value_or(tensors.size())) +
                      raw(value_count.value_or(values.size()));
    for (const std::string& value : values) out += value;
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors) {
      out += rawText(tensor.name);
      out += raw<std::uint32_t>(
          tensor.dimension_count.value_or(static_cast<std::uint32_t>(tensor.dimensions.size())));
      for (const std::uint64_t size : tensor.dimensions) out += raw(size);
      out += raw(tensor.type) + raw(tensor.offset.value_or(offset));
      offset += padded(tensor.data.size());
    }
    out.resize(padded(out.size()));
    for (const Tensor& tensor : tensors) {
      out += tensor.data;
      out.resize(padded(out.size()));
    }
    return out;
  }
};

class LoraAdapterTest : public ::testing::Test {
 protected:
  LoraAdapterTest() {
    EXPECT_TRUE(importHfFolder(
        {.folder = base_.path(), .file = base_.file("base.gguf"), .name = "b", .type = {}}));
  }

  Result<AdapterSummary> check(const std::string& bytes) const {
    base_.write("adapter.gguf", bytes);
    return checkLoraFile(base_.file("adapter.gguf"), base_.file("base.gguf"));
  }
  /// Returns the error message for an adapter; empty if it is accepted.
  std::string refusal(const std::string& bytes) const {
    const Result<AdapterSummary> done = check(bytes);
    if (done) return "";
    EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(done.error().message().find(base_.path()), std::string::npos)
        << done.error().message();
    return done.error().message();
  }

  HfFolderForTest base_{HfFolderForTest::Model{}};
};

TEST_F(LoraAdapterTest, AcceptsMatchingAdapters) {
  const Result<AdapterSummary> checked = check(RawAdapter().bytes());
  ASSERT_TRUE(checked) << checked.error().message();
  EXPECT_EQ(checked->matrices, 2U);
  EXPECT_EQ(checked->rank, 4U);
  for (const TensorType type : {TensorType::kF16, TensorType::kBf16}) {
    RawAdapter other;
    other.replace(0, {32, 4}, type);
    EXPECT_EQ(refusal(other.bytes()), "");
  }
  RawAdapter blocks;
  blocks.replace(0, {32, 4}, TensorType::kQ8_0);
  EXPECT_EQ(refusal(blocks.bytes()), "");
  RawAdapter embedding;
  embedding.add("token_embd.weight.lora_a", {2, HfFolderForTest::kVocabulary});
  embedding.add("token_embd.weight.lora_b", {2, 32});
  EXPECT_EQ(refusal(embedding.bytes()), "");
  RawAdapter aligned;
  aligned.alignment = 64;
  aligned.values.push_back(numberValue<std::uint32_t>("general.alignment", 4, 64));
  EXPECT_EQ(refusal(aligned.bytes()), "");
}

struct Mutation {
  std::string why;  ///< part of the error message
  std::function<void(RawAdapter& adapter)> make;
};

/// Returns a mutation that gives a tensor another shape or type.
std::function<void(RawAdapter& adapter)> replaced(std::size_t index,
                                                  const std::vector<std::uint64_t>& dimensions,
                                                  TensorType type) {
  return [=](RawAdapter& adapter) { adapter.replace(index, dimensions, type); };
}

const std::vector<Mutation>& mutations() {
  static constexpr std::uint64_t kHuge = 1UL << 62;
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static const std::vector<Mutation> all = {
      {"does not begin with GGUF", [](RawAdapter& a) { a.magic = "GGML"; }},
      {"version 1 is not known", [](RawAdapter& a) { a.version = 1; }},
      {"version 50331648 is not known", [](RawAdapter& a) { a.version = 0x03000000; }},
      {"too many entries", [](RawAdapter& a) { a.tensor_count = kHuge; }},
      {"too many entries", [](RawAdapter& a) { a.tensor_count = 65'537; }},
      {"too many entries", [](RawAdapter& a) { a.value_count = kHuge; }},
      {"ends too early", [](RawAdapter& a) { a.tensor_count = 60'000; }},
      {"", [](RawAdapter& a) { a.value_count = 5; }},
      {"it has no tensors", [](RawAdapter& a) { a.tensors.clear(); }},
      {"general.type must be", [](RawAdapter& a) { a.values.erase(a.values.begin()); }},
      {"general.type must be",
       [](RawAdapter& a) { a.values[0] = textValue("general.type", "model"); }},
      {"general.type must be",
       [](RawAdapter& a) { a.values[0] = numberValue<std::uint32_t>("general.type", 4, 1); }},
      {"general.architecture must be the text 'llama', not 'qwen2'",
       [](RawAdapter& a) { a.values[1] = textValue("general.architecture", "qwen2"); }},
      {"general.architecture must be",
       [](RawAdapter& a) {
         a.values[1] = numberValue<std::uint8_t>("general.architecture", 0, 1);
       }},
      {"adapter.type must be the text 'lora'",
       [](RawAdapter& a) { a.values[2] = textValue("adapter.type", "vera"); }},
      {"adapter.type must be",
       [](RawAdapter& a) { a.values[2] = numberValue<double>("adapter.type", 12, 1); }},
      {"adapter.lora.alpha must be",
       [](RawAdapter& a) { a.values[3] = numberValue("adapter.lora.alpha", 6, kNan); }},
      {"adapter.lora.alpha must be",
       [](RawAdapter& a) { a.values[3] = numberValue("adapter.lora.alpha", 6, kInfinity); }},
      {"adapter.lora.alpha must be",
       [](RawAdapter& a) { a.values[3] = numberValue("adapter.lora.alpha", 6, -1.0F); }},
      {"adapter.lora.alpha must be",
       [](RawAdapter& a) { a.values[3] = numberValue<std::uint32_t>("adapter.lora.alpha", 4, 8); }},
      {"adapter.lora.alpha must be",
       [](RawAdapter& a) { a.values[3] = textValue("adapter.lora.alpha", "8"); }},
      {"two values general.type", [](RawAdapter& a) { a.values.push_back(a.values[0]); }},
      {"a type that is not known",
       [](RawAdapter& a) { a.values.push_back(numberValue<std::uint32_t>("x", 13, 1)); }},
      {"ends too early",
       [](RawAdapter& a) {
         a.values.push_back(rawText("x") + raw<std::uint32_t>(8) + raw(kHuge));
       }},
      {"ends too early",
       [](RawAdapter& a) {
         a.values.push_back(rawText("x") + raw<std::uint32_t>(9) + raw<std::uint32_t>(4) +
                            raw(kHuge));
       }},
      {"items of a type that is not known",
       [](RawAdapter& a) {
         a.values.push_back(rawText("x") + raw<std::uint32_t>(9) + raw<std::uint32_t>(9) +
                            raw<std::uint64_t>(1));
       }},
      {"aLoRA",
       [](RawAdapter& a) {
         a.values.push_back(rawText("adapter.alora.invocation_tokens") + raw<std::uint32_t>(9) +
                            raw<std::uint32_t>(4) + raw<std::uint64_t>(1) + raw<std::uint32_t>(5));
       }},
      {"general.alignment must be",
       [](RawAdapter& a) {
         a.values.push_back(numberValue<std::uint64_t>("general.alignment", 10, 32));
       }},
      {"general.alignment must be",
       [](RawAdapter& a) {
         a.values.push_back(numberValue<std::uint32_t>("general.alignment", 4, 0));
       }},
      {"general.alignment must be",
       [](RawAdapter& a) {
         a.values.push_back(numberValue<std::uint32_t>("general.alignment", 4, 24));
       }},
      {"a key is longer",
       [](RawAdapter& a) { a.values.push_back(textValue(std::string(70'000, 'k'), "")); }},
      {"the name of a tensor", [](RawAdapter& a) { a.tensors[0].name = ""; }},
      {"the name of a tensor",
       [](RawAdapter& a) { a.tensors[0].name = std::string(57, 'x') + ".lora_a"; }},
      {"two tensors", [](RawAdapter& a) { a.tensors[1] = a.tensors[0]; }},
      {"ends neither in .lora_a nor in .lora_b",
       [](RawAdapter& a) { a.tensors[0].name = "blk.0.attn_q.weight"; }},
      {"ends neither", [](RawAdapter& a) { a.add("blk.0.attn_norm.weight", {32}); }},
      {"two endings",
       [](RawAdapter& a) { a.tensors[0].name = "blk.0.attn_q.weight.lora_a.lora_a"; }},
      {"has no lora_a", [](RawAdapter& a) { a.tensors[0].name = "blk.1.attn_q.weight.lora_a"; }},
      {"has no lora_b", [](RawAdapter& a) { a.tensors.erase(a.tensors.begin() + 1); }},
      {"the base model has no tensor blk.7.attn_q.weight",
       [](RawAdapter& a) {
         a.tensors[0].name = "blk.7.attn_q.weight.lora_a";
         a.tensors[1].name = "blk.7.attn_q.weight.lora_b";
       }},
      {"the base model has no tensor b?k",
       [](RawAdapter& a) {
         a.tensors[0].name = "b\xffk.lora_a";
         a.tensors[1].name = "b\xffk.lora_b";
       }},
      {"is no matrix",
       [](RawAdapter& a) {
         a.tensors[0].name = "blk.0.attn_norm.weight.lora_a";
         a.tensors[1].name = "blk.0.attn_norm.weight.lora_b";
       }},
      {"more than 4 dimensions", [](RawAdapter& a) { a.tensors[0].dimension_count = 5; }},
      {"more than 4 dimensions", [](RawAdapter& a) { a.tensors[0].dimension_count = 0xFFFFFFFF; }},
      {"must have 2 dimensions", replaced(0, {32, 4, 2}, TensorType::kF32)},
      {"must have 2 dimensions", replaced(0, {128}, TensorType::kF32)},
      {"type or a shape that is not known",
       [](RawAdapter& a) {
         a.tensors[0].dimensions = {kHuge, kHuge};
       }},
      {"extends past the end of the file",
       [](RawAdapter& a) {
         a.tensors[0].dimensions = {1UL << 40, 4};
       }},
      {"does not fit the base model", replaced(0, {4, 32}, TensorType::kF32)},
      {"does not fit the base model", replaced(1, {32, 4}, TensorType::kF32)},
      {"does not fit the base model", replaced(0, {32, 5}, TensorType::kF32)},
      {"does not fit the base model", replaced(1, {4, 33}, TensorType::kF32)},
      {"does not fit the base model",
       [](RawAdapter& a) {
         a.add("token_embd.weight.lora_a", {32, 2});
         a.add("token_embd.weight.lora_b", {2, HfFolderForTest::kVocabulary});
       }},
      {"has the rank 0",
       [](RawAdapter& a) {
         a.replace(0, {32, 0}, TensorType::kF32);
         a.replace(1, {0, 32}, TensorType::kF32);
       }},
      {"has the rank 4097",
       [](RawAdapter& a) {
         a.replace(0, {32, 4097}, TensorType::kF32);
         a.replace(1, {4097, 32}, TensorType::kF32);
       }},
      {"is i8; F32, F16, BF16 and Q8_0 are supported", replaced(0, {32, 4}, TensorType::kI8)},
      {"is i32;", replaced(1, {4, 32}, TensorType::kI32)},
      {"is f64;", replaced(0, {32, 4}, TensorType::kF64)},
      {"is q4_0;", replaced(0, {32, 4}, TensorType::kQ4_0)},
      {"type or a shape that is not known", [](RawAdapter& a) { a.tensors[0].type = 99; }},
      {"type or a shape that is not known", [](RawAdapter& a) { a.tensors[0].type = 0xFFFFFFFF; }},
      {"does not begin where", [](RawAdapter& a) { a.tensors[1].offset = 0; }},
      {"does not begin where", [](RawAdapter& a) { a.tensors[1].offset = 513; }},
      {"does not begin where", [](RawAdapter& a) { a.tensors[0].offset = 32; }},
      {"extends past the end of the file", [](RawAdapter& a) { a.tensors[0].offset = kHuge; }},
      {"extends past the end of the file",
       [](RawAdapter& a) { a.tensors[0].offset = std::numeric_limits<std::uint64_t>::max(); }},
      {"not finite", [](RawAdapter& a) { a.tensors[0].data.replace(8, 4, raw(kNan)); }},
      {"not finite", [](RawAdapter& a) { a.tensors[3].data.replace(0, 4, raw(kInfinity)); }},
      {"not finite",
       [](RawAdapter& a) {
         a.replace(0, {32, 4}, TensorType::kF16);
         a.tensors[0].data.replace(2, 2, raw<std::uint16_t>(0x7E00));
       }},
      {"not finite",
       [](RawAdapter& a) {
         a.replace(0, {32, 4}, TensorType::kBf16);
         a.tensors[0].data.replace(2, 2, raw<std::uint16_t>(0xFF80));
       }},
      {"not finite",
       [](RawAdapter& a) {
         a.replace(0, {32, 4}, TensorType::kQ8_0);
         a.tensors[0].data.replace(34, 2, raw<std::uint16_t>(0x7C00));
       }},
  };
  return all;
}

TEST_F(LoraAdapterTest, RefusesEveryMutationOfAField) {
  for (std::size_t i = 0; i < mutations().size(); ++i) {
    RawAdapter adapter;
    mutations()[i].make(adapter);
    const std::string why = refusal(adapter.bytes());
    EXPECT_NE(why, "") << i << " " << mutations()[i].why;
    EXPECT_NE(why.find(mutations()[i].why), std::string::npos)
        << i << " " << mutations()[i].why << ": " << why;
  }
}

TEST_F(LoraAdapterTest, RefusesOrAcceptsEveryFileWithAChangedByte) {
  const std::string whole = RawAdapter().bytes();
  const std::size_t head = whole.find(std::string(16, '\0'), 300);
  for (std::size_t at = 0; at < std::min(head, whole.size()); ++at) {
    for (const int value : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(value);
      refusal(bytes);
    }
  }
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size;
  }
}

TEST_F(LoraAdapterTest, CopyContainsOnlyNeededValuesAndTensors) {
  RawAdapter adapter;
  adapter.values.push_back(textValue("general.name", "from outside"));
  adapter.values.push_back(numberValue<std::uint32_t>("general.alignment", 4, 128));
  adapter.alignment = 128;
  base_.write("from.gguf", adapter.bytes());
  const Result<AdapterSummary> done =
      importLoraFile(base_.file("from.gguf"), base_.file("base.gguf"), base_.file("to.gguf"));
  ASSERT_TRUE(done) << done.error().message();
  const Result<GgufFile> copy = GgufFile::open(base_.file("to.gguf"));
  ASSERT_TRUE(copy);
  EXPECT_FALSE(copy->has("general.name"));
  EXPECT_FALSE(copy->has("general.alignment"));
  EXPECT_EQ(copy->number("adapter.lora.alpha"), 8);
  ASSERT_EQ(copy->tensors().size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(copy->tensors()[i].info.name, adapter.tensors[i].name);
    EXPECT_EQ(copy->tensors()[i].data, adapter.tensors[i].data);
  }
  adapter.tensors[0].type = static_cast<std::uint32_t>(TensorType::kI32);
  base_.write("from.gguf", adapter.bytes());
  EXPECT_FALSE(
      importLoraFile(base_.file("from.gguf"), base_.file("base.gguf"), base_.file("bad.gguf")));
  EXPECT_FALSE(std::filesystem::exists(base_.file("bad.gguf")));
}

TEST_F(LoraAdapterTest, NamesNoFolderWhenAFileIsMissing) {
  const Result<AdapterSummary> none =
      checkLoraFile(base_.file("none.gguf"), base_.file("base.gguf"));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "none.gguf: No such file or directory");
}

TEST(ModelFiles, SplitModelHasSeveralFiles) {
  EXPECT_EQ(modelFilesOf("/m/a.gguf"), std::vector<std::string>{"/m/a.gguf"});
  EXPECT_EQ(modelFilesOf("/m/a-00002-of-00002.gguf"),
            (std::vector<std::string>{"/m/a-00001-of-00002.gguf", "/m/a-00002-of-00002.gguf"}));
  for (const std::string alone :
       {"/m/a-00003-of-00002.gguf", "/m/a-00000-of-00002.gguf", "/m/a-0000x-of-00002.gguf",
        "/m/a-00001-of-00001.gguf", "-00001-of-00002.gguf", "/m/a-00001_of-00002.gguf"}) {
    EXPECT_EQ(modelFilesOf(alone), std::vector<std::string>{alone});
  }
}

TEST_F(LoraAdapterTest, FindsTensorsInEveryPartOfASplitModel) {
  const Result<GgufFile> whole = GgufFile::open(base_.file("base.gguf"));
  ASSERT_TRUE(whole);
  for (const int part : {1, 2}) {
    GgufWriter writer;
    if (part == 1) writer.addText("general.architecture", "llama");
    for (const StoredTensor& tensor : whole->tensors()) {
      if (tensor.info.name.starts_with("blk.1.") != (part == 2)) continue;
      writer.addTensor(tensor.info,
                       [data = tensor.data](const ByteSink& sink) { return sink(data); });
    }
    ASSERT_TRUE(writer.writeTo(base_.file("s-0000" + std::to_string(part) + "-of-00002.gguf")));
  }
  base_.write("adapter.gguf", RawAdapter().bytes());
  const Result<AdapterSummary> checked =
      checkLoraFile(base_.file("adapter.gguf"), base_.file("s-00001-of-00002.gguf"));
  EXPECT_TRUE(checked) << checked.error().message();
}

}  // namespace
}  // namespace spindle::weights
