#include <string>

#include <gtest/gtest.h>

#include "query/dialect.h"
#include "tracing/metadata/annotation_item_repository.h"
#include "tracing/metadata/annotation_queue_repository.h"
#include "tracing/metadata/queue_fields.h"
#include "tracing/metadata/two_projects_for_test.h"

namespace spindle::tracing {
namespace {

using Texts = std::vector<std::string>;

class AnnotationRepositories : public TwoProjectsTest {
 protected:
  std::string queue(const std::string& name) {
    clock_.advance(std::chrono::seconds(1));
    Result<AnnotationQueue> made = queues_.insert(first_, {name, "", {}, "usr_1"});
    EXPECT_TRUE(made);
    return made ? made->id : "";
  }
  static QueuedCall call(const std::string& id, const std::string& op_name = "op") {
    return {id, timestampOfMicros(5), std::nullopt, op_name, "trace " + id};
  }
  AddedItems add(const std::string& queue, const std::vector<QueuedCall>& calls) {
    Result<AddedItems> added = items_.add(first_, queue, calls, {"inputs.a"}, "usr_1");
    EXPECT_TRUE(added);
    return added ? *added : AddedItems();
  }
  Texts named(std::string_view name, const AnnotationPage& page = {}) {
    Texts names;
    const Result<std::vector<AnnotationQueue>> found = queues_.list(first_, name, page);
    EXPECT_TRUE(found);
    for (const AnnotationQueue& each : *found) names.push_back(each.name);
    return names;
  }
  std::vector<AnnotationItem> listed(const std::string& queue,
                                     const AnnotationItemFilter& filter = {},
                                     const AnnotationPage& page = {}) {
    Result<std::vector<AnnotationItem>> found = items_.list(first_, queue, filter, page, true);
    EXPECT_TRUE(found);
    return found ? *std::move(found) : std::vector<AnnotationItem>();
  }
  Texts callsOf(const std::vector<AnnotationItem>& items) {
    Texts ids;
    for (const AnnotationItem& item : items) ids.push_back(item.call_id);
    return ids;
  }

  AnnotationQueueRepository queues_{*database_, clock_};
  AnnotationItemRepository items_{*database_, clock_};
};

TEST_P(AnnotationRepositories, StoreAQueue) {
  const Result<AnnotationQueue> made =
      queues_.insert(first_, {"name", "text", {"ref \"1\"", "ref 2"}, "usr_1"});
  ASSERT_TRUE(made);
  const Result<AnnotationQueue> found = queues_.find(first_, made->id);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "name");
  EXPECT_EQ(found->description, "text");
  EXPECT_EQ(found->scorer_refs, (Texts{"ref \"1\"", "ref 2"}));
  EXPECT_EQ(found->created_by, "usr_1");
  EXPECT_EQ(found->created_at, clock_.now());
  EXPECT_EQ(found->deleted_at, std::nullopt);
  EXPECT_EQ(codeOf(queues_.find(second_, made->id)), ErrorCode::kNotFound);
  EXPECT_TRUE(*queues_.exists(first_, made->id));
  EXPECT_FALSE(*queues_.exists(second_, made->id));
  EXPECT_FALSE(*queues_.exists(first_, "none"));
}

TEST_P(AnnotationRepositories, UpdateOnlyTheGivenFields) {
  const std::string id = queue("name");
  clock_.advance(std::chrono::seconds(1));
  AnnotationQueueChange change;
  EXPECT_LT(queues_.update(first_, id, change)->updated_at, clock_.now()) << "nothing asked for";
  change.scorer_refs = Texts{"ref"};
  const Result<AnnotationQueue> changed = queues_.update(first_, id, change);
  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->name, "name");
  EXPECT_EQ(changed->scorer_refs, Texts{"ref"});
  EXPECT_EQ(changed->updated_at, clock_.now());
  EXPECT_EQ(codeOf(queues_.update(second_, id, change)), ErrorCode::kNotFound);
}

