#include "weights/formats/gguf_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "weights/formats/file_name.h"

namespace spindle::weights {
namespace {

constexpr std::string_view kMagic = "GGUF";
/// Limits of llama.cpp, or above the size of any real model. An entry takes more memory here than
/// in the file, so the counts are checked before any entry is read.
constexpr std::uint64_t kMostValues = 1UL << 16;
constexpr std::uint64_t kLongestKey = 65'535;
constexpr std::uint64_t kLongestTensorName = 63;
constexpr std::uint64_t kMostGgufDimensions = 4;
constexpr std::uint32_t kUsualAlignment = 32;
constexpr std::uint32_t kLargestAlignment = 1U << 20;
constexpr std::string_view kAlignmentKey = "general.alignment";

template <class T>
T at(std::string_view bytes, std::uint64_t index = 0) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
std::int64_t wholeAt(std::string_view bytes, std::uint64_t index) {
  return static_cast<std::int64_t>(at<T>(bytes, index));
}

/// How values of a type are stored.
struct TypeStorage {
  std::uint64_t size = 0;  ///< bytes; 0 for types without a fixed size
  /// Reads an integer; null for types that are no integers.
  std::int64_t (*integer)(std::string_view bytes, std::uint64_t index) = nullptr;
};
/// In the order of GgufType.
constexpr std::array<TypeStorage, 13> kStorages = {{
    {1, wholeAt<std::uint8_t>},
    {1, wholeAt<std::int8_t>},
    {2, wholeAt<std::uint16_t>},
    {2, wholeAt<std::int16_t>},
    {4, wholeAt<std::uint32_t>},
    {4, wholeAt<std::int32_t>},
    {4},  // F32
    {1},  // boolean
    {},   // text
    {},   // array
    {8, wholeAt<std::uint64_t>},
    {8, wholeAt<std::int64_t>},
    {8},  // F64
}};

/// Returns the storage of a type; of one without a fixed size if the type is unknown.
TypeStorage storageOf(GgufType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < kStorages.size() ? kStorages.at(number) : TypeStorage();
}

std::optional<std::int64_t> integerAt(GgufType type, std::string_view bytes, std::uint64_t index) {
  const TypeStorage storage = storageOf(type);
  if (storage.integer == nullptr) return std::nullopt;
  return storage.integer(bytes, index);
}

std::optional<double> numberAt(GgufType type, std::string_view bytes, std::uint64_t index) {
  if (type == GgufType::kF32) return static_cast<double>(at<float>(bytes, index));
  if (type == GgufType::kF64) return at<double>(bytes, index);
  const std::optional<std::int64_t> whole = integerAt(type, bytes, index);
  return whole ? std::optional<double>(static_cast<double>(*whole)) : std::nullopt;
}

}  // namespace

/// Parses the header, metadata and tensor list, and checks every read against the file size.
class GgufFile::Parser {
 public:
  explicit Parser(GgufFile& file) : file_(file), rest_(file.file_.bytes()) {}

  Result<void> parse() {
    if (take(kMagic.size()) != kMagic) return wrong("it does not begin with GGUF");
    const std::uint32_t version = number<std::uint32_t>();
    if (version != 2 && version != 3)
      return wrong("version " + std::to_string(version) + " is not known (2 and 3 are)");
    const auto tensors = number<std::uint64_t>();
    const auto values = number<std::uint64_t>();
    if (tensors > kMostTensors || values > kMostValues) return wrong("it claims too many entries");
    for (std::uint64_t i = 0; i < values && problem_.empty(); ++i) parseValue();
    for (std::uint64_t i = 0; i < tensors && problem_.empty(); ++i) parseTensor();
    if (problem_.empty()) place();
    if (!problem_.empty()) return wrong(problem_);
    return {};
  }

 private:
  static Error wrong(const std::string& why) {
    return Error::invalidArgument("The GGUF file cannot be read: " + why + ".");
  }

