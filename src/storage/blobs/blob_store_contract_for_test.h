#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "storage/blobs/blob_collector.h"
#include "storage/blobs/blob_name.h"
#include "storage/blobs/blob_store.h"
#include "storage/blobs/referenced_blob.h"
#include "storage/database/database.h"

namespace spindle::storage {

/// An empty store of one implementation of BlobStore, with everything that it needs.
class BlobStoreForContract {
 public:
  virtual ~BlobStoreForContract() = default;

  virtual BlobStore& store() = 0;
  /// Returns the database of the collector; its tables are those of contractSchema().
  virtual Database& database() = 0;
  /// Replaces the stored bytes of a blob without its store, and drops copies in caches.
  virtual void overwrite(const Sha256& name, const std::string& bytes) = 0;
  /// Makes a blob look as if it was put that long ago.
  virtual void makeOld(const Sha256& name, std::chrono::hours age) = 0;
};

/// Returns the tables whose rows name blobs in the tests.
inline AreaSchema contractSchema() {
  return {"contract",
          {{1, "names", "CREATE TABLE a (name TEXT PRIMARY KEY); CREATE TABLE b (content TEXT);"}}};
}

/// The fixture of the tests that every implementation of BlobStore must pass. The test program of
/// an implementation includes this header in one file and instantiates the suite with functions
/// that open an empty store.
class BlobStoreContract
    : public ::testing::TestWithParam<std::function<std::unique_ptr<BlobStoreForContract>()>> {
 protected:
  using hours = std::chrono::hours;
  static constexpr int kAllParts = 256;
  static constexpr std::uint64_t kLargeSize = 12UL << 20;

  static void SetUpTestSuite() { configureLogging(LogLevel::kError, LogFormat::kText); }
  static void TearDownTestSuite() { configureLogging(LogLevel::kInfo, LogFormat::kText); }

  BlobStore& store() { return opened_->store(); }

  Sha256 put(const std::string& bytes) {
    const Result<Sha256> name = store().put(bytes);
    EXPECT_TRUE(name) << (name ? "" : name.error().message());
    return name ? *name : Sha256{};
  }
  bool isThere(const Sha256& name) { return store().size(name).has_value(); }
  std::string contentOf(const Sha256& name) {
    const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
    if (!reader) return {};
    Result<std::string> bytes = (*reader)->read(0, (*reader)->size());
    EXPECT_TRUE(bytes);
    return bytes ? *std::move(bytes) : std::string();
  }
  std::size_t count() {
    std::size_t blobs = 0;
    for (int byte = 0; byte < kAllParts; ++byte) {
      const auto listed = store().list(static_cast<std::uint8_t>(byte));
      EXPECT_TRUE(listed);
      if (listed) blobs += listed->size();
    }
    return blobs;
  }

  static std::string largeContent() {
    std::string bytes;
    bytes.reserve(kLargeSize);
    for (int i = 0; i < 12; ++i) bytes.append(1UL << 20, static_cast<char>('a' + i));
    return bytes;
  }
  Sha256 putLarge() {
    const std::string bytes = largeContent();
    Result<std::unique_ptr<BlobWriter>> writer = store().write();
    for (std::size_t at = 0; at < bytes.size(); at += 1UL << 20) {
      EXPECT_TRUE((*writer)->append(std::string_view(bytes).substr(at, 1UL << 20)));
    }
    return *(*writer)->finish();
  }
  /// Changes one byte.
  void flip(const Sha256& name, std::string bytes, std::size_t at) {
    bytes[at] = '\x01';
    opened_->overwrite(name, bytes);
  }
  static void expectDamaged(const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUpstream) << error.message();
    EXPECT_EQ(error.reason(), "content_damaged");
  }
  /// Reads in sequence as a response does. @return the bytes that came before the error.
  std::uint64_t readBeforeError(const Sha256& name) {
    const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
    EXPECT_TRUE(reader);
    if (!reader) return 0;
    std::uint64_t at = 0;
    while (at < (*reader)->size()) {
      const Result<std::string> piece = (*reader)->read(at, 512UL * 1024);
      if (!piece) {
        expectDamaged(piece.error());
        return at;
      }
      at += piece->size();
    }
    return at;
  }

  void refer(SqlView sql, const Sha256& name) {
    EXPECT_TRUE(database().write(
        [&](Session& session) { return session.execute(sql, {blobNameText(name)}); }));
  }
  bool eraseIfOlder(const Sha256& name, Timestamp before) {
    const Result<bool> erased = database().write(
        [&](Session& session) { return store().eraseIfOlder(session, name, before); });
    EXPECT_TRUE(erased) << (erased ? "" : erased.error().message());
    EXPECT_TRUE(store().finishErasing(name[0]));
    return erased && *erased;
  }
  Database& database() { return opened_->database(); }
  BlobCollector collector(hours grace = hours(24)) {
    return {database(), store(), {{"a", "name"}, {"b", "content"}}, clock_, grace};
  }

