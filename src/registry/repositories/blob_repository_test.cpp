#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

class Blobs : public RegistryContract {
 protected:
  std::int64_t pending(const std::string& bytes) { return begin(holding(bytes)).version.id; }
};

TEST_P(Blobs, SupportRandomAccess) {
  ASSERT_TRUE(upload(pending("0123456789"), "0123456789"));
  Result<BlobContent> content = blobs_.open(place_.team_id, {digestOf("0123456789"), 10});
  ASSERT_TRUE(content);
  EXPECT_EQ(content->size(), 10U);
  const Result<std::string> middle = content->read(3, 4);
  ASSERT_TRUE(middle);
  EXPECT_EQ(*middle, "3456");
}

TEST_P(Blobs, AreVisibleOnlyToTheirTeam) {
  ASSERT_TRUE(upload(pending("a"), "a"));
  EXPECT_EQ(codeOf(blobs_.open("other", {digestOf("a"), 1})), ErrorCode::kNotFound);
}

TEST_P(Blobs, AreReceivedInChunks) {
  const std::int64_t id = pending("hello world");
  Result<std::unique_ptr<BlobReceiver>> intake = blobs_.receive(grantFor(id, "hello world"));
  ASSERT_TRUE(intake);
  for (const char* piece : {"hello", "", " ", "world"}) ASSERT_TRUE((*intake)->add(piece));
  ASSERT_TRUE((*intake)->finish());
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, ThatDifferFromTheManifestAreRefused) {
  const std::int64_t id = pending("hello");
  const auto intake = [&] {
    Result<std::unique_ptr<BlobReceiver>> fresh = blobs_.receive(grantFor(id, "hello"));
    EXPECT_TRUE(fresh);
    return *std::move(fresh);
  };
  const std::unique_ptr<BlobReceiver> other = intake();
  ASSERT_TRUE(other->add("jello"));
  EXPECT_EQ(reasonOf(other->finish()), "md5_mismatch");
  const std::unique_ptr<BlobReceiver> shorter = intake();
  ASSERT_TRUE(shorter->add("hell"));
  EXPECT_EQ(reasonOf(shorter->finish()), "size_mismatch");
  const std::unique_ptr<BlobReceiver> longer = intake();
  EXPECT_EQ(codeOf(longer->add("hello!")), ErrorCode::kTooLarge);
  EXPECT_EQ(reasonOf(versions_.commit(place_, actor_, "data", id)), "missing_files");
}

TEST_P(Blobs, IncompleteUploadLeavesNothing) {
  const std::int64_t id = pending("hello");
  {
    Result<std::unique_ptr<BlobReceiver>> intake = blobs_.receive(grantFor(id, "hello"));
    ASSERT_TRUE(intake);
    ASSERT_TRUE((*intake)->add("hel"));
  }
  EXPECT_EQ(codeOf(blobs_.open(place_.team_id, {digestOf("hello"), 5})), ErrorCode::kNotFound);
  ASSERT_TRUE(upload(id, "hello"));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, CanBeUploadedTwice) {
  const std::int64_t id = pending("hello");
  ASSERT_TRUE(upload(id, "hello"));
  ASSERT_TRUE(upload(id, "hello"));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, AreAcceptedForPendingVersionsOnly) {
  const Version version = committed("a");
  EXPECT_EQ(reasonOf(blobs_.receive(grantFor(version.id, "b"))), "not_pending");
  EXPECT_EQ(reasonOf(blobs_.receive(grantFor(999, "b"))), "not_pending");
}

TEST_P(Blobs, MayBeEmpty) {
  const std::int64_t id = pending("");
  ASSERT_TRUE(upload(id, ""));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

SPINDLE_ON_BOTH_ENGINES(Blobs);

}  // namespace
}  // namespace spindle::registry
