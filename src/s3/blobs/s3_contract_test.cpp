// The contract of BlobStore on a fake server, and on a real one if SPINDLE_TEST_S3 is set to
// http://host:port/bucket and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY to a key of it.

#include <cstdlib>

#include "s3/blobs/s3_stores_for_test.h"
#include "storage/blobs/blob_store_contract_for_test.h"

namespace spindle::s3 {
namespace {

using storage::BlobStoreForContract, storage::Engine;

class BucketForContract : public BlobStoreForContract {
 public:
  storage::BlobStore& store() override { return *store_; }
  storage::Database& database() override { return *database_; }
  const S3BlobOptions& options() const { return options_; }
  void overwrite(const Sha256& name, const std::string& bytes) override {
    S3Client client(options_.bucket, clock_);
    EXPECT_TRUE(client.put(keyInBucket(options_, name), bodyOf(bytes, sha256(bytes)),
                           S3Client::Overwrite::kAllowed));
    store_.reset();
    std::filesystem::remove_all(options_.cache_folder);
    open();
  }
  void makeOld(const Sha256& name, std::chrono::hours age) override {
    EXPECT_TRUE(database_->write([&](storage::Session& session) {
      return session.execute("UPDATE s3_blobs SET last_put_at = ? WHERE name = ?",
                             {clock_.now() - age, toHex(name)});
    }));
  }

 protected:
  BucketForContract(Engine engine) : database_(engine) {  // NOLINT(google-explicit-constructor)
    database_->migrate({s3Schema(), storage::contractSchema()}, clock_.now());
  }
  void open() { store_ = std::make_unique<S3BlobStore>(options_, *database_, clock_); }

  SystemClock clock_;
  FolderForTest folder_;
  storage::DatabaseForTest database_;
  S3BlobOptions options_;
  std::unique_ptr<S3BlobStore> store_;
};

class FakeBucket final : public BucketForContract {
 public:
  explicit FakeBucket(Engine engine) : BucketForContract(engine) {
    options_ = fakeOptions(server_, folder_.path());
    open();
  }
  ~FakeBucket() override { store_.reset(); }

 private:
  FakeS3 server_;
};

const char* realBucket() {
  return std::getenv("SPINDLE_TEST_S3");  // NOLINT(concurrency-mt-unsafe): before threads
}

class RealBucket final : public BucketForContract {
 public:
  explicit RealBucket(Engine engine) : BucketForContract(engine) {
    const std::string address = realBucket();
    const std::size_t slash = address.rfind('/');
    options_.bucket.endpoint = address.substr(0, slash);
    options_.bucket.bucket = address.substr(slash + 1);
    options_.prefix = "test-" + randomAlphanumeric(12) + "/";
    options_.cache_folder = folder_.path() + "/cache";
    open();
  }
  ~RealBucket() override {
    S3Client client(options_.bucket, clock_);
    const Result<ObjectPage> page = client.list(options_.prefix, "");
    for (const ListedObject& object : page ? page->objects : std::vector<ListedObject>()) {
      EXPECT_TRUE(client.remove(object.key));
    }
  }
};

template <class Bucket>
std::function<std::unique_ptr<BlobStoreForContract>()> bucketWith(Engine engine) {
  return [engine] { return std::make_unique<Bucket>(engine); };
}

std::vector<std::function<std::unique_ptr<BlobStoreForContract>()>> realBuckets() {
  if (realBucket() == nullptr) return {};
  return {bucketWith<RealBucket>(Engine::kSqlite), bucketWith<RealBucket>(Engine::kPostgres)};
}

std::string engineName(std::size_t index) {
  return storage::nameOfEngine(index == 0 ? Engine::kSqlite : Engine::kPostgres);
}

}  // namespace
}  // namespace spindle::s3

namespace spindle::storage {

INSTANTIATE_TEST_SUITE_P(FakeS3,
                         BlobStoreContract,
                         ::testing::Values(s3::bucketWith<s3::FakeBucket>(Engine::kSqlite),
                                           s3::bucketWith<s3::FakeBucket>(Engine::kPostgres)),
                         [](const auto& opened) { return s3::engineName(opened.index); });

INSTANTIATE_TEST_SUITE_P(RealS3,
                         BlobStoreContract,
                         ::testing::ValuesIn(s3::realBuckets()),
                         [](const auto& opened) { return s3::engineName(opened.index); });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BlobStoreContract);

// 200 MiB in four parts, read back in sequence and by range through another cache.
TEST(RealS3, StoresLargeContentInParts) {
  if (s3::realBucket() == nullptr) GTEST_SKIP() << "SPINDLE_TEST_S3 is not set";
  s3::RealBucket bucket(Engine::kSqlite);
  Result<std::unique_ptr<BlobWriter>> writer = bucket.store().write();
  ASSERT_TRUE(writer);
  std::string piece(1UL << 20, '\0');
  for (int i = 0; i < 200; ++i) {
    randomBytes(piece.data(), piece.size());
    ASSERT_TRUE((*writer)->append(piece));
  }
  const Result<Sha256> name = (*writer)->finish();
  ASSERT_TRUE(name) << name.error().message();
  EXPECT_EQ(*bucket.store().size(*name), 200UL << 20);
  s3::S3BlobOptions options = bucket.options();
  const FolderForTest other;
  options.cache_folder = other.path() + "/cache";
  options.cache_limit = 100UL << 20;  // too small for the content
  const SystemClock clock;
  s3::S3BlobStore node(options, bucket.database(), clock);
  const Result<std::unique_ptr<BlobReader>> reader = node.open(*name);
  ASSERT_TRUE(reader);
  Sha256Stream hash;
  for (std::uint64_t at = 0; at < (*reader)->size(); at += piece.size()) {
    const Result<std::string> bytes = (*reader)->read(at, piece.size());
    ASSERT_TRUE(bytes) << bytes.error().message();
    hash.add(*bytes);
  }
  EXPECT_EQ(hash.finish(), *name);
  EXPECT_EQ(*(*reader)->read((200UL << 20) - 5, 100), piece.substr(piece.size() - 5));
  EXPECT_TRUE(bucket.store().erase(*name));
  EXPECT_FALSE(bucket.store().size(*name));
}

}  // namespace spindle::storage
