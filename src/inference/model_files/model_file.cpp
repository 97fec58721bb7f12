#include "inference/model_files/model_file.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <sys/stat.h>

#include "weights/formats/file_name.h"

namespace spindle::inference {
namespace {

using weights::GgufFile;

constexpr std::int64_t kBytesOfNumber = 2;

/// Returns a metadata value. Some models have one value per layer; then returns the largest.
std::int64_t largest(const GgufFile& file, const std::string& key) {
  if (const std::optional<std::int64_t> one = file.integer(key)) return *one;
  const std::optional<std::vector<std::int64_t>> several = file.integers(key);
  if (!several || several->empty()) return 0;
  return *std::max_element(several->begin(), several->end());
}

/// Returns the bytes of one token in the KV cache: a key and a value per KV head and layer.
std::uint64_t bytesOfToken(const GgufFile& file, const std::string& family) {
  const std::int64_t heads = largest(file, family + ".attention.head_count");
  const std::int64_t own = largest(file, family + ".attention.head_count_kv");
  const std::int64_t width =
      heads > 0 ? largest(file, family + ".embedding_length") / heads : std::int64_t{0};
  const std::int64_t key = file.integer(family + ".attention.key_length").value_or(width);
  const std::int64_t value = file.integer(family + ".attention.value_length").value_or(width);
  const std::int64_t layers = largest(file, family + ".block_count");
  // The file may contain any values; ignore an impossible result.
  constexpr double kMost = 1e9;
  const double bytes = static_cast<double>(layers) * static_cast<double>(own > 0 ? own : heads) *
                       static_cast<double>(key + value) * kBytesOfNumber;
  return bytes > 0 && bytes < kMost ? static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

Result<GgufFile> openModelFile(const std::string& path) {
  Result<GgufFile> file = GgufFile::open(path);
  if (file) return file;
  const std::string& message = file.error().message();
  const std::string name = weights::fileNameOf(path) + ": ";
  const bool named = file.error().code() == ErrorCode::kInvalidArgument;
  return Error::invalidArgument(named && message.starts_with(name)
                                    ? message.substr(name.size())
                                    : "The model file cannot be read.");
}

Result<ModelFileInfo> inspectModelFile(const std::string& path, const EngineMemory& memory) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) {
    return Error::invalidArgument("The model file does not exist.");
  }
  const GgufFile file = TRY(openModelFile(path));
  const std::string family(file.text("general.architecture").value_or(""));
  const std::int64_t made_for = file.integer(family + ".context_length").value_or(memory.context);
  const auto tokens =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, std::min(memory.context, made_for)));
  ModelFileInfo facts;
  facts.need = static_cast<std::uint64_t>(found.st_size) +
               tokens * memory.slots * bytesOfToken(file, family);
  facts.stamp = std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino) + ":" +
                std::to_string(found.st_size) + ":" + std::to_string(found.st_mtim.tv_sec) + "." +
                std::to_string(found.st_mtim.tv_nsec);
  return facts;
}

}  // namespace spindle::inference
