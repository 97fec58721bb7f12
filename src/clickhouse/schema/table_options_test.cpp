#include "clickhouse/schema/table_options.h"

#include <gtest/gtest.h>

namespace spindle::clickhouse {
namespace {

TEST(TableOptions, OneServerSyncsItsParts) {
  const TableOptions options;
  EXPECT_EQ(onCluster(options).text(), "");
  EXPECT_EQ(tableEngine(options, "ReplacingMergeTree", "version").text(),
            "ENGINE = ReplacingMergeTree(version)");
  EXPECT_NE(tableSettings(options).text().find("fsync_after_insert = 1"), std::string::npos);
}

TEST(TableOptions, ReplicasAreCreatedOnTheCluster) {
  const TableOptions options{true, "main"};
  EXPECT_EQ(onCluster(options).text(), " ON CLUSTER \"main\"");
  EXPECT_EQ(tableEngine(options, "ReplacingMergeTree", "version").text(),
            "ENGINE = ReplicatedReplacingMergeTree(version)");
  EXPECT_EQ(tableSettings(options).text(), "replicated_deduplication_window = 10000");
}

TEST(TableOptions, RefusesAClusterThatIsNotAName) {
  EXPECT_TRUE(checkTableOptions({false, ""}));
  EXPECT_TRUE(checkTableOptions({true, "main_2"}));
  EXPECT_FALSE(checkTableOptions({true, "main\" x"}));
}

}  // namespace
}  // namespace spindle::clickhouse
