#include "clickhouse/rows/row_value.h"

#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "clickhouse/client/row_binary.h"

namespace spindle::clickhouse {
namespace {

using columnar::ColumnType, columnar::Value;

template <class T>
const T& valueOr(const Value& value, const T& missing) {
  const T* found = std::get_if<T>(&value);
  return found == nullptr ? missing : *found;
}

}  // namespace

void putValue(std::string& out, ColumnType type, const Value& value) {
  static const std::string kNoText;
  static const std::vector<std::string> kNoTexts;
  switch (type) {
    case ColumnType::kText:
      return putText(out, valueOr(value, kNoText));
    case ColumnType::kInteger:
      return putInteger(out, valueOr(value, std::int64_t{0}));
    case ColumnType::kReal:
      return putReal(out, valueOr(value, 0.0));
    case ColumnType::kBoolean:
      return putInteger(out, static_cast<std::uint8_t>(valueOr(value, false)));
    case ColumnType::kTime:
      return putTime(out, valueOr(value, Timestamp()));
    case ColumnType::kTexts:
      return putTexts(out, valueOr(value, kNoTexts));
  }
}

Value emptyValue(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return std::string();
    case ColumnType::kInteger:
      return std::int64_t{0};
    case ColumnType::kReal:
      return 0.0;
    case ColumnType::kBoolean:
      return false;
    case ColumnType::kTime:
      return Timestamp();
    case ColumnType::kTexts:
      return std::vector<std::string>();
  }
  return {};
}

bool isEmpty(const Value& value) {
  return std::visit([](const auto& each) { return each == std::decay_t<decltype(each)>(); }, value);
}

}  // namespace spindle::clickhouse
