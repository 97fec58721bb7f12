#include "storage/database/value.h"

#include <cstddef>

#include "base/core/utf8.h"

namespace spindle::storage {

std::string_view unstorableReason(std::string_view text) {
  const std::size_t nul = text.find('\0');
  if (!isUtf8(text.substr(0, nul))) return "the text is not valid UTF-8";
  if (nul != std::string_view::npos) return "the text contains a NUL character";
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
