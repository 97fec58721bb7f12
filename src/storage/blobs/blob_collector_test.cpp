#include "storage/blobs/blob_collector.h"

#include <array>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "storage/blobs/blob_name.h"
#include "storage/blobs/folder_blob_store.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::storage {
namespace {

using std::chrono::hours;

const std::vector<AreaSchema> collector_schema = {
    {"test",
     {{1, "names", "CREATE TABLE a (name TEXT PRIMARY KEY); CREATE TABLE b (content TEXT);"}}}};
const std::vector<BlobColumn> collector_columns = {{"a", "name"}, {"b", "content"}};
constexpr int kAll = 256;

class BlobCollectorTest : public ::testing::TestWithParam<Engine> {
 protected:
  void SetUp() override { database_->migrate(collector_schema, clock_.now()); }

  Sha256 put(const std::string& bytes) {
    const Result<Sha256> name = store_.put(bytes);
    EXPECT_TRUE(name);
    return name ? *name : Sha256{};
  }
  bool isThere(const Sha256& name) { return store_.size(name).has_value(); }

  FolderForTest folder_;
  FolderBlobStore store_{folder_.path() + "/files"};
  DatabaseForTest database_{GetParam()};
  // Blobs that are written now are two days old for the collector.
  ManualClock clock_{SystemClock().now() + hours(48)};
  BlobCollector collector_{*database_, store_, collector_columns, clock_, hours(24)};
};

TEST_P(BlobCollectorTest, KeepsBlobsWhenTheWallClockIsSetForward) {
  const SystemClock unadjusted;
  BlobCollector collector(*database_, store_, collector_columns, {clock_, unadjusted}, hours(24));
  const Sha256 name = put("fresh");
  EXPECT_EQ(*collector.collect(kAll), 0);
  EXPECT_TRUE(isThere(name));
}

TEST_P(BlobCollectorTest, ContinuesWithTheNextParts) {
  for (int i = 0; i < 60; ++i) put(std::to_string(i));
  std::int64_t removed = 0;
  for (int i = 0; i < kAll; i += 16) removed += *collector_.collect(16);
  EXPECT_EQ(removed, 60);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         BlobCollectorTest,
                         ::testing::Values(Engine::kSqlite, Engine::kPostgres),
                         [](const auto& engine) { return nameOfEngine(engine.param); });

TEST(BlobCollectorCrash, KeepsTheBytesOfEveryReferencedBlob) {
  const FolderForTest folder;
  DatabaseOptions options;
  options.path = folder.path() + "/spindle.db";
  const std::string files = folder.path() + "/files";
  MetricRegistry metrics;
  for (int round = 0; round < 8; ++round) {
    std::vector<Sha256> named;
    {
      const std::unique_ptr<Database> database = Database::open(options, metrics);
      database->migrate(collector_schema, Timestamp{});
      FolderBlobStore store(files);
      for (int i = 0; i < 60; ++i) {
        const Result<Sha256> name = store.put(std::to_string(round) + " " + std::to_string(i));
        ASSERT_TRUE(name);
        if (i % 2 == 0) continue;
        named.push_back(*name);
        ASSERT_TRUE(database->write([&](Session& session) {
          return session.execute("INSERT INTO a (name) VALUES (?)", {blobNameText(*name)});
        }));
      }
    }
    std::array<int, 2> channel{};
    ASSERT_EQ(::pipe(channel.data()), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      MetricRegistry own;
      const std::unique_ptr<Database> database = Database::open(options, own);
      FolderBlobStore store(files);
      const ManualClock clock(SystemClock().now() + hours(48));
      BlobCollector collector(*database, store, collector_columns, clock, hours(24));
      for (int prefix = 0; prefix < kAll; ++prefix) {
        const char mark = 'x';
        if (!collector.collect(1) || ::write(channel[1], &mark, 1) != 1) ::_exit(1);
      }
      ::_exit(0);
    }
    ::close(channel[1]);
    char mark = 0;
    for (int i = 0; ::read(channel[0], &mark, 1) == 1; ++i) {
      if (i == round * 25) ::kill(child, SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    ::close(channel[0]);
    const std::unique_ptr<Database> database = Database::open(options, metrics);
    FolderBlobStore store(files);
    for (const Sha256& name : named) EXPECT_TRUE(store.size(name));
    const ManualClock clock(SystemClock().now() + hours(48));
    EXPECT_TRUE(BlobCollector(*database, store, collector_columns, clock, hours(24)).collect(kAll));
    std::size_t left = 0;
    for (int prefix = 0; prefix < kAll; ++prefix) {
      left += store.list(static_cast<std::uint8_t>(prefix))->size();
    }
    EXPECT_EQ(left, 30U * static_cast<std::size_t>(round + 1));
  }
}

}  // namespace
}  // namespace spindle::storage
