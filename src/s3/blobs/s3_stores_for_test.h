#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "s3/blobs/migrations.h"
#include "s3/blobs/s3_blob_store.h"
#include "s3/testing/fake_s3.h"
#include "storage/testing/postgres_for_test.h"

namespace spindle::s3 {

/// Returns the options of a store in the bucket of a fake server.
inline S3BlobOptions fakeOptions(const FakeS3& server, const std::string& folder) {
  const std::string credentials = folder + "/credentials";
  std::ofstream(credentials) << "aws_access_key_id=" << FakeS3::kAccessKey
                             << "\naws_secret_access_key=hidden\n";
  S3BlobOptions options;
  options.bucket.endpoint = server.endpoint();
  options.bucket.bucket = FakeS3::kBucket;
  options.bucket.credentials_file = credentials;
  options.bucket.timeout = std::chrono::seconds(10);
  options.prefix = "pre/";
  options.cache_folder = folder + "/cache";
  return options;
}

inline std::string keyInBucket(const S3BlobOptions& options, const Sha256& name) {
  const std::string digits = toHex(name);
  return options.prefix + "blobs/" + digits.substr(0, 2) + "/" + digits;
}

}  // namespace spindle::s3
