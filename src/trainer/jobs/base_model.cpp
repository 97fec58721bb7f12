#include "trainer/jobs/base_model.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <ggml.h>
#include <unistd.h>

#include "trainer/model/gguf_weights.h"
#include "weights/formats/number_format.h"
#include "weights/formats/safetensors.h"
#include "weights/huggingface/hf_config.h"
#include "weights/huggingface/hf_import.h"

namespace spindle::trainer {
namespace {

/// Dequantizes any tensor type that ggml supports.
Result<std::vector<float>> numbersOf(weights::TensorType type,
                                     std::string_view bytes,
                                     std::uint64_t count) {
  if (weights::isPlainFloat(type)) return weights::floatsOf(type, bytes);
  const auto number = static_cast<int>(type);
  const ggml_type_traits* traits =
      number < GGML_TYPE_COUNT ? ggml_get_type_traits(static_cast<ggml_type>(number)) : nullptr;
  if (traits == nullptr || traits->to_float == nullptr)
    return Error::invalidArgument("The base model has an unknown quantization type.");
  std::vector<float> numbers(count);
  traits->to_float(bytes.data(), numbers.data(), static_cast<std::int64_t>(count));
  return numbers;
}

class FolderWeights final : public WeightSource {
 public:
  FolderWeights(ModelShape shape, weights::SafeTensors tensors)
      : shape_(std::move(shape)), tensors_(std::move(tensors)) {}

  const ModelShape& shape() const override { return shape_; }
  bool has(const std::string& name) const override { return tensors_.find(name) != nullptr; }
  Result<std::vector<float>> read(const std::string& name) const override {
    const weights::StoredTensor* tensor = tensors_.find(name);
    if (tensor == nullptr)
      return Error::invalidArgument("The base model's folder has no tensor " + name + ".");
    if (!weights::isPlainFloat(tensor->info.type))
      return Error::invalidArgument("The tensor " + name + " is not F32, F16, BF16 or F64.");
    return weights::floatsOf(tensor->info.type, tensor->data);
  }

 private:
  const ModelShape shape_;
  const weights::SafeTensors tensors_;
};

/// A temporary file; the destructor deletes it.
class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "spindle-vocabulary-XXXXXX").string();
    const int descriptor = ::mkstemp(pattern.data());
    if (descriptor < 0) return;
    ::close(descriptor);
    path_ = pattern;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<BaseModel> openFolder(const std::string& path) {
  const ModelShape shape = TRY(weights::readHfConfig(path));
  weights::SafeTensors tensors = TRY(weights::SafeTensors::openFolder(path));
  // llama.cpp reads vocabularies and templates only from GGUF files.
  const TemporaryFile vocabulary;
  TRY(weights::importHfFolder({.folder = path,
                               .file = vocabulary.path(),
                               .name = "vocabulary",
                               .type = {},
                               .progress = {},
                               .without_tensors = true}));
  std::unique_ptr<ChatCodec> codec = TRY(openChatCodec(vocabulary.path()));
  return BaseModel{std::make_unique<FolderWeights>(shape, std::move(tensors)), std::move(codec)};
}

}  // namespace

Result<BaseModel> openBaseModel(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return openFolder(path);
  std::unique_ptr<WeightSource> source = TRY(openGgufWeights(path, numbersOf));
  std::unique_ptr<ChatCodec> codec = TRY(openChatCodec(path));
  return BaseModel{std::move(source), std::move(codec)};
}

}  // namespace spindle::trainer
