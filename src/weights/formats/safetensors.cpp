#include "weights/formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "json/document.h"
#include "weights/formats/file_name.h"
#include "weights/formats/json_file.h"
#include "weights/formats/safetensors_types.h"

namespace spindle::weights {
namespace {

/// A header needs about 150 bytes per tensor; headers of real files are below 2 MiB.
constexpr std::uint64_t kLargestHeader = 16UL << 20;
constexpr std::size_t kMostSafeTensorDimensions = 8;
constexpr std::size_t kMostShards = 4096;
constexpr std::size_t kDepth = 8;

Error wrong(const std::string& path, const std::string& why) {
  return Error::invalidArgument(fileNameOf(path) + " cannot be read: " + why + ".");
}

std::optional<std::uint64_t> wholeOf(const json::Node& node) {
  if (node.kind() != json::Kind::kInteger) return std::nullopt;
  const std::optional<std::int64_t> value = node.integer();
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

std::optional<std::vector<std::uint64_t>> wholesOf(const std::optional<json::Node>& node) {
  if (!node || !node->isArray()) return std::nullopt;
  if (node->size() > kMostSafeTensorDimensions + 1) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const json::Node item : *node) {
    const std::optional<std::uint64_t> number = wholeOf(item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Parses one header entry. The tensor's data is a part of `buffer`.
Result<StoredTensor> tensorOf(const std::string& path,
                              std::string name,
                              const json::Node& entry,
                              std::string_view buffer) {
  const std::string what = "the tensor " + printableName(name);
  if (!entry.isObject()) return wrong(path, what + " is not a JSON object");
  const std::optional<json::Node> dtype = entry.find("dtype");
  if (!dtype || !dtype->isString()) return wrong(path, what + " has no dtype");
  const auto* type =
      std::find_if(kSafeTensorsTypes.begin(), kSafeTensorsTypes.end(),
                   [&](const SafeTensorsType& known) { return dtype->textEquals(known.name); });
  if (type == kSafeTensorsTypes.end())
    return wrong(path, what + " is " + printableName(dtype->text()) + ", which is not supported");
  const auto shape = wholesOf(entry.find("shape"));
  const auto offsets = wholesOf(entry.find("data_offsets"));
  if (!shape || !offsets || offsets->size() != 2)
    return wrong(path, what + " has no valid shape and data_offsets");
  if (shape->size() > kMostSafeTensorDimensions)
    return wrong(path, what + " has more than 8 dimensions");
  StoredTensor tensor{{std::move(name), *shape, type->type}, {}};
  const std::optional<std::uint64_t> bytes = bytesOf(tensor.info);
  const std::uint64_t begin = (*offsets)[0];
  const std::uint64_t end = (*offsets)[1];
  if (!bytes || begin > end || end > buffer.size() || end - begin != *bytes)
    return wrong(path, what + " has data_offsets that do not match its shape or the file");
  tensor.data = buffer.substr(begin, *bytes);
  return tensor;
}

/// Returns the name of a tensor whose data overlaps that of another one; empty if there is none.
std::optional<std::string> overlapping(const std::vector<StoredTensor>& tensors,
                                       std::size_t first) {
  std::vector<const StoredTensor*> sorted;
  for (std::size_t i = first; i < tensors.size(); ++i) {
    if (!tensors[i].data.empty()) sorted.push_back(&tensors[i]);
  }
  std::sort(sorted.begin(), sorted.end(), [](const StoredTensor* a, const StoredTensor* b) {
    return std::less<>()(a->data.data(), b->data.data());
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const std::string_view before = sorted[i - 1]->data;
    if (std::less<>()(sorted[i]->data.data(), before.data() + before.size()))
      return sorted[i]->info.name;
  }
  return std::nullopt;
}

}  // namespace

Result<SafeTensors> SafeTensors::open(const std::string& path) {
  SafeTensors all;
  TRY(all.add(path));
  return all;
}

Result<SafeTensors> SafeTensors::openFolder(const std::string& folder) {
  const std::filesystem::path root(folder);
  const std::string index = root / "model.safetensors.index.json";
  if (!std::filesystem::exists(index)) return open(root / "model.safetensors");
  const json::Document document = TRY(readJsonFile(index));
  const std::optional<json::Node> map =
      document.root().isObject() ? document.root().find("weight_map") : std::optional<json::Node>();
  if (!map || !map->isObject()) return wrong(index, "it has no weight_map");
  std::set<std::string> names;
  bool is_name = true;
  for (const json::Node node : *map) {
    if (!is_name) {
      if (!node.isString())
        return wrong(index, "its weight_map contains a value that is not a string");
      names.insert(node.text());
    }
    is_name = !is_name;
  }
  if (names.size() > kMostShards) return wrong(index, "it names more than 4096 files");
  SafeTensors all;
  for (const std::string& name : names) {
    // Accept only files in the folder of the index.
    if (name != std::filesystem::path(name).filename())
      return wrong(index, printableName(name) + " is no file name");
    TRY(all.add(root / name));
  }
  return all;
}

Result<void> SafeTensors::add(const std::string& path) {
  MappedFile mapped = TRY(MappedFile::open(path));
  const std::string_view bytes = mapped.bytes();
  std::uint64_t header = 0;
  if (bytes.size() < sizeof(header)) return wrong(path, "it is too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header > kLargestHeader || header > bytes.size() - sizeof(header))
    return wrong(path, "its header is too long");
  std::variant<json::Document, json::SyntaxError> parsed =
      json::Document::parse(std::string(bytes.substr(sizeof(header), header)), kDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject())
    return wrong(path, "its header is no JSON object");
  const std::size_t first = tensors_.size();
  if (document->root().size() > kMostTensors) return wrong(path, "it has more than 65536 tensors");
  const std::string_view buffer = bytes.substr(sizeof(header) + header);
  std::optional<std::string> name;
  for (const json::Node node : document->root()) {
    if (!name) {
      name = node.text();
      continue;
    }
    const std::string entry = *std::exchange(name, std::nullopt);
    if (entry == "__metadata__") continue;
    StoredTensor tensor = TRY(tensorOf(path, entry, node, buffer));
    if (!places_.emplace(entry, tensors_.size()).second)
      return wrong(path, "there are two tensors " + printableName(entry));
    tensors_.push_back(std::move(tensor));
  }
  if (const std::optional<std::string> shared = overlapping(tensors_, first))
    return wrong(path, "the data of the tensor " + printableName(*shared) +
                           " overlaps another tensor's data");
  files_.push_back(std::move(mapped));
  return {};
}

const StoredTensor* SafeTensors::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  return found == places_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace spindle::weights
