#include "s3/blobs/s3_blob_store.h"

#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/core/log.h"
#include "base/core/mutex.h"
#include "s3/blobs/s3_stores_for_test.h"

namespace spindle::s3 {
namespace {

using Kind = FakeS3::Fault::Kind;
using std::chrono::hours, std::chrono::minutes;

class S3Blobs : public ::testing::Test {
 protected:
  S3Blobs() {
    configureLogging(LogLevel::kError, LogFormat::kText);
    setLogSinkForTest([this](std::string_view line) {
      const MutexLock lock(log_mutex_);
      log_ += std::string(line) + "\n";
    });
    database_->migrate({s3Schema()}, clock_.now());
    options_ = fakeOptions(server_, folder_.path());
    node_.emplace(options_, *database_, clock_);
    S3BlobOptions second = options_;
    second.cache_folder = folder_.path() + "/cache2";
    other_.emplace(second, *database_, clock_);
  }
  ~S3Blobs() override {
    setLogSinkForTest({});
    configureLogging(LogLevel::kInfo, LogFormat::kText);
  }

  std::string keyOf(const Sha256& name) const { return keyInBucket(options_, name); }
  std::string log() {
    const MutexLock lock(log_mutex_);
    return log_;
  }
  static std::string contentOf(S3BlobStore& store, const Sha256& name) {
    const auto reader = store.open(name);
    return reader ? *(*reader)->read(0, (*reader)->size()) : reader.error().message();
  }
  /// Applies a fault to the first `times` requests with this method.
  void fail(std::string method, int times, FakeS3::Fault fault) {
    left_ = times;
    server_.setScript([this, method = std::move(method), fault](const FakeS3::Request& request) {
      return request.method == method && left_-- > 0 ? fault : FakeS3::Fault();
    });
  }
  /// Marks a blob as the collector of a node does, without deleting it.
  bool mark(S3BlobStore& store, const Sha256& name) {
    return *database_->write([&](storage::Session& session) {
      return store.eraseIfOlder(session, name, clock_.now() + hours(1));
    });
  }
  static Result<Sha256> putLarge(S3BlobStore& store) {
    std::unique_ptr<storage::BlobWriter> writer = TRY(store.write());
    for (int i = 0; i < 65; ++i) {
      TRY(writer->append(std::string(1UL << 20, static_cast<char>('0' + i))));
    }
    return writer->finish();
  }

