#include "objects/store/object_repository.h"

#include "objects/store/objects_for_test.h"

namespace spindle::objects {
namespace {

class Objects : public ObjectsContract {
 protected:
  ObjectVersion found(const std::string& object_id, const std::string& version) {
    Result<ObjectVersion> object = objects_.find(project_, object_id, version, true);
    EXPECT_TRUE(object) << object_id << ":" << version;
    return object ? *std::move(object) : ObjectVersion{};
  }
  /// Returns `name:vN` of each version, with `*` after the latest.
  std::string listed(const ObjectQuery& query = {}) {
    const Result<std::vector<ObjectVersion>> versions = objects_.query(project_, query);
    EXPECT_TRUE(versions);
    std::string text;
    for (const ObjectVersion& version : versions ? *versions : std::vector<ObjectVersion>()) {
      text += version.object_id + ":v" + std::to_string(version.version_index) +
              (version.is_latest ? "* " : " ");
    }
    return text;
  }
};

constexpr const char* kModel =
    R"({"_class_name":"MyModel","_bases":["Model","Object","BaseModel"],"n":1})";
constexpr const char* kOp = R"({"_type":"CustomSvcType","svc_type":{"type":"Op"},"files":{}})";

TEST_P(Objects, AreNumberedInTheOrderTheyWerePublished) {
  const std::string first = publish("x", R"({"a":1})");
  const std::string second = publish("x", R"({"a":2})");
  publish("y", "5");
  EXPECT_EQ(listed(), "x:v0 x:v1* y:v0* ");
  EXPECT_EQ(found("x", "latest").digest, second);
  EXPECT_EQ(found("x", "v0").digest, first);
  EXPECT_EQ(found("x", first).value, R"({"a":1})");
  EXPECT_EQ(found("x", first).size_bytes, 8);
  EXPECT_EQ(found("x", first).user_id, lead_.id);
  EXPECT_EQ(found("y", "latest").version_index, 0);
}

TEST_P(Objects, BecomeLatestAgainWhenTheirContentIsPublishedAgain) {
  const std::string first = publish("x", "1");
  const Timestamp created = clock_.now();
  publish("x", "2");
  EXPECT_EQ(publish("x", "1"), first);
  EXPECT_EQ(listed(), "x:v0* x:v1 ");
  EXPECT_EQ(found("x", "latest").digest, first);
  EXPECT_EQ(found("x", "latest").created_at, created);
  publish("x", "3");
  EXPECT_EQ(listed(), "x:v0 x:v1 x:v2* ");
}

TEST_P(Objects, UnknownNamesAndVersionsAreNotFound) {
  publish("x", "1");
  for (const std::string version : {"v1", "v-1", "v", "nope", "", "latest "}) {
    const Result<ObjectVersion> missing = objects_.find(project_, "x", version, true);
    ASSERT_FALSE(missing) << version;
    EXPECT_EQ(missing.error().message(), "Obj x:" + version + " not found");
    EXPECT_TRUE(missing.error().members().empty());
  }
  EXPECT_EQ(codeOf(objects_.find(project_, "y", "latest", true)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.find(other_, "x", "latest", true)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.find("", "x", "latest", true)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.find(project_, std::string("x\0y", 3), "latest", true)),
            ErrorCode::kNotFound);
}

TEST_P(Objects, ReportWhenTheyWereDeleted) {
  publish("x", "1");
  const std::string second = publish("x", "2");
  clock_.advance(std::chrono::seconds(1));
  const Result<std::vector<ObjectVersion>> gone =
      objects_.remove(project_, "x", std::vector<std::string>{"latest"});
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->front().digest, second);
  EXPECT_EQ(listed(), "x:v0* ");
  for (const std::string& version : {second, std::string("v1")}) {
    const Result<ObjectVersion> deleted = objects_.find(project_, "x", version, true);
    ASSERT_FALSE(deleted);
    const std::string when = formatTimestamp(clock_.now());
    EXPECT_EQ(deleted.error().message(), "x:v1 was deleted at " + when);
    EXPECT_EQ(deleted.error().members().front().first, "deleted_at");
    EXPECT_EQ(deleted.error().members().front().second, "\"" + when + "\"");
  }
  ASSERT_TRUE(objects_.remove(project_, "x", std::nullopt));
  EXPECT_EQ(objects_.find(project_, "x", "latest", true).error().message(),
            "Obj x:latest not found");
}

TEST_P(Objects, RestoredVersionsKeepTheirNumber) {
  publish("x", "1");
  publish("x", "2");
  publish("x", "3");
  ASSERT_TRUE(objects_.remove(project_, "x", std::nullopt));
  EXPECT_EQ(listed(), "");
  publish("x", "2");
  EXPECT_EQ(listed(), "x:v1* ");
  EXPECT_EQ(found("x", "latest").created_at, clock_.now());
  publish("x", "4");
  EXPECT_EQ(listed(), "x:v1 x:v3* ");
}

TEST_P(Objects, AreDeletedAllOrNotAtAll) {
  const std::string first = publish("x", "1");
  publish("x", "2");
  EXPECT_EQ(codeOf(objects_.remove(project_, "x", std::vector<std::string>{first, "nope"})),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.remove(project_, "x", std::vector<std::string>{})),
            ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.remove(project_, "y", std::nullopt)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(objects_.remove(other_, "x", std::nullopt)), ErrorCode::kNotFound);
  EXPECT_EQ(listed(), "x:v0 x:v1* ");
  // Two names of one version delete it once.
  EXPECT_EQ(objects_.remove(project_, "x", std::vector<std::string>{first, "v0"})->size(), 1);
  EXPECT_EQ(codeOf(objects_.remove(project_, "x", std::vector<std::string>{first})),
            ErrorCode::kNotFound);
  EXPECT_EQ(listed(), "x:v1* ");
}

