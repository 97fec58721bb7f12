#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "weights/mapped_file.h"
#include "weights/tensor.h"

namespace spindle::weights {

/// The types of values in the metadata of GGUF files.
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

struct GgufTensor {
  TensorInfo info;
  std::string_view data;  ///< as long as the file
};

/// A GGUF file (version 2 or 3), open for reading. Everything is checked against the file's size
/// when it is opened, so that what it hands out can be read. Immutable, hence thread-safe.
class GgufFile {
 public:
  /// @return kNotFound, kUnavailable, or kInvalidArgument that says what is wrong with the file
  static Result<GgufFile> open(const std::string& path);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  /// Returns the type of a value; empty when there is none.
  std::optional<GgufType> typeOf(std::string_view key) const;
  // Empty when there is no such value, or it is of another kind.
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  ///< of whole numbers too
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> text(std::string_view key) const;
  std::optional<std::vector<std::string_view>> texts(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> integers(std::string_view key) const;
  std::optional<std::vector<double>> numbers(std::string_view key) const;

  /// In the order of the file.
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  const GgufTensor* find(std::string_view name) const;

 private:
  struct Value {
    GgufType type = GgufType::kU8;
    GgufType item = GgufType::kU8;  ///< of an array
    std::uint64_t count = 0;        ///< of an array
    std::string_view bytes;
  };
  class Parser;

  explicit GgufFile(MappedFile file) : file_(std::move(file)) {}
  const Value* valueOf(std::string_view key) const;
  const Value* arrayOf(std::string_view key) const;

  MappedFile file_;
  std::map<std::string, Value, std::less<>> values_;
  std::vector<GgufTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> places_;  ///< of tensors, by name
};

}  // namespace spindle::weights
