#include "registry/repositories/version_garbage_collector.h"

#include "registry/repositories/registry_for_test.h"

namespace spindle::registry {
namespace {

using std::chrono::hours;

class Garbage : public RegistryContract {
 protected:
  std::string stateOf(std::int64_t id) {
    const Result<std::optional<storage::Row>> row = database_->read([&](storage::Session& session) {
      return session.queryOne("SELECT state FROM artifact_versions WHERE id = ?", {id});
    });
    EXPECT_TRUE(row && row->has_value());
    return row && row->has_value() ? (*row)->text("state") : std::string();
  }
  bool isKnown(std::string_view bytes) {
    return blobs_.open(place_.team_id, {digestOf(bytes), static_cast<std::int64_t>(bytes.size())})
        .has_value();
  }
  void end(const Version& version) {
    EXPECT_TRUE(versions_.remove(place_.id(), version.collection, byId(version.id), true));
  }

  VersionGarbageCollector garbage_{*database_, clock_};
};

TEST_P(Garbage, IsDeletedInSteps) {
  const Version version = committed("a");
  end(version);
  EXPECT_EQ(stateOf(version.id), "PENDING_DELETION");
  EXPECT_EQ(*garbage_.advance(), 1);
  EXPECT_EQ(stateOf(version.id), "DELETED");
  EXPECT_TRUE(isKnown("a"));
  EXPECT_EQ(*garbage_.advance(), 1);
  EXPECT_EQ(stateOf(version.id), "GARBAGE_COLLECTED");
  EXPECT_FALSE(isKnown("a"));
  EXPECT_EQ(*garbage_.advance(), 0);
  EXPECT_EQ(codeOf(versions_.find(place_.id(), "data", byId(version.id))), ErrorCode::kNotFound);
}

TEST_P(Garbage, KeepsSharedFiles) {
  const Version gone = committed("a");
  NewVersion other = holding("a");
  other.collection = "other";
  const VersionRepository::BeginResult pending = begin(other);
  end(gone);
  ASSERT_TRUE(garbage_.advance());
  ASSERT_TRUE(garbage_.advance());
  EXPECT_EQ(stateOf(gone.id), "GARBAGE_COLLECTED");
  EXPECT_TRUE(isKnown("a"));
  ASSERT_TRUE(versions_.commit(place_, actor_, "other", pending.version.id));
}

TEST_P(Garbage, DeletedFilesAreUploadedAgain) {
  end(committed("a"));
  ASSERT_TRUE(garbage_.advance());
  ASSERT_TRUE(garbage_.advance());
  EXPECT_EQ(begin(holding("a")).missing.size(), 1U);
  EXPECT_EQ(committed("a").index, 1);
}

TEST_P(Garbage, DeletesFilesOfAbandonedUploads) {
  const VersionRepository::BeginResult begun = begin(holding("a"));
  ASSERT_TRUE(upload(begun.version.id, "a"));
  committed("b");
  EXPECT_EQ(*garbage_.deleteUnusedFiles(), 0);
  clock_.advance(hours(49));
  EXPECT_EQ(*garbage_.deleteUnusedFiles(), 0);
  ASSERT_TRUE(versions_.expire());
  EXPECT_EQ(*garbage_.deleteUnusedFiles(), 1);
  EXPECT_FALSE(isKnown("a"));
  EXPECT_TRUE(isKnown("b"));
}

TEST_P(Garbage, DeletesFilesOfDeletedProjects) {
  committed("a");
  ASSERT_TRUE(projects_.remove(place_.project_id));
  EXPECT_EQ(*garbage_.deleteUnusedFiles(), 0);
  clock_.advance(hours(49));
  EXPECT_EQ(*garbage_.deleteUnusedFiles(), 1);
  EXPECT_FALSE(isKnown("a"));
}

TEST_P(Garbage, IsDeletedFromTheBlobStore) {
  const Version gone = committed("a");
  committed("b");
  end(gone);
  ASSERT_TRUE(garbage_.advance());
  ASSERT_TRUE(garbage_.advance());
  // The collector treats files that are written now as two days old.
  const ManualClock later(SystemClock().now() + hours(48));
  storage::BlobCollector collector(*database_, store_, {artifactBlobs()}, later, hours(24));
  EXPECT_EQ(*collector.collect(256), 1);
  EXPECT_FALSE(store_.size(sha256("a")));
  EXPECT_TRUE(isKnown("b"));
}

SPINDLE_ON_BOTH_ENGINES(Garbage);

}  // namespace
}  // namespace spindle::registry
