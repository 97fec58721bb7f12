#include "weights/formats/model_tensors.h"

#include <charconv>
#include <cstdio>
#include <optional>
#include <utility>

namespace spindle::weights {
namespace {

constexpr std::string_view kEnding = ".gguf";
constexpr std::string_view kOf = "-of-";
constexpr std::size_t kDigits = 5;
constexpr std::uint32_t kMostSplits = 1000;

std::optional<std::uint32_t> numberIn(std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = problem == std::errc() && end == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::string> modelFilesOf(const std::string& path) {
  // `-00001-of-00003.gguf`
  constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits + kEnding.size();
  std::vector<std::string> alone = {path};
  if (path.size() <= kTail || !path.ends_with(kEnding)) return alone;
  const std::string stem = path.substr(0, path.size() - kTail);
  const std::string_view tail = std::string_view(path).substr(stem.size());
  if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf) return alone;
  const auto index = numberIn(tail.substr(1, kDigits));
  const auto count = numberIn(tail.substr(1 + kDigits + kOf.size(), kDigits));
  if (!index || !count || *count < 2 || *count > kMostSplits || *index < 1 || *index > *count)
    return alone;
  std::vector<std::string> all;
  for (std::uint32_t i = 1; i <= *count; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "-%05u-of-%05u.gguf", i, *count);
    all.push_back(stem + name);
  }
  return all;
}

Result<ModelTensors> ModelTensors::open(const std::string& path) {
  ModelTensors model;
  for (const std::string& file : modelFilesOf(path)) {
    GgufFile opened = TRY(GgufFile::open(file));
    model.files_.push_back(std::move(opened));
  }
  return model;
}

std::string_view ModelTensors::architecture() const {
  return files_.front().text("general.architecture").value_or("");
}

const TensorInfo* ModelTensors::find(std::string_view name) const {
  for (const GgufFile& file : files_) {
    if (const StoredTensor* tensor = file.find(name)) return &tensor->info;
  }
  return nullptr;
}

}  // namespace spindle::weights
