#include "tracing/store/otel_resource_store.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "columnar/testing/store_for_test.h"
#include "tracing/store/call_row.h"
#include "tracing/store/call_time_for_test.h"
#include "tracing/store/columnar_call_store.h"
#include "tracing/store/ref_values_for_test.h"

namespace spindle::tracing {
namespace {

using std::chrono::hours;
using Dumps = std::vector<std::string>;

constexpr columnar::FamilyId kCalls = 0;
constexpr columnar::FamilyId kResources = 1;

/// Calls with resources over a real columnar store.
class OtelResourceTest : public ::testing::Test {
 protected:
  static OtelResourcePtr resource(const std::string& name, hours seen = hours(0)) {
    return makeOtelResource(R"({"attributes":{"name":")" + name + R"("}})", 1, at(seen));
  }

  static CallComplete call(int number, OtelResourcePtr resource) {
    CallComplete made;
    made.start.id = "call" + std::to_string(100'000 + number);
    made.start.trace_id = "trace";
    made.start.op_name = "op";
    made.start.started_at = at(hours(0)) + std::chrono::seconds(number);
    made.start.attributes = "{}";
    made.start.inputs = "{}";
    made.start.otel_dump = R"({"n":)" + std::to_string(number) + "}";
    made.start.otel_resource = std::move(resource);
    made.end.id = made.start.id;
    made.end.ended_at = made.start.started_at;
    made.end.summary = "{}";
    return made;
  }

  void write(std::vector<CallPart> parts, const std::string& project = "prj_1") {
    const Result<void> written = calls_.write(project, std::move(parts));
    ASSERT_TRUE(written) << written.error().message();
  }

  Dumps dumps(const CallQuery& selection,
              const CallPage& page = {},
              const std::string& project = "prj_1") {
    Dumps found;
    Result<std::unique_ptr<CallView>> view = calls_.view({project, "team/app"});
    EXPECT_TRUE(view);
    Result<std::unique_ptr<CallReader>> reader =
        (*view)->read(selection, page, {CallColumn::kId, CallColumn::kOtelDump});
    EXPECT_TRUE(reader) << (reader ? "" : reader.error().message());
    while (reader) {
      Result<std::vector<Call>> batch = (*reader)->next();
      EXPECT_TRUE(batch) << (batch ? "" : batch.error().message());
      if (!batch || batch->empty()) break;
      for (Call& one : *batch) {
        EXPECT_FALSE(one.otel_resource);
        found.push_back(one.otel_dump.value_or("none"));
      }
    }
    return found;
  }

  std::size_t resourcesIn(const std::string& project) {
    Result<columnar::Snapshot> snapshot = store_->snapshot();
    EXPECT_TRUE(snapshot);
    Result<columnar::Cursor> cursor = snapshot->query(
        "SELECT count(*) FROM " + snapshot->from(kResources, project) + " AS c", {});
    EXPECT_TRUE(cursor);
    EXPECT_TRUE(cursor->next());
    return static_cast<std::size_t>(cursor->integer(0));
  }

  std::int64_t removeUnused(hours now) {
    const Result<std::int64_t> removed =
        removeUnusedOtelResources(*store_, kResources, {{kCalls, "otel_resource"}}, at(now));
    EXPECT_TRUE(removed) << (removed ? "" : removed.error().message());
    return removed ? *removed : -1;
  }

  template <class Check>
  void beforeAndAfterAFlush(const Check& check) {
    check();
    ASSERT_TRUE(store_->flush());
    check();
  }

  columnar::StoreForTest store_{{callFamily(), otelResourceFamily()}};
  NoRefValuesForTest values_;
  ColumnarCallStore calls_{*store_, kCalls, kResources, CallJoins{values_}};
};

TEST(OtelResource, ResourceIsTheLastMemberOfADump) {
  EXPECT_EQ(withResource(R"({"a":1})", R"({"b":2})"), R"({"a":1,"resource":{"b":2}})");
}

TEST(OtelResource, EqualResourcesHaveEqualDigests) {
  const OtelResourcePtr one = makeOtelResource("{}", 2, at(hours(0)));
  EXPECT_EQ(one->digest, makeOtelResource("{}", 2, at(hours(9)))->digest);
  EXPECT_NE(one->digest, makeOtelResource("{ }", 3, at(hours(0)))->digest);
}

TEST_F(OtelResourceTest, EveryReaderInsertsTheResource) {
  // More calls than one batch, with alternating resources: readers must fetch in between.
  std::vector<CallPart> parts;
  Dumps expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = i < 500 ? "first" : "second" + std::to_string(i % 40);
    parts.emplace_back(call(i, resource(name)));
    expected.push_back(R"({"n":)" + std::to_string(i) + R"(,"resource":{"attributes":{"name":")" +
                       name + R"("}}})");
  }
  write(std::move(parts));
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(dumps({}), expected);
    CallQuery few;
    few.filter.trace_ids = {"trace"};
    EXPECT_EQ(dumps(few), expected);
    CallPage sorted;
    sorted.sort_by = {{"op_name", false}, {"started_at", false}};
    EXPECT_EQ(dumps({}, sorted), expected);
    sorted.limit = 700;
    sorted.offset = 100;
    EXPECT_EQ(dumps({}, sorted), Dumps(expected.begin() + 100, expected.begin() + 800));
    CallPage page;
    page.limit = 600;
    page.offset = 50;
    EXPECT_EQ(dumps(few, page), Dumps(expected.begin() + 50, expected.begin() + 650));
    Result<std::unique_ptr<CallView>> view = calls_.view({"prj_1", "team/app"});
    ASSERT_TRUE(view);
    const Result<std::optional<Call>> found = (*view)->find("call100007");
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->otel_dump, expected[7]);
    EXPECT_FALSE((*found)->otel_resource);
  });
}

