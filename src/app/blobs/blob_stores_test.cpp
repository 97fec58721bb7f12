#include "app/blobs/blob_stores.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "app/blobs/bucket_options.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::app {
namespace {

class BlobStores : public ::testing::Test {
 protected:
  config::FileSettings bucket() const {
    const std::string credentials = folder_.path() + "/credentials";
    std::ofstream(credentials) << "aws_access_key_id=a\naws_secret_access_key=b\n";
    config::FileSettings files;
    files.store = config::FileStore::kS3;
    files.s3_endpoint = "http://127.0.0.1:1";
    files.s3_bucket = "bucket";
    files.s3_credentials_file = credentials;
    return files;
  }
  std::unique_ptr<storage::BlobStore> open(const config::FileSettings& files) {
    return openBlobStore(files, data_, *database_, clock_);
  }

  SystemClock clock_;
  FolderForTest folder_;
  storage::DataFolder data_{folder_.path() + "/data"};
  storage::DatabaseForTest database_{storage::Engine::kSqlite};
};

TEST_F(BlobStores, DefaultIsAFolder) {
  ASSERT_TRUE(open({})->put("content"));
  EXPECT_TRUE(std::filesystem::exists(data_.fileAt("files")));
}

TEST_F(BlobStores, BucketHasACacheInTheDataFolder) {
  ASSERT_TRUE(open(bucket()));
  EXPECT_TRUE(std::filesystem::exists(data_.fileAt("blob-cache")));
  EXPECT_FALSE(std::filesystem::exists(data_.fileAt("files")));
}

TEST_F(BlobStores, BucketIsRefusedBesideFilesOfAFolder) {
  open({});
  EXPECT_TRUE(open(bucket()));
  ASSERT_TRUE(open({})->put("content"));
  EXPECT_THROW(open(bucket()), std::runtime_error);
}

TEST_F(BlobStores, BucketIsRefusedWithoutCredentials) {
  config::FileSettings files = bucket();
  std::filesystem::remove(files.s3_credentials_file);
  EXPECT_THROW(open(files), std::runtime_error);
}

TEST_F(BlobStores, OptionsComeFromTheSettings) {
  config::FileSettings files = bucket();
  files.s3_region = "eu-north-1";
  files.s3_path_style = false;
  files.s3_ca_file = "/ca.pem";
  const s3::BucketOptions options = bucketOptions(files);
  EXPECT_EQ(options.endpoint, files.s3_endpoint);
  EXPECT_EQ(options.bucket, "bucket");
  EXPECT_EQ(options.region, "eu-north-1");
  EXPECT_FALSE(options.path_style);
  EXPECT_EQ(options.ca_file, "/ca.pem");
  EXPECT_EQ(options.timeout, files.s3_timeout);
}

}  // namespace
}  // namespace spindle::app
