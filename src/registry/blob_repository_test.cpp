#include "registry/registry_for_test.h"

namespace spindle::registry {
namespace {

class Blobs : public RegistryContract {
 protected:
  std::int64_t pending(const std::string& bytes) { return begin(holding(bytes)).version.id; }
};

TEST_P(Blobs, AreReadAnywhere) {
  ASSERT_TRUE(bring(pending("0123456789"), "0123456789"));
  Result<BlobContent> content = blobs_.open(place_.team_id, {digestOf("0123456789"), 10});
  ASSERT_TRUE(content);
  EXPECT_EQ(content->size(), 10U);
  const Result<std::string> middle = content->read(3, 4);
  ASSERT_TRUE(middle);
  EXPECT_EQ(*middle, "3456");
}

TEST_P(Blobs, BelongToTheTeamThatBroughtThem) {
  ASSERT_TRUE(bring(pending("a"), "a"));
  EXPECT_EQ(codeOf(blobs_.open("other", {digestOf("a"), 1})), ErrorCode::kNotFound);
}

TEST_P(Blobs, ArriveInPieces) {
  const std::int64_t id = pending("hello world");
  Result<std::unique_ptr<BlobIntake>> intake = blobs_.receive(grantFor(id, "hello world"));
  ASSERT_TRUE(intake);
  for (const char* piece : {"hello", "", " ", "world"}) ASSERT_TRUE((*intake)->add(piece));
  ASSERT_TRUE((*intake)->finish());
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, OfOtherBytesThanPromisedAreRefused) {
  const std::int64_t id = pending("hello");
  const auto intake = [&] {
    Result<std::unique_ptr<BlobIntake>> fresh = blobs_.receive(grantFor(id, "hello"));
    EXPECT_TRUE(fresh);
    return *std::move(fresh);
  };
  const std::unique_ptr<BlobIntake> other = intake();
  ASSERT_TRUE(other->add("jello"));
  EXPECT_EQ(reasonOf(other->finish()), "md5_mismatch");
  const std::unique_ptr<BlobIntake> shorter = intake();
  ASSERT_TRUE(shorter->add("hell"));
  EXPECT_EQ(reasonOf(shorter->finish()), "size_mismatch");
  const std::unique_ptr<BlobIntake> longer = intake();
  EXPECT_EQ(codeOf(longer->add("hello!")), ErrorCode::kTooLarge);
  EXPECT_EQ(reasonOf(versions_.commit(place_, actor_, "data", id)), "missing_files");
}

TEST_P(Blobs, ThatBreakOffLeaveNothing) {
  const std::int64_t id = pending("hello");
  {
    Result<std::unique_ptr<BlobIntake>> intake = blobs_.receive(grantFor(id, "hello"));
    ASSERT_TRUE(intake);
    ASSERT_TRUE((*intake)->add("hel"));
  }
  EXPECT_EQ(codeOf(blobs_.open(place_.team_id, {digestOf("hello"), 5})), ErrorCode::kNotFound);
  ASSERT_TRUE(bring(id, "hello"));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, ComeTwiceWithoutHarm) {
  const std::int64_t id = pending("hello");
  ASSERT_TRUE(bring(id, "hello"));
  ASSERT_TRUE(bring(id, "hello"));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

TEST_P(Blobs, ComeForPendingVersionsOnly) {
  const Version version = committed("a");
  EXPECT_EQ(reasonOf(blobs_.receive(grantFor(version.id, "b"))), "not_pending");
  EXPECT_EQ(reasonOf(blobs_.receive(grantFor(999, "b"))), "not_pending");
}

TEST_P(Blobs, MayBeEmpty) {
  const std::int64_t id = pending("");
  ASSERT_TRUE(bring(id, ""));
  EXPECT_TRUE(versions_.commit(place_, actor_, "data", id));
}

SPINDLE_ON_BOTH_ENGINES(Blobs);

}  // namespace
}  // namespace spindle::registry
