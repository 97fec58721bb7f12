#include "runs/lineage_repository.h"

#include <gtest/gtest.h>

#include "runs/runs_for_test.h"

namespace spindle::runs {
namespace {

using Ids = std::vector<std::int64_t>;

class LineageRepositoryTest : public RunsContract {
 protected:
  void SetUp() override {
    RunsContract::SetUp();
    started("r1");
  }
  static Ids idsOf(const Result<identity::Page<RunArtifact>>& page) {
    EXPECT_TRUE(page);
    Ids ids;
    for (const RunArtifact& artifact : page->items) ids.push_back(artifact.id);
    return ids;
  }
  Result<void> use(std::int64_t version) {
    return lineage_.addInput({place_.project_id, "r1"}, version, actor_);
  }

  LineageRepository lineage_{*database_, clock_};
};

TEST_P(LineageRepositoryTest, ListsInputsNewestVersionFirst) {
  const std::int64_t first = committed("one").id;
  const std::int64_t second = committed("two").id;
  ASSERT_TRUE(use(second));
  ASSERT_TRUE(use(first));
  ASSERT_TRUE(use(first));
  const auto inputs = lineage_.inputs({place_.project_id, "r1"}, {50, ""});
  EXPECT_EQ(idsOf(inputs), (Ids{second, first}));
  const RunArtifact& shown = inputs->items.back();
  EXPECT_EQ(shown.entity, "team");
  EXPECT_EQ(shown.project, "project");
  EXPECT_EQ(shown.collection, "data");
  EXPECT_EQ(shown.type, "dataset");
  EXPECT_EQ(shown.index, 0);
  EXPECT_EQ(shown.size_bytes, 3);
  EXPECT_EQ(shown.time, clock_.now());
}

TEST_P(LineageRepositoryTest, ListsPages) {
  const std::int64_t first = committed("one").id;
  const std::int64_t second = committed("two").id;
  ASSERT_TRUE(use(first));
  ASSERT_TRUE(use(second));
  const auto page = lineage_.inputs({place_.project_id, "r1"}, {1, ""});
  EXPECT_EQ(idsOf(page), (Ids{second}));
  ASSERT_TRUE(page->next);
  EXPECT_EQ(idsOf(lineage_.inputs({place_.project_id, "r1"}, {1, *page->next})), (Ids{first}));
}

TEST_P(LineageRepositoryTest, ListsVersionsCreatedWithTheRunIdAsOutputs) {
  registry::NewVersion fresh = holding("made");
  fresh.run_id = "r1";
  const std::int64_t made = committed(fresh, "made").id;
  committed("other");
  registry::NewVersion pending = holding("pending");
  pending.run_id = "r1";
  begin(pending);
  EXPECT_EQ(idsOf(lineage_.outputs({place_.project_id, "r1"}, {50, ""})), (Ids{made}));
  EXPECT_EQ(idsOf(lineage_.inputs({place_.project_id, "r1"}, {50, ""})), Ids());
}

TEST_P(LineageRepositoryTest, ARemovedVersionIsNotListedAndCannotBeUsed) {
  const std::int64_t version = committed("one").id;
  ASSERT_TRUE(use(version));
  ASSERT_TRUE(versions_.remove(place_.project_id, "data", byId(version), true));
  EXPECT_EQ(idsOf(lineage_.inputs({place_.project_id, "r1"}, {50, ""})), Ids());
  EXPECT_EQ(codeOf(use(version)), ErrorCode::kNotFound);
}

TEST_P(LineageRepositoryTest, MissingRunHasNoLineage) {
  const std::int64_t version = committed("one").id;
  EXPECT_EQ(codeOf(lineage_.addInput({place_.project_id, "r2"}, version, actor_)),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(lineage_.inputs({place_.project_id, "r2"}, {50, ""})), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(lineage_.outputs({place_.project_id, "r2"}, {50, ""})), ErrorCode::kNotFound);
}

SPINDLE_ON_BOTH_ENGINES(LineageRepositoryTest);

}  // namespace
}  // namespace spindle::runs
