#include "s3/client/s3_client.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/core/folder_for_test.h"
#include "s3/client/bucket_check.h"
#include "s3/testing/fake_s3.h"

namespace spindle::s3 {
namespace {

using Kind = FakeS3::Fault::Kind;

FakeS3::Fault statusFault(int status, std::string code) {
  return {Kind::kStatus, status, std::move(code)};
}

std::string writeCredentials(std::string path) {
  std::ofstream(path) << "aws_access_key_id=" << FakeS3::kAccessKey
                      << "\naws_secret_access_key=hidden-secret\n";
  return path;
}

class S3ClientTest : public ::testing::Test {
 protected:
  /// Requests get their response long before the timeout, unless the server is silent.
  BucketOptions options() const {
    BucketOptions options;
    options.endpoint = server_.endpoint();
    options.bucket = FakeS3::kBucket;
    options.credentials_file = credentials_;
    return options;
  }
  BucketOptions impatient() const {
    BucketOptions options = this->options();
    options.timeout = std::chrono::milliseconds(500);
    return options;
  }
  Result<void> put(const std::string& key,
                   const std::string& bytes,
                   S3Client::Overwrite overwrite = S3Client::Overwrite::kAllowed) {
    return client_.put(key, bodyOf(bytes, sha256(bytes)), overwrite);
  }
  /// Applies a fault to the first `times` requests.
  void fail(int times, FakeS3::Fault fault) {
    left_ = times;
    server_.setScript(
        [this, fault](const FakeS3::Request&) { return left_-- > 0 ? fault : FakeS3::Fault(); });
  }
  template <class T>
  static void expectReason(const Result<T>& result, std::string_view reason) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason(), reason) << result.error().message();
    EXPECT_EQ(result.error().message().find("hidden"), std::string::npos);
  }

  FolderForTest folder_;
  const std::string credentials_ = writeCredentials(folder_.path() + "/credentials");
  FakeS3 server_;
  SystemClock clock_;
  std::atomic<int> left_ = 0;
  S3Client client_{options(), clock_};
};

