#include "weights/adapters/new_adapter.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "weights/adapters/adapter_import.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"
#include "weights/huggingface/hf_folder_for_test.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::weights {
namespace {

std::string written(const SafeTensorsWriter& writer) {
  std::string bytes;
  const Result<void> done = writer.writeTo([&](std::string_view piece) -> Result<void> {
    bytes += piece;
    return {};
  });
  EXPECT_TRUE(done);
  return bytes;
}

/// Returns the parameters for an adapter of the folder's model.
NewAdapterOptions optionsFor(const HfFolderForTest& folder) {
  HfImport import;
  import.folder = folder.path();
  import.file = folder.file("base.gguf");
  const Result<HfImportResult> imported = importHfFolder(import);
  EXPECT_TRUE(imported) << (imported ? "" : imported.error().message());
  NewAdapterOptions options;
  options.base_file = import.file;
  options.base_model = "tiny";
  return options;
}

TEST(NewAdapterFiles, FitTheModelsOfEveryFamily) {
  for (const std::string type : {"llama", "qwen2", "qwen3"}) {
    const HfFolderForTest folder({.type = type});
    const Result<AdapterFiles> files = newAdapter(optionsFor(folder));
    ASSERT_TRUE(files) << type << ": " << files.error().message();
    std::filesystem::create_directory(folder.file("adapter"));
    folder.write("adapter/adapter_config.json", files->config);
    const std::string bytes = written(files->tensors);
    EXPECT_EQ(bytes.size(), files->tensors.size());
    folder.write("adapter/adapter_model.safetensors", bytes);
    AdapterImport import;
    import.folder = folder.file("adapter");
    import.base_file = folder.file("base.gguf");
    import.file = folder.file("adapter.gguf");
    const Result<AdapterImportResult> imported = importAdapter(import);
    ASSERT_TRUE(imported) << type << ": " << imported.error().message();
    EXPECT_EQ(imported->matrices, 14U) << "seven in each of two layers";
    EXPECT_EQ(imported->rank, 8U);
    EXPECT_EQ(imported->base_model, "tiny");
  }
}

TEST(NewAdapterFiles, HaveZeroBAndBoundedA) {
  const HfFolderForTest folder({});
  const Result<AdapterFiles> files = newAdapter(optionsFor(folder));
  ASSERT_TRUE(files);
  folder.write("adapter_model.safetensors", written(files->tensors));
  const Result<SafeTensors> tensors = SafeTensors::open(folder.file("adapter_model.safetensors"));
  ASSERT_TRUE(tensors) << tensors.error().message();
  EXPECT_EQ(tensors->tensors().size(), 28U);
  for (const StoredTensor& tensor : tensors->tensors()) {
    const std::vector<float> numbers = floatsOf(TensorType::kF32, tensor.data);
    const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
    if (tensor.info.name.ends_with(".lora_B.weight")) {
      EXPECT_EQ(*low, 0.0F);
      EXPECT_EQ(*high, 0.0F);
      continue;
    }
    const double bound = 1.0 / std::sqrt(static_cast<double>(tensor.info.shape[1]));
    EXPECT_GE(*low, -bound);
    EXPECT_LE(*high, bound);
    EXPECT_LT(*low, -bound / 2) << "they are spread over all of it";
    EXPECT_GT(*high, bound / 2);
  }
}

TEST(NewAdapterFiles, DependOnlyOnTheSeed) {
  const HfFolderForTest folder({});
  NewAdapterOptions options = optionsFor(folder);
  const Result<AdapterFiles> one = newAdapter(options);
  const Result<AdapterFiles> same = newAdapter(options);
  options.seed = 1;
  const Result<AdapterFiles> other = newAdapter(options);
  ASSERT_TRUE(one && same && other);
  EXPECT_EQ(written(one->tensors), written(same->tensors));
  EXPECT_NE(written(one->tensors), written(other->tensors));
}

TEST(NewAdapterFiles, AreRejectedForInvalidModels) {
  NewAdapterOptions options;
  options.base_file = "/no/such/file.gguf";
  const Result<AdapterFiles> missing = newAdapter(options);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST(SafeTensorsWriting, RejectsSourceOfWrongSize) {
  SafeTensorsWriter writer;
  writer.addTensor({"a", {2}, TensorType::kF32}, [](const ByteSink& sink) { return sink("1234"); });
  const Result<void> done = writer.writeTo([](std::string_view) -> Result<void> { return {}; });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace spindle::weights
