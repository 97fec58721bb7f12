#include "app/commands/table.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

TEST(TableTest, AlignsItsColumns) {
  const Table table{{"id", "last_used_at"}, {{"key_1", "-"}, {"k", "2024-05-01T10:00:00Z"}}};
  EXPECT_EQ(renderText(table), "ID     LAST USED AT\nkey_1  -\nk      2024-05-01T10:00:00Z\n");
}

TEST(TableTest, WritesAJsonObjectPerRow) {
  const Table table{{"id", "name"}, {{"1", "a\"b"}, {"2", "c"}}};
  EXPECT_EQ(renderJsonLines(table),
            "{\"id\":\"1\",\"name\":\"a\\\"b\"}\n{\"id\":\"2\",\"name\":\"c\"}\n");
}

TEST(TableTest, WritesBooleansAndNulls) {
  const Table table{{"admin", "email"},
                    {{Cell::boolean(true), std::optional<std::string>()},
                     {Cell::boolean(false), std::optional<std::string>("-")}}};
  EXPECT_EQ(renderText(table), "ADMIN  EMAIL\nyes    -\nno     -\n");
  EXPECT_EQ(renderJsonLines(table),
            "{\"admin\":true,\"email\":null}\n{\"admin\":false,\"email\":\"-\"}\n");
}

TEST(TableTest, WritesNumbers) {
  const Table table{{"price"}, {{Cell::number(2.5e-6)}, {Cell::number(1)}, {Cell::integer(7)}}};
  EXPECT_EQ(renderText(table), "PRICE\n2.5e-06\n1.0\n7\n");
  EXPECT_EQ(renderJsonLines(table), "{\"price\":2.5e-06}\n{\"price\":1.0}\n{\"price\":7}\n");
}

TEST(TableTest, EmptyTableHasNoText) { EXPECT_EQ(renderText({}), ""); }

}  // namespace
}  // namespace spindle::app
