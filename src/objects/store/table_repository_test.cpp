#include "objects/store/table_repository.h"

#include "objects/store/objects_for_test.h"
#include "objects/store/row_sorter.h"
#include "objects/store/table_reader.h"

namespace spindle::objects {
namespace {

class Tables : public ObjectsContract {
 protected:
  /// Returns the values of a query with their positions.
  std::string rowsOf(const std::string& digest, TableQuery query = {}) {
    TableReader reader(tables_, project_, digest, std::move(query));
    std::string text;
    while (true) {
      const Result<std::vector<TableRow>> rows = reader.next();
      EXPECT_TRUE(rows);
      if (!rows || rows->empty()) return text;
      for (const TableRow& row : *rows) text += std::to_string(row.index) + row.value + " ";
    }
  }
  static TableQuery sortedBy(const std::string& field, bool descending = false) {
    TableQuery query;
    query.order.push_back({*sortPath(field), descending});
    return query;
  }
  static std::string row(int number) { return "{\"n\":" + std::to_string(number) + "}"; }
};

TEST_P(Tables, StoreRowsInOrder) {
  const std::string digest = storeTable({R"({"a":1})", R"({"a":2})", R"({"a":1})"});
  EXPECT_EQ(rowsOf(digest), R"(0{"a":1} 1{"a":2} 2{"a":1} )");
  EXPECT_EQ(storeTable({R"({"a":1})", R"({"a":2})", R"({"a":1})"}), digest);
  const Result<std::vector<TableStats>> stats =
      tables_.stats(project_, {"unknown", digest, digest}, true);
  ASSERT_TRUE(stats);
  ASSERT_EQ(stats->size(), 2);
  EXPECT_EQ((*stats)[0].digest, digest);
  EXPECT_EQ((*stats)[0].count, 3);
  EXPECT_EQ((*stats)[0].size_bytes, 24);
  EXPECT_EQ(tables_.stats(project_, {digest}, false)->front().size_bytes, std::nullopt);
  // Rows are shared.
  EXPECT_EQ(*tables_.storageSize(project_), 16);
}

TEST_P(Tables, AreUnknownInOtherProjects) {
  const std::string digest = storeTable({R"({"a":1})"});
  EXPECT_TRUE(tables_.stats(other_, {digest}, false)->empty());
  EXPECT_TRUE(tables_.positionsFrom(other_, digest, 0)->at_end);
  EXPECT_TRUE(tables_.rowsAt(other_, {{0, valueDigest(R"({"a":1})").digest, 0}})->empty());
  EXPECT_EQ(codeOf(tables_.rowDigests(other_, digest)), ErrorCode::kNotFound);
  EXPECT_EQ(rowsOf("unknown"), "");
}

TEST_P(Tables, MayBeEmpty) {
  const std::string digest = storeTable({});
  EXPECT_EQ(rowsOf(digest), "");
  EXPECT_EQ(tables_.stats(project_, {digest}, true)->front().count, 0);
  EXPECT_EQ(tables_.stats(project_, {digest}, true)->front().size_bytes, 0);
  EXPECT_EQ(*tables_.rowDigests(project_, digest), Texts{});
}

TEST_P(Tables, OmitRowsUntilTheyAreStored) {
  const std::string known = valueDigest(R"({"a":1})").digest;
  const std::string late = valueDigest(R"({"a":2})").digest;
  const Texts digests = {late, known, late};
  ASSERT_TRUE(tables_.create(project_, tableDigest(digests), digests, {}));
  storeTable({R"({"a":1})"});
  EXPECT_EQ(rowsOf(tableDigest(digests)), R"(1{"a":1} )");
  storeTable({R"({"a":2})"});
  EXPECT_EQ(rowsOf(tableDigest(digests)), R"(0{"a":2} 1{"a":1} 2{"a":2} )");
  EXPECT_EQ(*tables_.rowDigests(project_, tableDigest(digests)), digests);
  const Texts odd = {"", "a", ""};
  ASSERT_TRUE(tables_.create(project_, tableDigest(odd), odd, {}));
  EXPECT_EQ(*tables_.rowDigests(project_, tableDigest(odd)), odd);
  EXPECT_EQ(codeOf(tables_.create(project_, "x", {"a\nb"}, {})), ErrorCode::kInvalidArgument);
}

TEST_P(Tables, AreReadAcrossChunks) {
  Texts values;
  for (int i = 0; i < 2500; ++i) values.push_back(row(i));
  const std::string digest = storeTable(values);
  TableQuery page;
  page.offset = 998;
  page.limit = 4;
  EXPECT_EQ(rowsOf(digest, page), R"(998{"n":998} 999{"n":999} 1000{"n":1000} 1001{"n":1001} )");
  page.offset = 2499;
  EXPECT_EQ(rowsOf(digest, page), R"(2499{"n":2499} )");
  page.offset = 2500;
  EXPECT_EQ(rowsOf(digest, page), "");
  page.offset = 0;
  page.limit = 0;
  EXPECT_EQ(rowsOf(digest, page), "");
  EXPECT_EQ(tables_.rowDigests(project_, digest)->size(), 2500);
  TableQuery some;
  some.row_digests = Texts{valueDigest(row(2400)).digest, valueDigest(row(7)).digest, "none"};
  EXPECT_EQ(rowsOf(digest, some), R"(7{"n":7} 2400{"n":2400} )");
  some.offset = 1;
  EXPECT_EQ(rowsOf(digest, some), R"(2400{"n":2400} )");
  some.row_digests = Texts{};
  EXPECT_EQ(rowsOf(digest, some), "");
  TableQuery last = sortedBy("n", true);
  last.limit = 2;
  last.offset = 1;
  EXPECT_EQ(rowsOf(digest, last), R"(2498{"n":2498} 2497{"n":2497} )");
  TableQuery all = sortedBy("n", true);
  all.row_digests = Texts{valueDigest(row(1)).digest, valueDigest(row(2)).digest};
  EXPECT_EQ(rowsOf(digest, all), R"(2{"n":2} 1{"n":1} )");
}

TEST_P(Tables, SortNumbersThenTextsThenMissingValues) {
  const std::string digest =
      storeTable({R"({"v":"b"})", R"({"v":10})", R"({"w":1})", R"({"v":"9"})", R"({"v":null})",
                  R"({"v":"a"})", R"({"v":2.5})", R"({"v":true})"});
  EXPECT_EQ(rowsOf(digest, sortedBy("v")),
            R"(6{"v":2.5} 3{"v":"9"} 1{"v":10} 5{"v":"a"} 0{"v":"b"} 7{"v":true} 2{"w":1} )"
            R"(4{"v":null} )");
  EXPECT_EQ(rowsOf(digest, sortedBy("v", true)),
            R"(1{"v":10} 3{"v":"9"} 6{"v":2.5} 7{"v":true} 0{"v":"b"} 5{"v":"a"} 2{"w":1} )"
            R"(4{"v":null} )");
}

TEST_P(Tables, SortByPathsAndSeveralFields) {
  const std::string digest =
      storeTable({R"({"a":{"b":[0,2]},"k.k":1,"g":"x"})", R"({"a":{"b":[0,1]},"k.k":3,"g":"y"})",
                  R"({"a":{"b":[0,1]},"k.k":2,"g":"x"})"});
  const auto order = [&](TableQuery query) {
    std::string positions;
    TableReader reader(tables_, project_, digest, std::move(query));
    const Result<std::vector<TableRow>> rows = reader.next();
    for (const TableRow& row : *rows) positions += std::to_string(row.index);
    return positions;
  };
  EXPECT_EQ(order(sortedBy("a.b.1")), "120");
  EXPECT_EQ(order(sortedBy("k\\.k", true)), "120");
  EXPECT_EQ(order(sortedBy("a.b.9")), "012");
  TableQuery two = sortedBy("g", true);
  two.order.push_back({{"k.k"}, true});
  EXPECT_EQ(order(two), "120");
}

SPINDLE_ON_BOTH_ENGINES(Tables);

TEST(RowSorter, ParsesPaths) {
  EXPECT_EQ(*sortPath("a"), Texts{"a"});
  EXPECT_EQ(*sortPath("a.b.0"), (Texts{"a", "b", "0"}));
  EXPECT_EQ(*sortPath("a\\.b.c"), (Texts{"a.b", "c"}));
  for (const std::string bad : {"", ".", "a.", ".a", "a..b"}) {
    const Result<Texts> refused = sortPath(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  }
}

TEST(RowSorter, ReturnsOnlyTheWantedRows) {
  RowSorter sorter({{{"n"}, true}}, 3);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    sorter.add({i, "d", 0, "{\"n\":" + std::to_string((i * 7919) % 10'000) + "}"});
  }
  const std::vector<RowPosition> positions = sorter.finish();
  ASSERT_EQ(positions.size(), 3);
  EXPECT_EQ((positions[0].index * 7919) % 10'000, 9999);
  EXPECT_EQ((positions[1].index * 7919) % 10'000, 9998);
  EXPECT_EQ((positions[2].index * 7919) % 10'000, 9997);
}

}  // namespace
}  // namespace spindle::objects
