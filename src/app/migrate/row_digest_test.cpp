#include "app/migrate/row_digest.h"

#include <gtest/gtest.h>

namespace spindle::app {
namespace {

columnar::Family notes() {
  return {.name = "notes",
          .columns = {{"id", columnar::ColumnType::kText}, {"n", columnar::ColumnType::kInteger}}};
}
columnar::Row note(const std::string& id, std::int64_t n) { return {id, n}; }

PartitionDigest digestOfRows(const std::vector<columnar::Row>& rows) {
  PartitionDigest digest;
  for (const columnar::Row& row : rows) digest.add(notes(), row);
  return digest;
}

TEST(RowDigest, OrderDoesNotMatter) {
  const PartitionDigest one = digestOfRows({note("a", 1), note("b", 2), note("c", 3)});
  const PartitionDigest other = digestOfRows({note("c", 3), note("a", 1), note("b", 2)});
  EXPECT_EQ(one.whole(), other.whole());
  EXPECT_EQ(one.whole().text(), other.whole().text());
  EXPECT_FALSE(one.firstDifference(other));
}

TEST(RowDigest, ContentAndNumberMatter) {
  const PartitionDigest one = digestOfRows({note("a", 1), note("b", 2)});
  EXPECT_NE(one.whole(), digestOfRows({note("a", 1), note("b", 3)}).whole());
  EXPECT_NE(one.whole(), digestOfRows({note("a", 1)}).whole());
  EXPECT_NE(one.whole(), digestOfRows({note("a", 1), note("b", 2), note("b", 2)}).whole());
  EXPECT_EQ(one.firstDifference(digestOfRows({note("a", 1), note("b", 3)})),
            PartitionDigest::partOf("b"));
}

TEST(RowDigest, DifferencesAreDescribed) {
  const RowsByKey from = {{"a", digestOf(note("a", 1))}, {"b", digestOf(note("b", 1))}};
  const RowsByKey to = {{"b", digestOf(note("b", 2))}, {"c", digestOf(note("c", 1))}};
  EXPECT_EQ(describeDifferences(from, to),
            (std::vector<std::string>{"a is missing in the target", "b is different",
                                      "c exists only in the target"}));
}

}  // namespace
}  // namespace spindle::app