  // Blobs that are written now are two days old for the collector.
  ManualClock clock_{SystemClock().now() + hours(48)};
  const std::unique_ptr<BlobStoreForContract> opened_ = GetParam()();
};

// NOLINTBEGIN(misc-definitions-in-headers): a test program includes this header in one file.

TEST_P(BlobStoreContract, ReadsStoredBytes) {
  const std::string bytes("\0hello\xff\n", 8);
  const Sha256 name = put(bytes);
  EXPECT_EQ(name, sha256(bytes));
  EXPECT_EQ(contentOf(name), bytes);
  EXPECT_EQ(*store().size(name), bytes.size());
}

TEST_P(BlobStoreContract, StoresEmptyContent) {
  const Sha256 name = put("");
  EXPECT_EQ(contentOf(name), "");
  EXPECT_EQ(*store().size(name), 0);
}

TEST_P(BlobStoreContract, StoresEqualBytesOnce) {
  put("x");
  put("x");
  put("");
  EXPECT_EQ(count(), 2);
}

TEST_P(BlobStoreContract, ReportsUnknownBlobsAsNotFound) {
  const Sha256 name = sha256("nothing");
  EXPECT_EQ(store().open(name).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store().size(name).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(store().erase(name));
  EXPECT_FALSE(eraseIfOlder(name, clock_.now()));
}

TEST_P(BlobStoreContract, ErasesBlobs) {
  const Sha256 name = put("x");
  const Result<std::unique_ptr<BlobReader>> open_before = store().open(name);
  ASSERT_TRUE(open_before);
  ASSERT_TRUE(store().erase(name));
  EXPECT_FALSE(store().open(name));
  EXPECT_EQ(*(*open_before)->read(0, 10), "x");
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(contentOf(put("x")), "x");
}

TEST_P(BlobStoreContract, WritesAndReadsLargeContentInChunks) {
  const std::string piece(100'000, 'p');
  Sha256Stream hash;
  Result<std::unique_ptr<BlobWriter>> writer = store().write();
  ASSERT_TRUE(writer);
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE((*writer)->append(piece));
    hash.add(piece);
  }
  const Result<Sha256> name = (*writer)->finish();
  ASSERT_TRUE(name);
  EXPECT_EQ(*name, hash.finish());
  const Result<std::unique_ptr<BlobReader>> reader = store().open(*name);
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->size(), 3'000'000);
  EXPECT_EQ(*(*reader)->read(2'999'990, 100), std::string(10, 'p'));
  EXPECT_EQ(*(*reader)->read(3'000'000, 100), "");
  EXPECT_EQ(*(*reader)->read(9'000'000, 100), "");
}

TEST_P(BlobStoreContract, AbandonedWriterStoresNothing) {
  {
    Result<std::unique_ptr<BlobWriter>> writer = store().write();
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->append("half"));
  }
  EXPECT_EQ(count(), 0);
  EXPECT_FALSE(isThere(sha256("half")));
}

TEST_P(BlobStoreContract, StoresTheSameContentFromManyThreads) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 10; ++i) EXPECT_TRUE(store().put("content " + std::to_string(i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count(), 10);
  EXPECT_EQ(contentOf(sha256("content 7")), "content 7");
}

TEST_P(BlobStoreContract, DamagedSmallContentFailsToOpen) {
  const Sha256 name = put("some content");
  EXPECT_EQ(contentOf(name), "some content");
  flip(name, "some content", 3);
  const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
  ASSERT_FALSE(reader);
  expectDamaged(reader.error());
}

TEST_P(BlobStoreContract, TruncatedContentFails) {
  const Sha256 name = put("some content");
  for (const std::size_t size : {11U, 1U, 0U}) {
    opened_->overwrite(name, std::string("some content").substr(0, size));
    const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
    ASSERT_FALSE(reader);
    expectDamaged(reader.error());
  }
}

TEST_P(BlobStoreContract, DamagedLargeContentFailsBeforeItsEnd) {
  const Sha256 name = putLarge();
  flip(name, largeContent(), 100);
  EXPECT_LT(readBeforeError(name), kLargeSize);
}

TEST_P(BlobStoreContract, RangesOfDamagedLargeContentFail) {
  const Sha256 name = putLarge();
  flip(name, largeContent(), 100);
  const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
  ASSERT_TRUE(reader);
  const Result<std::string> part = (*reader)->read(kLargeSize / 2, 1000);
  ASSERT_FALSE(part);
  expectDamaged(part.error());
  EXPECT_FALSE((*reader)->check());
}

TEST_P(BlobStoreContract, UndamagedLargeContentIsReadInAnyOrder) {
  const Sha256 name = putLarge();
  EXPECT_EQ(readBeforeError(name), kLargeSize);
  opened_->overwrite(name, largeContent());
  EXPECT_EQ(readBeforeError(name), kLargeSize);
  const Result<std::unique_ptr<BlobReader>> reader = store().open(name);
  EXPECT_EQ(*(*reader)->read(kLargeSize - 3, 10), "lll");
  EXPECT_EQ(*(*reader)->read(0, 3), "aaa");
  EXPECT_TRUE((*reader)->check());
}

TEST_P(BlobStoreContract, DamagedCopyIsReplacedWhenItsContentIsPutAgain) {
  const Sha256 name = put("some content");
  flip(name, "some content", 3);
  EXPECT_EQ(put("some content"), name);
  EXPECT_EQ(contentOf(name), "some content");
  opened_->overwrite(name, "some");
  EXPECT_EQ(put("some content"), name);
  EXPECT_EQ(contentOf(name), "some content");
}

TEST_P(BlobStoreContract, MissingReferencedBlobIsAnError) {
  const Result<std::unique_ptr<BlobReader>> reader =
      openReferenced(store(), blobNameText(sha256("nothing")));
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error().code(), ErrorCode::kUpstream);
  EXPECT_EQ(reader.error().reason(), "content_missing");
  EXPECT_EQ(openReferenced(store(), "not a name").error().code(), ErrorCode::kUpstream);
}