TEST_P(AnnotationRepositories, MarkADeletedQueueAndKeepItsItems) {
  const std::string id = queue("name");
  add(id, {call("a")});
  const Result<AnnotationQueue> removed = queues_.remove(first_, id);
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->deleted_at, clock_.now());
  EXPECT_EQ(codeOf(queues_.find(first_, id)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(queues_.remove(first_, id)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(items_.add(first_, id, {call("b")}, {}, "usr_1")), ErrorCode::kNotFound);
  EXPECT_FALSE(*queues_.exists(first_, id));
  EXPECT_TRUE(named("").empty());
  const std::vector<AnnotationItem> left = listed(id);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_TRUE(items_.setState(first_, id, left[0].id, "usr_1", AnnotationState::kCompleted));
}

TEST_P(AnnotationRepositories, FindQueuesByAPartOfTheirName) {
  queue("Alpha one");
  queue("beta");
  queue("ALPHA two");
  EXPECT_EQ(named(""), (Texts{"ALPHA two", "beta", "Alpha one"}));
  EXPECT_EQ(named("aLPHa"), (Texts{"ALPHA two", "Alpha one"}));
  EXPECT_EQ(named("%"), Texts());
  AnnotationPage page;
  page.sort_by = {{"name", false}};
  EXPECT_EQ(named("", page), (Texts{"ALPHA two", "Alpha one", "beta"}));
  page.limit = 1;
  page.offset = 1;
  EXPECT_EQ(named("alpha", page), Texts{"Alpha one"});
  page.limit = 0;
  EXPECT_EQ(named("", page), Texts());
  page.sort_by = {{"id; DROP TABLE annotation_queues", false}};
  EXPECT_EQ(codeOf(queues_.list(first_, "", page)), ErrorCode::kInvalidArgument);
}

TEST_P(AnnotationRepositories, AddACallOnce) {
  const std::string id = queue("name");
  const std::string other = queue("other");
  EXPECT_EQ(add(id, {call("a"), call("b")}).added, 2);
  const AddedItems again = add(id, {call("b"), call("c")});
  EXPECT_EQ(again.added, 1);
  EXPECT_EQ(again.duplicates, 1);
  EXPECT_EQ(add(other, {call("a")}).added, 1) << "once in each queue";
  const std::vector<AnnotationItem> all = listed(id);
  EXPECT_EQ(callsOf(all), (Texts{"a", "b", "c"}));
  EXPECT_EQ(all[2].position, 3);
  EXPECT_EQ(all[0].state, AnnotationState::kUnstarted);
  EXPECT_EQ(all[0].annotator_id, std::nullopt);
  EXPECT_EQ(all[0].added_by, "usr_1");
  EXPECT_EQ(all[0].display_fields, Texts{"inputs.a"});
  EXPECT_EQ(all[0].call_trace_id, "trace a");
  EXPECT_EQ(codeOf(items_.add(second_, id, {call("z")}, {}, "usr_1")), ErrorCode::kNotFound);
}

TEST_P(AnnotationRepositories, FilterSortAndPageItems) {
  const std::string id = queue("name");
  add(id, {call("a", "x"), call("b", "y"), call("c", "x")});
  const std::vector<AnnotationItem> all = listed(id);
  ASSERT_TRUE(items_.setState(first_, id, all[1].id, "usr_1", AnnotationState::kSkipped));
  AnnotationItemFilter filter;
  filter.call_op_name = "x";
  EXPECT_EQ(callsOf(listed(id, filter)), (Texts{"a", "c"}));
  EXPECT_EQ(listed(id, filter)[1].position, 3);
  filter.call_id = "c";
  EXPECT_EQ(callsOf(listed(id, filter)), Texts{"c"});
  AnnotationItemFilter by_state;
  by_state.states = {AnnotationState::kUnstarted, AnnotationState::kCompleted};
  EXPECT_EQ(callsOf(listed(id, by_state)), (Texts{"a", "c"}));
  by_state.states = {AnnotationState::kSkipped};
  EXPECT_EQ(callsOf(listed(id, by_state)), Texts{"b"});
  AnnotationPage page;
  page.sort_by = {{"annotator_user_id", false}, {"call_id", true}};
  EXPECT_EQ(callsOf(listed(id, {}, page)), (Texts{"b", "c", "a"})) << "nulls come last";
  page.limit = 1;
  page.offset = 1;
  EXPECT_EQ(callsOf(listed(id, {}, page)), Texts{"c"});
  page.sort_by = {{"position", false}};
  EXPECT_EQ(codeOf(items_.list(first_, id, {}, page, false)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(items_.list(first_, "none", {}, {}, false)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(items_.list(second_, id, {}, {}, false)), ErrorCode::kNotFound);
}

TEST_P(AnnotationRepositories, StoreTheStateOfEachAnnotator) {
  const std::string id = queue("name");
  add(id, {call("a")});
  const std::string item = listed(id)[0].id;
  const auto set = [&](const std::string& user, AnnotationState state) {
    return items_.setState(first_, id, item, user, state);
  };
  ASSERT_TRUE(set("usr_1", AnnotationState::kInProgress));
  ASSERT_TRUE(set("usr_1", AnnotationState::kCompleted));
  EXPECT_EQ(codeOf(set("usr_1", AnnotationState::kSkipped)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(listed(id)[0].annotator_id, "usr_1");
  const Result<AnnotationItem> other = set("usr_2", AnnotationState::kInProgress);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->state, AnnotationState::kInProgress);
  EXPECT_EQ(listed(id)[0].state, AnnotationState::kInProgress) << "the newest";
  EXPECT_EQ(listed(id)[0].annotator_id, "usr_2");
  const Result<AnnotationItem> same = set("usr_1", AnnotationState::kCompleted);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->state, AnnotationState::kCompleted);
  EXPECT_EQ(listed(id)[0].annotator_id, "usr_2") << "nothing was noted anew";
  EXPECT_EQ(codeOf(items_.setState(first_, id, "none", "usr_1", AnnotationState::kCompleted)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(codeOf(items_.setState(second_, id, item, "usr_1", AnnotationState::kCompleted)),
            ErrorCode::kNotFound);
}

TEST_P(AnnotationRepositories, CountCompletedItems) {
  const std::string id = queue("name");
  add(id, {call("a"), call("b"), call("c"), call("d")});
  const std::vector<AnnotationItem> all = listed(id);
  ASSERT_TRUE(items_.setState(first_, id, all[0].id, "usr_1", AnnotationState::kCompleted));
  ASSERT_TRUE(items_.setState(first_, id, all[0].id, "usr_2", AnnotationState::kInProgress));
  ASSERT_TRUE(items_.setState(first_, id, all[1].id, "usr_1", AnnotationState::kSkipped));
  ASSERT_TRUE(items_.setState(first_, id, all[2].id, "usr_1", AnnotationState::kInProgress));
  const Result<std::vector<AnnotationQueueStats>> stats = queues_.stats(first_, {"none", id});
  ASSERT_TRUE(stats);
  ASSERT_EQ(stats->size(), 2U);
  EXPECT_EQ((*stats)[0].total_items, 0);
  EXPECT_EQ((*stats)[1].total_items, 4);
  EXPECT_EQ((*stats)[1].completed_items, 2);
  EXPECT_EQ((*queues_.stats(second_, {id}))[0].total_items, 0);
}

TEST_P(AnnotationRepositories, ListTheQueuesOfCalls) {
  const std::string id = queue("name");
  add(id, {call("a"), call("b")});
  const Result<std::vector<QueueMembership>> memberships = items_.memberships(first_);
  ASSERT_TRUE(memberships);
  ASSERT_EQ(memberships->size(), 2U);
  EXPECT_EQ((*memberships)[1].call_id, "b");
  EXPECT_EQ((*memberships)[1].queue_id, id);
  EXPECT_TRUE(items_.memberships(second_)->empty());
  const Result<std::unique_ptr<query::Fields>> fields =
      queueFields(items_, first_, query::duckDbDialect());
  ASSERT_TRUE(fields);
  const Result<query::Field> field = (*fields)->resolve("annotation_queue_items.queue_id");
  ASSERT_TRUE(field);
  EXPECT_TRUE(field->rows);
  EXPECT_EQ(codeOf((*fields)->resolve("annotation_queue_items.id")), ErrorCode::kUnprocessable);
}

SPINDLE_ON_BOTH_ENGINES(AnnotationRepositories);

}  // namespace
}  // namespace spindle::tracing