TEST_P(Objects, DeletingTheLatestPromotesThePreviousVersion) {
  publish("x", "1");
  publish("x", "2");
  publish("x", "3");
  publish("x", "1");
  ASSERT_TRUE(objects_.remove(project_, "x", std::vector<std::string>{"v0"}));
  EXPECT_EQ(listed(), "x:v1 x:v2* ");
}

TEST_P(Objects, HaveOneBaseClass) {
  publish("m", kModel);
  const Result<void> refused = objects_.publish(objectOf("m", "5"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message().find("Cannot publish 'm' as a untyped object: "), 0);
  publish("n", "5");
  const Result<void> other = objects_.publish(objectOf("n", kModel));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message().find("Cannot publish 'n' as a Model: "), 0);
  // A name is free again after its versions were deleted.
  ASSERT_TRUE(objects_.remove(project_, "n", std::nullopt));
  publish("n", kModel);
  EXPECT_EQ(listed(), "m:v0* n:v1* ");
}

TEST_P(Objects, MayShareANameWithAnOp) {
  publish("f", "5");
  publish("f", kOp);
  EXPECT_EQ(listed(), "f:v0* f:v0* ");
  EXPECT_EQ(found("f", "latest").classes.kind, ObjectKind::kOp);
  ObjectQuery ops;
  ops.filter.is_op = true;
  EXPECT_EQ(listed(ops), "f:v0* ");
}

TEST_P(Objects, AreFilteredByClassNameKindAndLabel) {
  publish("plain", "1");
  const std::string plain = publish("plain", "2");
  publish("model", kModel);
  publish("op", kOp);
  const auto with = [this](auto change) {
    ObjectQuery query;
    change(query.filter);
    return listed(query);
  };
  EXPECT_EQ(with([](ObjectFilter& f) {
              f.base_object_classes = {"Model", "Dataset"};
            }),
            "model:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.exclude_base_object_classes = {"Model"}; }),
            "plain:v0 plain:v1* op:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.leaf_object_classes = {"MyModel"}; }), "model:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) {
              f.object_ids = {"op", "model", "gone"};
            }),
            "model:v0* op:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.is_op = true; }), "op:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.is_op = false; }), "plain:v0 plain:v1* model:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.latest_only = true; }), "plain:v1* model:v0* op:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.aliases = {"latest"}; }), "plain:v1* model:v0* op:v0* ");
  ASSERT_TRUE(labels_.addTags({project_, "plain", "v0"}, {"old", "first"}));
  ASSERT_TRUE(labels_.setAliases({project_, "plain", "v0"}, {"prod"}));
  EXPECT_EQ(with([](ObjectFilter& f) { f.tags = {"old", "none"}; }), "plain:v0 ");
  EXPECT_EQ(with([](ObjectFilter& f) { f.aliases = {"prod"}; }), "plain:v0 ");
  EXPECT_EQ(with([](ObjectFilter& f) {
              f.aliases = {"prod", "latest"};
            }),
            "plain:v0 plain:v1* model:v0* op:v0* ");
  EXPECT_EQ(with([](ObjectFilter& f) {
              f.tags = {"old"};
              f.latest_only = true;
            }),
            "");
  ObjectQuery many;
  many.filter.object_ids.assign(1001, "x");
  EXPECT_EQ(codeOf(objects_.query(project_, many)), ErrorCode::kInvalidArgument);
}

