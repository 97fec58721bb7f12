#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/crypto/crypto.h"
#include "inference/catalogue/catalogue.h"
#include "weights/formats/gguf_writer.h"

namespace spindle::inference {

/// A temporary folder, deleted with this object.
class TestFolder {
 public:
  TestFolder()
      : path_(std::filesystem::temp_directory_path() / ("spindle-" + randomAlphanumeric(10))) {
    std::filesystem::create_directory(path_);
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_;
};

/// Writes a model file with four layers and the `fake_engine.*` values that control the fake
/// engine.
inline std::shared_ptr<const Model> scriptedModel(const TestFolder& folder,
                                                  const std::string& name,
                                                  const std::string& script,
                                                  std::uint32_t memory = 0) {
  weights::GgufWriter file;
  file.addText("general.architecture", "llama");
  file.addText("general.name", name);
  file.addU32("llama.block_count", 4);
  file.addU32("llama.context_length", 1024);
  file.addU32("llama.embedding_length", 64);
  file.addU32("llama.attention.head_count", 8);
  file.addU32("llama.attention.head_count_kv", 2);
  file.addText("fake_engine.script", script);
  file.addU32("fake_engine.memory", memory);
  auto model = std::make_shared<Model>();
  model->id = "mdl_" + name;
  model->name = name;
  model->file = folder.at(name + ".gguf");
  EXPECT_TRUE(file.writeTo(model->file));
  return model;
}

}  // namespace spindle::inference