TEST_F(S3ClientTest, StoresReadsAndDeletesObjects) {
  ASSERT_TRUE(put("a/b c", "content"));
  EXPECT_EQ(server_.contentOf("a/b c"), "content");
  EXPECT_EQ(client_.head("a/b c")->size, 7);
  EXPECT_EQ(client_.get("a/b c", 2, 3)->bytes, "nte");
  EXPECT_EQ(client_.get("a/b c", 2, 100)->bytes, "ntent");
  EXPECT_EQ(client_.get("a/b c", 2, 3)->head.size, 7);
  ASSERT_TRUE(client_.remove("a/b c"));
  ASSERT_TRUE(client_.remove("a/b c"));
  EXPECT_EQ(client_.head("a/b c").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(client_.get("a/b c", 0, 1).error().code(), ErrorCode::kNotFound);
}

TEST_F(S3ClientTest, ReadsEmptyObjects) {
  ASSERT_TRUE(put("empty", ""));
  const Result<ObjectPart> part = client_.get("empty", 0, 100);
  ASSERT_TRUE(part) << part.error().message();
  EXPECT_EQ(part->head.size, 0);
  EXPECT_EQ(part->bytes, "");
}

TEST_F(S3ClientTest, RespectsConditions) {
  ASSERT_TRUE(put("key", "first"));
  EXPECT_EQ(put("key", "second", S3Client::Overwrite::kRefused).error().code(),
            ErrorCode::kPreconditionFailed);
  const std::string etag = client_.head("key")->etag;
  EXPECT_TRUE(client_.get("key", 0, 5, etag));
  ASSERT_TRUE(put("key", "second"));
  EXPECT_EQ(client_.get("key", 0, 5, etag).error().code(), ErrorCode::kPreconditionFailed);
}

TEST_F(S3ClientTest, ListsPages) {
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(put("p/" + std::to_string(i), "x"));
  ASSERT_TRUE(put("q/1", "x"));
  std::vector<std::string> keys;
  std::string next;
  do {
    const Result<ObjectPage> page = client_.list("p/", next);
    ASSERT_TRUE(page);
    for (const ListedObject& object : page->objects) keys.push_back(object.key);
    next = page->next;
  } while (!next.empty());
  ASSERT_EQ(keys.size(), 8U);
  EXPECT_EQ(keys.back(), "p/7");
}

TEST_F(S3ClientTest, UploadsParts) {
  const std::string upload = *client_.beginUpload("big");
  const std::string first(1000, 'a');
  const std::string second = "b";
  const UploadedPart one = *client_.uploadPart("big", upload, 1, bodyOf(first, sha256(first)));
  const UploadedPart two = *client_.uploadPart("big", upload, 2, bodyOf(second, sha256(second)));
  EXPECT_EQ(client_.openUploads("b")->size(), 1U);
  EXPECT_EQ(client_.openUploads("c")->size(), 0U);
  ASSERT_TRUE(client_.completeUpload("big", upload, {one, two}));
  EXPECT_EQ(server_.contentOf("big"), first + second);
  EXPECT_EQ(server_.uploads(), 0U);
  EXPECT_TRUE(client_.abortUpload("big", upload));
}

TEST_F(S3ClientTest, RepeatsAfterTransientFaults) {
  for (const FakeS3::Fault& fault :
       {statusFault(500, "InternalError"), statusFault(503, "SlowDown"),
        FakeS3::Fault{Kind::kCutBefore}, FakeS3::Fault{Kind::kCutAfter}}) {
    fail(2, fault);
    EXPECT_TRUE(put("key", "content"));
  }
  fail(2, FakeS3::Fault{Kind::kSilence});
  EXPECT_TRUE(S3Client(impatient(), clock_)
                  .put("key", bodyOf("content", sha256("content")), S3Client::Overwrite::kAllowed));
  fail(1, FakeS3::Fault{Kind::kCutBody});
  EXPECT_EQ(client_.get("key", 0, 7)->bytes, "content");
}

TEST_F(S3ClientTest, LimitsRepetitions) {
  fail(100, statusFault(500, "InternalError"));
  expectReason(put("key", "x"), kFailed);
  EXPECT_EQ(server_.count("PUT"), options().attempts);
  fail(100, FakeS3::Fault{Kind::kSilence});
  expectReason(S3Client(impatient(), clock_).head("key"), kSlow);
}

TEST_F(S3ClientTest, NamesTheProblem) {
  const std::vector<std::pair<FakeS3::Fault, std::string_view>> cases = {
      {statusFault(403, "AccessDenied"), kDenied},
      {statusFault(403, "SignatureDoesNotMatch"), kDenied},
      {statusFault(403, "RequestTimeTooSkewed"), kClockSkew},
      {statusFault(404, "NoSuchBucket"), kNoSuchBucket},
      {statusFault(301, "PermanentRedirect"), kOtherRegion},
      {statusFault(400, "BadDigest"), kWrongChecksum},
      {statusFault(404, "NoSuchUpload"), kLostPart},
      {statusFault(507, "QuotaExceeded"), kFull},
      {statusFault(501, "NotImplemented"), kNotImplemented},
      {statusFault(400, "Whatever"), kFailed}};
  for (const auto& [fault, reason] : cases) {
    fail(1, fault);
    const Result<void> stored = put("key", "x");
    expectReason(stored, reason);
    EXPECT_NE(stored.error().message().find(fault.code), std::string::npos);
  }
  fail(1, statusFault(403, ""));
  expectReason(client_.head("key"), kDenied);
}

TEST_F(S3ClientTest, ReportsWrongBytes) {
  const Body wrong = bodyOf("sent", sha256("other"));
  EXPECT_FALSE(client_.put("key", wrong, S3Client::Overwrite::kAllowed));
  EXPECT_TRUE(server_.keys().empty());
}

TEST_F(S3ClientTest, ReportsServersThatCannotBeReached) {
  BucketOptions nowhere = options();
  nowhere.endpoint = "http://127.0.0.1:1";
  nowhere.attempts = 2;
  expectReason(S3Client(nowhere, clock_).head("key"), kUnreachable);
}

TEST_F(S3ClientTest, NoticesThatTheCredentialsAreGone) {
  std::filesystem::remove(credentials_);
  expectReason(client_.head("key"), kNoCredentials);
}

TEST_F(S3ClientTest, ChecksTheBucket) {
  EXPECT_TRUE(checkBucket(client_, "pre/"));
  EXPECT_TRUE(server_.keys().empty());
  EXPECT_EQ(server_.count("DELETE"), 1);
  server_.setScript([](const FakeS3::Request& request) {
    return request.method == "DELETE" ? statusFault(403, "AccessDenied") : FakeS3::Fault();
  });
  const Result<void> checked = checkBucket(client_, "pre/");
  expectReason(checked, kDenied);
  EXPECT_NE(checked.error().message().find("DELETE object"), std::string::npos);
}

TEST_F(S3ClientTest, RefusesInvalidOptions) {
  BucketOptions invalid = options();
  invalid.endpoint = "ftp://example.com";
  EXPECT_THROW(S3Client(invalid, clock_), std::runtime_error);
  invalid = options();
  invalid.bucket.clear();
  EXPECT_THROW(S3Client(invalid, clock_), std::runtime_error);
  invalid = options();
  invalid.credentials_file = folder_.path() + "/missing";
  EXPECT_THROW(S3Client(invalid, clock_), std::runtime_error);
}

TEST_F(S3ClientTest, PutsTheBucketIntoTheHostOrThePath) {
  BucketOptions virtual_hosted = options();
  virtual_hosted.endpoint = "https://s3.example.com";
  virtual_hosted.path_style = false;
  EXPECT_TRUE(S3Client(virtual_hosted, clock_)
                  .presignedGet("a/b", std::chrono::seconds(60), {})
                  ->starts_with("https://bucket.s3.example.com/a/b?X-Amz-Algorithm="));
  virtual_hosted.path_style = true;
  virtual_hosted.endpoint = "https://s3.example.com:8443/base/";
  EXPECT_TRUE(S3Client(virtual_hosted, clock_)
                  .presignedGet("a/b", std::chrono::seconds(60), {})
                  ->starts_with("https://s3.example.com:8443/base/bucket/a/b?X-Amz-Algorithm="));
}

}  // namespace
}  // namespace spindle::s3