TEST_F(OtelResourceTest, ManyLargeDumpsComeInSmallBatches) {
  const OtelResourcePtr large = resource(std::string(1 << 20, 'x'));
  std::vector<CallPart> parts;
  parts.reserve(64);
  for (int i = 0; i < 64; ++i) parts.emplace_back(call(i, large));
  write(std::move(parts));
  Result<std::unique_ptr<CallView>> view = calls_.view({"prj_1", "team/app"});
  ASSERT_TRUE(view);
  CallQuery few;
  few.filter.trace_ids = {"trace"};
  Result<std::unique_ptr<CallReader>> reader =
      (*view)->read(few, {}, {CallColumn::kId, CallColumn::kOtelDump});
  ASSERT_TRUE(reader);
  std::size_t calls = 0;
  while (true) {
    const Result<std::vector<Call>> batch = (*reader)->next();
    ASSERT_TRUE(batch);
    if (batch->empty()) break;
    EXPECT_LE(batch->size(), 8U);
    calls += batch->size();
  }
  EXPECT_EQ(calls, 64U);
}

TEST_F(OtelResourceTest, IsStoredOncePerProject) {
  for (int i = 0; i < 3; ++i) {
    write({call(i, resource("r")), call(10 + i, resource("r"))});
    write({call(i, resource("r"))}, "prj_2");
    if (i == 1) {
      ASSERT_TRUE(store_->flush());
    }
  }
  EXPECT_EQ(resourcesIn("prj_1"), 1U);
  EXPECT_EQ(resourcesIn("prj_2"), 1U);
  // Resources belong to one project: deleting it does not affect those of another.
  ASSERT_TRUE(store_->dropPartition("prj_1"));
  EXPECT_EQ(resourcesIn("prj_1"), 0U);
  EXPECT_EQ(dumps({}, {}, "prj_2").front(), R"({"n":0,"resource":{"attributes":{"name":"r"}}})");
}