TEST_P(BlobStoreContract, ListsBlobsByTheirFirstByte) {
  const Sha256 name = put("listed");
  const Result<std::vector<StoredBlob>> listed = store().list(name[0]);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name, name);
  EXPECT_LT(listed->front().last_put_at, SystemClock().now() + std::chrono::seconds(1));
  EXPECT_GT(listed->front().last_put_at, SystemClock().now() - std::chrono::minutes(2));
  EXPECT_TRUE(store().list(static_cast<std::uint8_t>(name[0] + 1))->empty());
}

TEST_P(BlobStoreContract, KeepsBlobsThatArePutAgain) {
  const Sha256 name = put("again");
  opened_->makeOld(name, hours(72));
  EXPECT_LT(store().list(name[0])->front().last_put_at, SystemClock().now() - hours(71));
  put("again");
  const Timestamp yesterday = SystemClock().now() - hours(24);
  EXPECT_GT(store().list(name[0])->front().last_put_at, yesterday);
  EXPECT_FALSE(eraseIfOlder(name, yesterday));
  EXPECT_TRUE(isThere(name));
  EXPECT_TRUE(eraseIfOlder(name, clock_.now()));
  EXPECT_FALSE(isThere(name));
  EXPECT_FALSE(eraseIfOlder(name, clock_.now()));
}

TEST_P(BlobStoreContract, CollectorDeletesUnreferencedBlobs) {
  const Sha256 first = put("first");
  const Sha256 second = put("second");
  const Sha256 unreferenced = put("nobody's");
  refer("INSERT INTO a (name) VALUES (?)", first);
  refer("INSERT INTO b (content) VALUES (?)", second);
  BlobCollector collects = collector();
  EXPECT_EQ(*collects.collect(kAllParts), 1);
  EXPECT_TRUE(isThere(first));
  EXPECT_TRUE(isThere(second));
  EXPECT_FALSE(isThere(unreferenced));
  refer("DELETE FROM a WHERE name = ?", first);
  EXPECT_EQ(*collects.collect(kAllParts), 1);
  EXPECT_FALSE(isThere(first));
  EXPECT_EQ(*collects.collect(kAllParts), 0);
}

TEST_P(BlobStoreContract, CollectorKeepsBlobsWithinTheGracePeriod) {
  const Sha256 name = put("fresh");
  EXPECT_EQ(*collector(hours(72)).collect(kAllParts), 0);
  EXPECT_TRUE(isThere(name));
}

TEST_P(BlobStoreContract, CollectorRunsConcurrentlyWithWriters) {
  std::vector<Sha256> named;
  for (int i = 0; i < 20; ++i) {
    named.push_back(put("kept " + std::to_string(i)));
    refer("INSERT INTO a (name) VALUES (?)", named.back());
  }
  std::atomic<bool> done = false;
  std::thread other([&] {
    BlobCollector collects = collector();
    while (!done) EXPECT_TRUE(collects.collect(kAllParts));
  });
  for (int i = 0; i < 20; ++i) put("kept " + std::to_string(i));
  done = true;
  other.join();
  for (const Sha256& name : named) EXPECT_TRUE(isThere(name));
}

// NOLINTEND(misc-definitions-in-headers)

}  // namespace spindle::storage