  void fail(std::string why) {
    if (problem_.empty()) problem_ = std::move(why);
  }

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) {
      fail("it ends too early");
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  template <class T>
  T number() {
    const std::string_view bytes = take(sizeof(T));
    return bytes.empty() ? T{} : at<T>(bytes);
  }

  std::string_view text() { return take(number<std::uint64_t>()); }

  void parseValue() {
    const std::string_view key = text();
    if (key.size() > kLongestKey) return fail("a key is longer than 65535 bytes");
    Value value;
    value.type = static_cast<GgufType>(number<std::uint32_t>());
    if (value.type == GgufType::kText) {
      value.bytes = text();
    } else if (value.type == GgufType::kArray) {
      parseArray(value);
    } else if (const std::uint64_t size = storageOf(value.type).size; size > 0) {
      value.bytes = take(size);
    } else {
      fail("the value " + printableName(key) + " has a type that is not known");
    }
    if (problem_.empty() && !file_.values_.emplace(std::string(key), value).second)
      fail("there are two values " + printableName(key));
  }

  void parseArray(Value& value) {
    value.item = static_cast<GgufType>(number<std::uint32_t>());
    value.count = number<std::uint64_t>();
    const std::string_view before = rest_;
    if (value.item == GgufType::kText) {
      if (value.count > rest_.size() / sizeof(std::uint64_t)) fail("it ends too early");
      for (std::uint64_t i = 0; i < value.count && problem_.empty(); ++i) text();
    } else if (const std::uint64_t size = storageOf(value.item).size; size > 0) {
      if (value.count > rest_.size() / size) fail("it ends too early");
      if (problem_.empty()) take(value.count * size);
    } else {
      fail("an array has items of a type that is not known");
    }
    value.bytes = before.substr(0, before.size() - rest_.size());
  }

  void parseTensor() {
    StoredTensor tensor;
    const std::string_view name = text();
    if (name.empty() || name.size() > kLongestTensorName)
      return fail("the name of a tensor is empty or longer than 63 bytes");
    tensor.info.name = name;
    const auto dimensions = number<std::uint32_t>();
    if (dimensions > kMostGgufDimensions)
      return fail("the tensor " + printableName(name) + " has more than 4 dimensions");
    for (std::uint32_t i = 0; i < dimensions; ++i)
      tensor.info.shape.push_back(number<std::uint64_t>());
    std::reverse(tensor.info.shape.begin(), tensor.info.shape.end());
    tensor.info.type = static_cast<TensorType>(number<std::uint32_t>());
    offsets_.push_back(number<std::uint64_t>());
    file_.tensors_.push_back(std::move(tensor));
  }

  /// Returns the alignment of tensor data; 0 if it is not allowed. llama.cpp aborts if the value is
  /// not a U32.
  std::uint64_t alignment() const {
    const Value* value = file_.valueOf(kAlignmentKey);
    if (value == nullptr) return kUsualAlignment;
    if (value->type != GgufType::kU32) return 0;
    const auto asked = at<std::uint32_t>(value->bytes);
    const bool is_power_of_two = asked != 0 && (asked & (asked - 1)) == 0;
    return is_power_of_two && asked <= kLargestAlignment ? asked : 0;
  }

  /// Locates the tensor data. Each tensor must start where the previous one ends, as llama.cpp
  /// requires.
  void place() {
    const std::uint64_t align = alignment();
    if (align == 0) return fail("general.alignment must be a U32, a power of two up to 1048576");
    const std::string_view whole = file_.file_.bytes();
    const std::uint64_t read = whole.size() - rest_.size();
    const std::uint64_t begin = (read + align - 1) / align * align;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      StoredTensor& tensor = file_.tensors_[i];
      const std::string name = printableName(tensor.info.name);
      const std::optional<std::uint64_t> bytes = bytesOf(tensor.info);
      if (!bytes) return fail("the tensor " + name + " has a type or a shape that is not known");
      if (begin > whole.size() || offsets_[i] > whole.size() - begin ||
          *bytes > whole.size() - begin - offsets_[i])
        return fail("the tensor " + name + " extends past the end of the file");
      if (offsets_[i] != expected)
        return fail("the tensor " + name + " does not begin where the one before it ends");
      expected = (offsets_[i] + *bytes + align - 1) / align * align;
      tensor.data = whole.substr(begin + offsets_[i], *bytes);
      if (!file_.places_.emplace(tensor.info.name, i).second)
        return fail("there are two tensors " + name);
    }
  }

  GgufFile& file_;
  std::string_view rest_;
  std::vector<std::uint64_t> offsets_;
  std::string problem_;
};

Result<GgufFile> GgufFile::open(const std::string& path) {
  MappedFile mapped = TRY(MappedFile::open(path));
  GgufFile file(std::move(mapped));
  if (Result<void> parsed = Parser(file).parse(); !parsed) {
    return Error::invalidArgument(fileNameOf(path) + ": " + parsed.error().message());
  }
  return file;
}

const GgufFile::Value* GgufFile::valueOf(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

const GgufFile::Value* GgufFile::arrayOf(std::string_view key) const {
  const Value* value = valueOf(key);
  return value != nullptr && value->type == GgufType::kArray ? value : nullptr;
}

std::optional<GgufType> GgufFile::typeOf(std::string_view key) const {
  const Value* value = valueOf(key);
  return value == nullptr ? std::nullopt : std::optional(value->type);
}

std::optional<std::int64_t> GgufFile::integer(std::string_view key) const {
  const Value* value = valueOf(key);
  return value == nullptr ? std::nullopt : integerAt(value->type, value->bytes, 0);
}

std::optional<double> GgufFile::number(std::string_view key) const {
  const Value* value = valueOf(key);
  return value == nullptr ? std::nullopt : numberAt(value->type, value->bytes, 0);
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const Value* value = valueOf(key);
  if (value == nullptr || value->type != GgufType::kBool) return std::nullopt;
  return value->bytes[0] != 0;
}

std::optional<std::string_view> GgufFile::text(std::string_view key) const {
  const Value* value = valueOf(key);
  if (value == nullptr || value->type != GgufType::kText) return std::nullopt;
  return value->bytes;
}

std::optional<std::vector<std::string_view>> GgufFile::texts(std::string_view key) const {
  const Value* value = arrayOf(key);
  if (value == nullptr || value->item != GgufType::kText) return std::nullopt;
  std::vector<std::string_view> texts;
  std::string_view rest = value->bytes;
  while (!rest.empty()) {
    const auto size = at<std::uint64_t>(rest);
    texts.push_back(rest.substr(sizeof(size), size));
    rest.remove_prefix(sizeof(size) + size);
  }
  return texts;
}

std::optional<std::vector<std::int64_t>> GgufFile::integers(std::string_view key) const {
  const Value* value = arrayOf(key);
  if (value == nullptr || value->item == GgufType::kText) return std::nullopt;
  std::vector<std::int64_t> integers;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const std::optional<std::int64_t> one = integerAt(value->item, value->bytes, i);
    if (!one) return std::nullopt;
    integers.push_back(*one);
  }
  return integers;
}

std::optional<std::vector<double>> GgufFile::numbers(std::string_view key) const {
  const Value* value = arrayOf(key);
  if (value == nullptr || value->item == GgufType::kText) return std::nullopt;
  std::vector<double> numbers;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const std::optional<double> one = numberAt(value->item, value->bytes, i);
    if (!one) return std::nullopt;
    numbers.push_back(*one);
  }
  return numbers;
}

const StoredTensor* GgufFile::find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace spindle::weights