TEST_F(OtelResourceTest, JournalGrowsByTheResourceOnce) {
  const std::string large(100'000, 'x');
  const auto journal = [this] {
    const std::string text = store_.metrics().prometheusText();
    const std::string name = "\nspindle_columnar_journal_bytes_total ";
    const std::size_t found = text.find(name);
    return found == std::string::npos ? 0.0 : std::stod(text.substr(found + name.size()));
  };
  std::vector<CallPart> parts;
  parts.reserve(1000);
  for (int i = 0; i < 1000; ++i) parts.emplace_back(call(i, resource(large)));
  const double before = journal();
  write(std::move(parts));
  EXPECT_GT(journal(), before + 100'000);
  EXPECT_LT(journal(), before + 1'000'000);
}

TEST_F(OtelResourceTest, ReadsRowsWithAnInlineResource) {
  CallComplete old = call(1, nullptr);
  old.start.otel_dump = R"({"n":1,"resource":{"inside":true}})";
  write({std::move(old)});
  beforeAndAfterAFlush(
      [&] { EXPECT_EQ(dumps({}), Dumps{R"({"n":1,"resource":{"inside":true}})"}); });
}

TEST_F(OtelResourceTest, FoldersWithoutTheFamilyAreOpened) {
  columnar::StoreForTest store{{callFamily()}};
  {
    ColumnarCallStore old(*store, kCalls, kResources, CallJoins{values_});
    CallComplete inside = call(1, nullptr);
    ASSERT_TRUE(old.write("prj_1", {std::move(inside)}));
  }
  store.reopen({callFamily(), otelResourceFamily()});
  ColumnarCallStore calls(*store, kCalls, kResources, CallJoins{values_});
  ASSERT_TRUE(calls.write("prj_1", {call(2, resource("r"))}));
  Result<std::unique_ptr<CallView>> view = calls.view({"prj_1", "team/app"});
  ASSERT_TRUE(view);
  const Result<std::optional<Call>> first = (*view)->find("call100001");
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->otel_dump, R"({"n":1})");
  const Result<std::optional<Call>> second = (*view)->find("call100002");
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->otel_dump, R"({"n":2,"resource":{"attributes":{"name":"r"}}})");
}

TEST_F(OtelResourceTest, UnusedResourcesAreRemovedAfterADay) {
  write({call(1, resource("used")), call(2, resource("unused"))});
  ASSERT_TRUE(store_->flush());
  write({CallDelete{"call100002"}});
  EXPECT_EQ(removeUnused(hours(23)), 0);
  EXPECT_EQ(removeUnused(hours(25)), 1);
  EXPECT_EQ(removeUnused(hours(25)), 0);
  beforeAndAfterAFlush([&] {
    EXPECT_EQ(resourcesIn("prj_1"), 1U);
    EXPECT_EQ(dumps({}), Dumps{R"({"n":1,"resource":{"attributes":{"name":"used"}}})"});
  });
}

TEST_F(OtelResourceTest, KeepsAResourceSeenAgain) {
  write({call(1, resource("r"))});
  write({CallDelete{"call100001"}});
  // Seen again 20 hours later, in a call that is deleted immediately.
  write({call(2, resource("r", hours(20)))});
  write({CallDelete{"call100002"}});
  EXPECT_EQ(removeUnused(hours(25)), 0);
  EXPECT_EQ(removeUnused(hours(45)), 1);
}

TEST_F(OtelResourceTest, RetentionLeavesNoResourceBehind) {
  CallComplete mortal = call(1, resource("r"));
  mortal.start.expire_at = at(hours(2));
  write({std::move(mortal)});
  ASSERT_TRUE(store_->flush());
  ASSERT_TRUE(calls_.removeExpired(at(hours(48))));
  EXPECT_EQ(removeUnused(hours(48)), 1);
  EXPECT_EQ(resourcesIn("prj_1"), 0U);
}

TEST_F(OtelResourceTest, AMissingResourceReadsAsAnEmptyOne) {
  write({call(1, resource("r"))});
  const Result<std::int64_t> removed =
      removeUnusedOtelResources(*store_, kResources, {}, at(hours(48)));
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 1);
  EXPECT_EQ(dumps({}),
            Dumps{R"({"n":1,"resource":{"attributes":{},"dropped_attributes_count":0}})"});
}

}  // namespace
}  // namespace spindle::tracing