TEST_P(Objects, AreSortedAndPaged) {
  for (const std::string id : {"b", "c", "a"}) {
    publish(id, "1");
    publish(id, "2");
  }
  ObjectQuery query;
  query.limit = 3;
  query.offset = 1;
  EXPECT_EQ(listed(query), "b:v1* c:v0 c:v1* ");
  query = {};
  query.order = {{ObjectOrder::Field::kObjectId, false}};
  EXPECT_EQ(listed(query), "a:v0 a:v1* b:v0 b:v1* c:v0 c:v1* ");
  query.order = {{ObjectOrder::Field::kObjectId, true}, {ObjectOrder::Field::kCreatedAt, true}};
  EXPECT_EQ(listed(query), "c:v1* c:v0 b:v1* b:v0 a:v1* a:v0 ");
  query.limit = 0;
  EXPECT_EQ(listed(query), "");
  query = {};
  query.offset = 5;
  EXPECT_EQ(listed(query), "a:v1* ");
}

TEST_P(Objects, AreReadInPagesThatFollowAPosition) {
  for (const char* value : {"1", "2", "3"}) {
    publish("x", value);
    publish("y", value);
  }
  for (const bool newest_first : {false, true}) {
    ObjectQuery query;
    query.newest_first = newest_first;
    const std::string all = listed(query);
    query.limit = 2;
    std::string pages;
    for (std::string page = listed(query); !page.empty(); page = listed(query)) {
      pages += page;
      const Result<std::vector<ObjectVersion>> versions = objects_.query(project_, query);
      ASSERT_TRUE(versions);
      const ObjectVersion& last = versions->back();
      query.after = {last.created_at, last.version_index, last.id};
    }
    EXPECT_EQ(pages, all);
    EXPECT_EQ(all.substr(0, 5), newest_first ? "y:v2*" : "x:v0 ");
  }
}

TEST_P(Objects, LoadTheirValuesInBatches) {
  for (int i = 0; i < 200; ++i) publish("x", std::to_string(i));
  Result<std::vector<ObjectVersion>> versions = objects_.query(project_, {});
  ASSERT_TRUE(versions);
  ASSERT_TRUE(objects_.loadValues(*versions, 10, 150));
  EXPECT_EQ((*versions)[9].value, "");
  EXPECT_EQ((*versions)[10].value, "10");
  EXPECT_EQ((*versions)[159].value, "159");
  EXPECT_EQ((*versions)[160].value, "");
  ASSERT_TRUE(objects_.loadValues(*versions, 199, 150));
  EXPECT_EQ((*versions)[199].value, "199");
}

TEST_P(Objects, AreReadByExactKeys) {
  const std::string one = publish("x", "1");
  const std::string two = publish("y", "2");
  ASSERT_TRUE(objects_.remove(project_, "y", std::nullopt));
  const std::vector<ObjectKey> keys = {{ObjectKind::kObject, "x", one},
                                       {ObjectKind::kOp, "x", one},
                                       {ObjectKind::kObject, "z", one},
                                       {ObjectKind::kObject, "y", two},
                                       {ObjectKind::kObject, "x", one}};
  const Result<std::vector<StoredValue>> values = objects_.values(project_, keys);
  ASSERT_TRUE(values);
  using State = StoredValue::State;
  const std::vector<State> states = {State::kFound, State::kMissing, State::kMissing,
                                     State::kDeleted, State::kFound};
  for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ((*values)[i].state, states[i]) << i;
  EXPECT_EQ((*values)[0].value, "1");
  EXPECT_EQ((*values)[4].value, "1");
  EXPECT_EQ(objects_.values(project_, keys, false)->front().value, "");
  EXPECT_EQ(objects_.values(other_, keys)->front().state, State::kMissing);
}

TEST_P(Objects, StorageSizeCountsLiveVersions) {
  EXPECT_EQ(*objects_.storageSize(project_), 0);
  publish("x", R"({"a":1})");
  publish("y", R"({"a":1})");
  EXPECT_EQ(*objects_.storageSize(project_), 16);
  ASSERT_TRUE(objects_.remove(project_, "y", std::nullopt));
  EXPECT_EQ(*objects_.storageSize(project_), 8);
  EXPECT_EQ(*objects_.storageSize(other_), 0);
}

TEST_P(Objects, AreDeletedWithTheirProject) {
  publish("x", "1");
  storeTable({R"({"a":1})"});
  ASSERT_TRUE(labels_.addTags({project_, "x", "v0"}, {"t"}));
  ASSERT_TRUE(files_.put(project_, contentDigest("hello"), "hello"));
  ASSERT_TRUE(projects_.remove(project_));
  EXPECT_EQ(listed(), "");
  EXPECT_EQ(*tables_.storageSize(project_), 0);
  EXPECT_EQ(*files_.storageSize(project_), 0);
}

SPINDLE_ON_BOTH_ENGINES(Objects);

}  // namespace
}  // namespace spindle::objects
