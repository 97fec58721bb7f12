#include "clickhouse/rows/row_table.h"

#include <gtest/gtest.h>

namespace spindle::clickhouse {
namespace {

using columnar::ColumnType, columnar::Row, columnar::Value;
using Texts = std::vector<std::string>;

RowTable table() {
  RowTable table;
  table.family.columns = {{"id", ColumnType::kText},
                          {"size", ColumnType::kReal},
                          {"user", ColumnType::kText},
                          {"tags", ColumnType::kTexts},
                          {"open", ColumnType::kBoolean}};
  table.absent = {Absent::kEmpty, Absent::kEmpty, Absent::kNull, Absent::kEmptyIsNull,
                  Absent::kEmpty};
  return table;
}

TEST(RowTable, MissingValuesHaveOneForm) {
  Row row = {"a", Value(), Value(), Texts(), Value()};
  table().normalize(row);
  EXPECT_EQ(row, (Row{"a", 0.0, Value(), Value(), false}));
  row = {"a", 0.5, "", Value(), true};
  table().normalize(row);
  EXPECT_EQ(row, (Row{"a", 0.5, "", Value(), true}));
}

TEST(RowTable, OnlyNullableColumnsHaveAMark) {
  std::string bytes;
  table().putColumns(bytes, {"a", Value(), Value(), Texts{"x"}, true}, 1);
  EXPECT_EQ(bytes, std::string(8, '\0') + '\1' + "\1\1x" + '\1');
  bytes.clear();
  table().putColumns(bytes, {"a", Value(), "u", Value(), Value()}, 2);
  EXPECT_EQ(bytes, std::string("\0\1u\0\0", 5));
}

TEST(RowTable, DerivedColumnsAreComputed) {
  RowTable derived = table();
  derived.derive = [](const columnar::Family& /*family*/, Row& row) {
    row[1] = static_cast<double>(std::get<std::string>(row[0]).size());
  };
  Row row = {"abc", Value(), Value(), Value(), Value()};
  derived.normalize(row);
  EXPECT_EQ(std::get<double>(row[1]), 3.0);
}

}  // namespace
}  // namespace spindle::clickhouse
