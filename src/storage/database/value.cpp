#include "storage/database/value.h"

#include <array>
#include <cstddef>

namespace spindle::storage {
namespace {

/// Returns the length of the UTF-8 sequence at the front of the text, or 0 if it is invalid.
std::size_t sequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned char least =
      0x80;  // bounds of the second byte exclude overlong forms, surrogates, > 10FFFF
  unsigned char most = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) least = 0xA0;
    if (lead == 0xED) most = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) least = 0x90;
    if (lead == 0xF4) most = 0x8F;
  }
  if (length == 0 || text.size() < length) return 0;
  if (byte(1) < least || byte(1) > most) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

std::string_view unstorableReason(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return "the text contains a NUL character";
    if (byte < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = sequenceLength(text.substr(i));
    if (length == 0) return "the text is not valid UTF-8";
    i += length;
  }
  return {};
}

const Value& Row::at(int position) const {
  if (position < 0 || static_cast<std::size_t>(position) >= cells_.size()) {
    throw SqlError("no column " + std::to_string(position));
  }
  return cells_[static_cast<std::size_t>(position)];
}

const Value& Row::at(std::string_view name) const {
  for (std::size_t i = 0; i < columns_->size(); ++i) {
    if ((*columns_)[i] == name) return cells_[i];
  }
  throw SqlError("no column named " + std::string(name));
}

std::int64_t Row::integerOf(const Value& value) {
  if (const std::int64_t* number = value.asInteger()) return *number;
  throw SqlError("the column does not hold an integer");
}

double Row::realOf(const Value& value) {
  if (const double* number = value.asReal()) return *number;
  if (const std::int64_t* number = value.asInteger()) return static_cast<double>(*number);
  throw SqlError("the column does not hold a number");
}

const std::string& Row::textOf(const Value& value) {
  if (const std::string* text = value.asText()) return *text;
  throw SqlError("the column does not hold text");
}

}  // namespace spindle::storage
