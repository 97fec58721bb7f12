#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "weights/huggingface/hf_folder_for_test.h"

namespace spindle::weights {

/// A PEFT folder with a LoRA adapter for a tiny model; a seed determines the weights. The folder
/// lies inside the model's folder.
class AdapterFolderForTest {
 public:
  explicit AdapterFolderForTest(const HfFolderForTest& base, std::string dtype = "F32")
      : base_(base), dtype_(std::move(dtype)) {
    std::filesystem::create_directory(path());
  }

  std::string path() const { return base_.file("adapter"); }
  std::string prefix = "base_model.model.";
  std::string suffix = ".weight";

  /// Adds a LoRA pair for a module, such as `model.layers.0.self_attn.q_proj`.
  void add(const std::string& module, std::uint64_t rank) {
    const std::vector<std::uint64_t>& shape = base_.shape(module + ".weight");
    addTensor(prefix + module + ".lora_A" + suffix, {rank, shape[1]});
    addTensor(prefix + module + ".lora_B" + suffix, {shape[0], rank});
  }
  void addTensor(const std::string& name, std::vector<std::uint64_t> shape) {
    std::vector<float>& numbers = tensors_[name];
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    for (std::uint64_t i = 0; i < count; ++i)
      numbers.push_back(static_cast<float>(random_() % 2001) / 4000.0F - 0.25F);
    shapes_[name] = std::move(shape);
    const TensorType type = HfFolderForTest::typeOf(dtype_);
    numbers = floatsOf(type, encoded(type, numbers));
  }
  void removeTensor(const std::string& name) { tensors_.erase(name); }

  /// Writes the folder. `members`: the members of the JSON object in adapter_config.json.
  void write(const std::string& members) const {
    base_.write("adapter/adapter_config.json", "{" + members + "}");
    base_.write("adapter/adapter_model.safetensors",
                HfFolderForTest::safetensors(dtype_, tensors_, shapes_));
  }

  /// Returns scale · B·A: the change of the module's weights.
  std::vector<float> change(const std::string& module, double scale) const {
    const std::string a_name = prefix + module + ".lora_A" + suffix;
    const std::string b_name = prefix + module + ".lora_B" + suffix;
    const std::vector<float>& a = tensors_.at(a_name);
    const std::vector<float>& b = tensors_.at(b_name);
    const std::uint64_t rank = shapes_.at(a_name)[0];
    const std::uint64_t columns = shapes_.at(a_name)[1];
    const std::uint64_t rows = shapes_.at(b_name)[0];
    std::vector<float> change;
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (std::uint64_t i = 0; i < rank; ++i)
          sum +=
              static_cast<double>(b[row * rank + i]) * static_cast<double>(a[i * columns + column]);
        change.push_back(static_cast<float>(sum * scale));
      }
    }
    return change;
  }

 private:
  const HfFolderForTest& base_;
  const std::string dtype_;
  std::mt19937 random_{11};
  std::map<std::string, std::vector<float>> tensors_;
  std::map<std::string, std::vector<std::uint64_t>> shapes_;
};

}  // namespace spindle::weights
