#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "weights/formats/mapped_file.h"
#include "weights/formats/tensor.h"

namespace spindle::weights {

/// The types of metadata values in GGUF files.
enum class GgufType : std::uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kText = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

/// A GGUF file (version 2 or 3), open for reading. open() checks all sizes and offsets against the
/// file size, so all returned data can be read. Immutable, hence thread-safe.
class GgufFile {
 public:
  /// Opens and checks a file.
  /// @return kNotFound; kUnavailable; kInvalidArgument that says what is wrong with the file
  static Result<GgufFile> open(const std::string& path);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  /// Returns the type of a value; empty if the key does not exist.
  std::optional<GgufType> typeOf(std::string_view key) const;
  // Return a value; empty if the key does not exist or its value has another type.
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  ///< also converts integers
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;

  /// Returns the tensors in file order.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find(std::string_view name) const;

 private:
  struct Value {
    GgufType type = GgufType::kU8;
    GgufType item = GgufType::kU8;  ///< item type of an array
    std::uint64_t count = 0;        ///< length of an array
    std::string_view bytes;
  };
  class Parser;

  explicit GgufFile(MappedFile file) : file_(std::move(file)) {}
  const Value* valueOf(std::string_view key) const;
  const Value* arrayOf(std::string_view key) const;

  MappedFile file_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<StoredTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> places_;  ///< index into tensors_ by name
};

}  // namespace spindle::weights