  Mutex log_mutex_;
  std::string log_ SPINDLE_GUARDED_BY(log_mutex_);
  ManualClock clock_{SystemClock().now()};
  FolderForTest folder_;
  FakeS3 server_;
  std::atomic<int> left_ = 0;
  storage::DatabaseForTest database_{storage::Engine::kSqlite};
  S3BlobOptions options_;
  std::optional<S3BlobStore> node_;
  std::optional<S3BlobStore> other_;
};

TEST_F(S3Blobs, AreReadByOtherNodes) {
  const Sha256 name = *node_->put("content");
  EXPECT_EQ(server_.keys("pre/blobs/"), std::vector<std::string>{keyOf(name)});
  EXPECT_EQ(contentOf(*other_, name), "content");
}

TEST_F(S3Blobs, AreReadFromTheCache) {
  const Sha256 name = *node_->put("content");
  EXPECT_EQ(contentOf(*node_, name), "content");
  const int requests = server_.count("GET");
  EXPECT_EQ(contentOf(*node_, name), "content");
  EXPECT_EQ(server_.count("GET"), requests);
}

TEST_F(S3Blobs, AreNotSentTwice) {
  ASSERT_TRUE(node_->put("content"));
  const int requests = server_.count("PUT");
  ASSERT_TRUE(other_->put("content"));
  EXPECT_EQ(server_.count("PUT"), requests);
}

TEST_F(S3Blobs, AreComparedOnServersWithoutChecksums) {
  server_.hideChecksums();
  const Sha256 name = *node_->put("content");
  const int requests = server_.count("PUT");
  ASSERT_TRUE(other_->put("content"));
  EXPECT_EQ(server_.count("PUT"), requests);
  server_.store(keyOf(name), "c0ntent");
  ASSERT_TRUE(other_->put("content"));
  EXPECT_EQ(server_.contentOf(keyOf(name)), "content");
}

TEST_F(S3Blobs, SurviveTransientFaults) {
  for (const Kind kind : {Kind::kStatus, Kind::kCutBefore, Kind::kCutAfter}) {
    const std::string content = "content " + std::to_string(static_cast<int>(kind));
    fail("PUT", 2, {kind});
    const Result<Sha256> name = node_->put(content);
    ASSERT_TRUE(name);
    fail("GET", 1, {Kind::kCutBody});
    EXPECT_EQ(contentOf(*node_, *name), content);
  }
}

TEST_F(S3Blobs, FailWithoutDetailsForClients) {
  fail("PUT", 100, {Kind::kStatus, 403, "AccessDenied"});
  const Result<Sha256> name = node_->put("content");
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(name.error().message(), "Files cannot be reached right now.");
  EXPECT_NE(log().find("s3_denied"), std::string::npos);
  EXPECT_EQ(log().find("hidden"), std::string::npos);
  fail("PUT", 100, {Kind::kStatus, 507, "QuotaExceeded"});
  EXPECT_EQ(node_->put("content").error().code(), ErrorCode::kStorageFull);
  fail("PUT", 0, {});
  EXPECT_TRUE(node_->put("content"));
}

TEST_F(S3Blobs, OfChangedResponsesAreDamaged) {
  const Sha256 name = *node_->put("content");
  fail("GET", 1, {Kind::kFlipBody});
  EXPECT_EQ(other_->open(name).error().reason(), "content_damaged");
  EXPECT_EQ(contentOf(*other_, name), "content");
}

TEST_F(S3Blobs, OfLargeContentAreUploadedInParts) {
  const Result<Sha256> name = putLarge(*node_);
  ASSERT_TRUE(name) << name.error().message();
  EXPECT_EQ(server_.contentOf(keyOf(*name)).size(), 65UL << 20);
  EXPECT_EQ(server_.count("PUT", "partNumber"), 2);
  EXPECT_EQ(server_.uploads(), 0U);
  ASSERT_TRUE(putLarge(*other_));
  EXPECT_EQ(server_.count("PUT", "partNumber"), 2);
  S3BlobOptions third = options_;
  third.cache_folder = folder_.path() + "/cache3";
  third.cache_limit = 1UL << 20;
  S3BlobStore reads(third, *database_, clock_);
  const auto reader = reads.open(*name);
  ASSERT_TRUE(reader);
  EXPECT_EQ(*(*reader)->read((64UL << 20) - 1, 3), "opp");
}

TEST_F(S3Blobs, OfLargeContentAreUploadedAgainAfterALostPart) {
  fail("POST", 2, {Kind::kForgetParts});  // the first is the begin of the upload
  const Result<Sha256> name = putLarge(*node_);
  ASSERT_TRUE(name) << name.error().message();
  EXPECT_EQ(server_.count("PUT", "partNumber"), 4);
  EXPECT_EQ(server_.uploads(), 0U);
}

TEST_F(S3Blobs, OfFailedUploadsLeaveNoParts) {
  fail("POST", 100, {Kind::kForgetParts});
  EXPECT_FALSE(putLarge(*node_));
  EXPECT_NE(log().find("s3_lost_part"), std::string::npos);
  EXPECT_EQ(server_.uploads(), 0U);
  EXPECT_TRUE(server_.keys("pre/blobs/").empty());
  fail("PUT", 100, {Kind::kStatus, 403, "AccessDenied"});
  EXPECT_FALSE(putLarge(*node_));
  EXPECT_EQ(server_.uploads(), 0U);
}

TEST_F(S3Blobs, OfCompletedUploadsAreFoundAfterALostResponse) {
  server_.setScript([this](const FakeS3::Request& request) {
    const bool completes = request.method == "POST" && request.query.starts_with("uploadId");
    return completes && left_++ == 0 ? FakeS3::Fault{Kind::kCutAfter} : FakeS3::Fault();
  });
  EXPECT_TRUE(putLarge(*node_));
  EXPECT_EQ(server_.count("PUT", "partNumber"), 2);
}

TEST_F(S3Blobs, ArePutAgainAfterADeletionThatRuns) {
  const Sha256 name = *node_->put("content");
  clock_.advance(hours(1));
  ASSERT_TRUE(mark(*node_, name));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    EXPECT_TRUE(other_->put("content"));
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_FALSE(done);
  EXPECT_TRUE(node_->finishErasing(name[0]));
  writer.join();
  EXPECT_EQ(server_.contentOf(keyOf(name)), "content");
  EXPECT_EQ(node_->list(name[0])->size(), 1U);
}

TEST_F(S3Blobs, ArePutAgainWhenTheirCollectorDied) {
  const Sha256 name = *node_->put("content");
  clock_.advance(hours(1));
  ASSERT_TRUE(mark(*node_, name));
  server_.remove(keyOf(name));
  node_.reset();
  clock_.advance(BlobRows::kTakeover + minutes(1));
  ASSERT_TRUE(other_->put("content"));
  EXPECT_EQ(server_.contentOf(keyOf(name)), "content");
}

TEST_F(S3Blobs, AreDeletedWhenTheirCollectorDied) {
  const Sha256 name = *node_->put("content");
  clock_.advance(hours(1));
  ASSERT_TRUE(mark(*node_, name));
  node_.reset();
  EXPECT_TRUE(other_->finishErasing(name[0]));
  EXPECT_FALSE(server_.keys("pre/blobs/").empty());
  clock_.advance(BlobRows::kTakeover + minutes(1));
  EXPECT_TRUE(other_->finishErasing(name[0]));
  EXPECT_TRUE(server_.keys("pre/blobs/").empty());
}

TEST_F(S3Blobs, WithoutARowAreAdopted) {
  const Sha256 name = sha256("left over");
  for (int i = 0; i < 10; ++i) server_.store(keyOf(name) + std::to_string(i), "not a name");
  server_.store(keyOf(name), "left over");
  const auto listed = node_->list(name[0]);
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name, name);
  clock_.advance(hours(2));
  EXPECT_TRUE(mark(*node_, name));
  EXPECT_TRUE(node_->finishErasing(name[0]));
  EXPECT_EQ(server_.keys("pre/blobs/").size(), 10U);
}

TEST_F(S3Blobs, UploadsOfDeadNodesAreRemoved) {
  const Sha256 name = sha256("upload");
  S3Client client(options_.bucket, clock_);
  ASSERT_TRUE(client.beginUpload(keyOf(name)));
  ASSERT_TRUE(node_->list(name[0]));
  EXPECT_EQ(server_.uploads(), 1U);
  server_.makeUploadsOld(S3BlobStore::kUploadLimit + hours(1));
  ASSERT_TRUE(node_->list(name[0]));
  EXPECT_EQ(server_.uploads(), 1U);
  clock_.advance(S3BlobStore::kComparisonInterval);
  ASSERT_TRUE(other_->list(name[0]));
  EXPECT_EQ(server_.uploads(), 0U);
}

TEST_F(S3Blobs, RowsAndObjectsAgreeAfterWritersAndCollectors) {
  constexpr int kContents = 6;
  constexpr int kRounds = 15;
  std::atomic<int> writers = 2;
  const auto puts = [&](S3BlobStore& store) {
    for (int round = 0; round < kRounds; ++round) {
      for (int i = 0; i < kContents; ++i) EXPECT_TRUE(store.put(std::to_string(i)));
    }
    --writers;
  };
  const auto collects = [&](S3BlobStore& store) {
    while (writers > 0) {
      for (int i = 0; i < kContents; ++i) {
        const Sha256 name = sha256(std::to_string(i));
        mark(store, name);
        EXPECT_TRUE(store.finishErasing(name[0]));
      }
    }
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { puts(*node_); });
  threads.emplace_back([&] { puts(*other_); });
  threads.emplace_back([&] { collects(*node_); });
  threads.emplace_back([&] { collects(*other_); });
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> rows;
  for (int i = 0; i < kContents; ++i) {
    const Sha256 name = sha256(std::to_string(i));
    const auto listed = node_->list(name[0]);
    for (const storage::StoredBlob& blob : *listed) rows.insert(keyOf(blob.name));
  }
  const std::vector<std::string> keys = server_.keys("pre/blobs/");
  EXPECT_EQ(rows, std::set<std::string>(keys.begin(), keys.end()));
}

TEST_F(S3Blobs, OfAnotherDatabaseAreLeftAlone) {
  const Sha256 name = *node_->put("content");
  storage::DatabaseForTest another(storage::Engine::kSqlite);
  another->migrate({s3Schema()}, clock_.now());
  S3BlobOptions options = options_;
  options.cache_folder = folder_.path() + "/cache3";
  S3BlobStore stranger(options, *another, clock_);
  EXPECT_FALSE(stranger.put("content"));
  EXPECT_FALSE(stranger.list(name[0]));
  EXPECT_FALSE(stranger.erase(name));
  EXPECT_NE(log().find("s3_other_owner"), std::string::npos);
  EXPECT_EQ(contentOf(*other_, name), "content");
}

TEST_F(S3Blobs, HaveDirectUrlsIfAllowed) {
  const Sha256 name = *node_->put("content");
  EXPECT_EQ(*node_->directUrl(name, minutes(5)), std::nullopt);
  S3BlobOptions direct = options_;
  direct.cache_folder = folder_.path() + "/cache3";
  direct.direct_urls = true;
  S3BlobStore store(direct, *database_, clock_);
  const std::string url = store.directUrl(name, minutes(5))->value();
  EXPECT_TRUE(url.starts_with(server_.endpoint() + "/bucket/" + keyOf(name) + "?"));
  EXPECT_NE(url.find("X-Amz-Expires=300"), std::string::npos);
  EXPECT_NE(url.find("response-content-disposition=attachment"), std::string::npos);
  EXPECT_EQ(url.find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace spindle::s3
