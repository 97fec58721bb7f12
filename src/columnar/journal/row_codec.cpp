#include "columnar/journal/row_codec.h"

#include <bit>
#include <utility>
#include <variant>

namespace spindle::columnar {
namespace {

enum class Tag : std::uint8_t {
  kNull,
  kInteger,
  kReal,
  kFalse,
  kTrue,
  kTime,
  kText,
  kTexts,
};

void putTag(std::string& out, Tag tag) { out += static_cast<char>(tag); }

/// Zigzag encoding: small numbers of either sign become small unsigned numbers.
std::uint64_t folded(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1U) ^ static_cast<std::uint64_t>(number >> 63U);
}

std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
}

struct Encoder {
  std::string& out;

  void operator()(std::monostate) const { putTag(out, Tag::kNull); }
  void operator()(std::int64_t number) const {
    putTag(out, Tag::kInteger);
    putNumber(out, folded(number));
  }
  void operator()(double number) const {
    putTag(out, Tag::kReal);
    auto bits = std::bit_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8U) out += static_cast<char>(bits & 0xFFU);
  }
  void operator()(bool truth) const { putTag(out, truth ? Tag::kTrue : Tag::kFalse); }
  void operator()(Timestamp time) const {
    putTag(out, Tag::kTime);
    putNumber(out, folded(microsOf(time)));
  }
  void operator()(const std::string& text) const {
    putTag(out, Tag::kText);
    putText(out, text);
  }
  void operator()(const std::vector<std::string>& texts) const {
    putTag(out, Tag::kTexts);
    putNumber(out, texts.size());
    for (const std::string& text : texts) putText(out, text);
  }
};

/// Returns the number of bytes that putNumber() appends.
std::size_t numberBytes(std::uint64_t number) {
  std::size_t bytes = 1;
  for (; number >= 0x80U; number >>= 7U) ++bytes;
  return bytes;
}

std::size_t textBytes(const std::string& text) { return numberBytes(text.size()) + text.size(); }

/// Returns the number of bytes that Encoder appends after the tag.
struct Size {
  std::size_t operator()(std::monostate) const { return 0; }
  std::size_t operator()(bool /*truth*/) const { return 0; }
  std::size_t operator()(std::int64_t number) const { return numberBytes(folded(number)); }
  std::size_t operator()(double /*number*/) const { return sizeof(std::uint64_t); }
  std::size_t operator()(Timestamp time) const { return numberBytes(folded(microsOf(time))); }
  std::size_t operator()(const std::string& text) const { return textBytes(text); }
  std::size_t operator()(const std::vector<std::string>& texts) const {
    std::size_t bytes = numberBytes(texts.size());
    for (const std::string& text : texts) bytes += textBytes(text);
    return bytes;
  }
};

double readReal(ByteReader& in) {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= static_cast<std::uint64_t>(in.byte()) << (8 * i);
  return std::bit_cast<double>(bits);
}

std::vector<std::string> readTexts(ByteReader& in) {
  std::vector<std::string> texts;
  for (std::uint64_t left = in.number(); left > 0 && in.ok(); --left) {
    texts.emplace_back(in.text());
  }
  return texts;
}

std::optional<Value> readValue(ByteReader& in) {
  switch (static_cast<Tag>(in.byte())) {
    case Tag::kNull:
      return Value();
    case Tag::kInteger:
      return Value(unfolded(in.number()));
    case Tag::kReal:
      return Value(readReal(in));
    case Tag::kFalse:
      return Value(false);
    case Tag::kTrue:
      return Value(true);
    case Tag::kTime:
      return Value(timestampOfMicros(unfolded(in.number())));
    case Tag::kText:
      return Value(std::string(in.text()));
    case Tag::kTexts:
      return Value(readTexts(in));
  }
  return std::nullopt;
}

bool fits(const Value& value, ColumnType type) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  switch (type) {
    case ColumnType::kText:
      return std::holds_alternative<std::string>(value);
    case ColumnType::kInteger:
      return std::holds_alternative<std::int64_t>(value);
    case ColumnType::kReal:
      return std::holds_alternative<double>(value);
    case ColumnType::kBoolean:
      return std::holds_alternative<bool>(value);
    case ColumnType::kTime:
      return std::holds_alternative<Timestamp>(value);
    case ColumnType::kTexts:
      return std::holds_alternative<std::vector<std::string>>(value);
  }
  return false;
}

}  // namespace

void putNumber(std::string& out, std::uint64_t number) {
  while (number >= 0x80U) {
    out += static_cast<char>((number & 0x7FU) | 0x80U);
    number >>= 7U;
  }
  out += static_cast<char>(number);
}

void putText(std::string& out, std::string_view text) {
  putNumber(out, text.size());
  out += text;
}

std::uint8_t ByteReader::byte() {
  const std::string_view one = raw(1);
  return one.empty() ? 0 : static_cast<std::uint8_t>(one.front());
}

std::uint64_t ByteReader::number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    number |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    if ((next & 0x80U) == 0) return number;
  }
  ok_ = false;
  return 0;
}

std::string_view ByteReader::text() { return raw(number()); }

std::string_view ByteReader::raw(std::size_t count) {
  if (!ok_ || count > bytes_.size()) {
    ok_ = false;
    bytes_ = {};
    return {};
  }
  const std::string_view taken = bytes_.substr(0, count);
  bytes_.remove_prefix(count);
  return taken;
}

bool isRowOf(const Family& family, const Row& row) {
  if (row.size() != family.columns.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!fits(row[i], family.columns[i].type)) return false;
  }
  return std::holds_alternative<std::string>(row[family.key]);
}

std::size_t encodedBytes(const Row& row) {
  std::size_t bytes = numberBytes(row.size()) + row.size();  // one tag per value
  for (const Value& value : row) bytes += std::visit(Size{}, value);
  return bytes;
}

void encodeRow(const Row& row, std::string& out) {
  putNumber(out, row.size());
  for (const Value& value : row) std::visit(Encoder{out}, value);
}

std::optional<Row> decodeRow(std::string_view bytes, std::size_t columns) {
  ByteReader in(bytes);
  const std::uint64_t count = in.number();
  if (!in.ok() || count > columns) return std::nullopt;
  Row row;
  row.reserve(columns);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::optional<Value> value = readValue(in);
    if (!value || !in.ok()) return std::nullopt;
    row.push_back(*std::move(value));
  }
  if (!in.atEnd()) return std::nullopt;
  row.resize(columns);
  return row;
}

}  // namespace spindle::columnar
