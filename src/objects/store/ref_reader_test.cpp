#include "objects/store/ref_reader.h"

#include "identity/access/access.h"
#include "objects/store/caller_projects.h"
#include "objects/store/objects_for_test.h"

namespace spindle::objects {
namespace {

class Refs : public ObjectsContract {
 protected:
  std::string refTo(const std::string& name, const std::string& digest) {
    return "svc-trace-internal:///" + project_ + "/object/" + name + ":" + digest;
  }
  /// Returns the value of a ref, or `missing`.
  std::string at(const std::string& text) {
    const Result<std::vector<RefValue>> values = refs_.read({*parseRef(text)});
    EXPECT_TRUE(values);
    const RefValue& value = values->front();
    return value.state == RefValue::State::kMissing ? "missing" : value.value;
  }
};

TEST_P(Refs, ReadValuesAndPathsIntoThem) {
  const std::string x = refTo("x", publish("x", R"({"a":{"b":[1,{"c":true}]},"n":null})"));
  EXPECT_EQ(at(x), R"({"a":{"b":[1,{"c":true}]},"n":null})");
  EXPECT_EQ(at(x + "/attr/a/key/b/index/1/key/c"), "true");
  EXPECT_EQ(at(x + "/key/n"), "null");
  EXPECT_EQ(at(x + "/key/zz/key/y"), "null");
  EXPECT_EQ(at(x + "/index/0"), "null");
  EXPECT_EQ(at(refTo("x", "nope")), "missing");
  EXPECT_EQ(at(refTo("y", valueDigest("1").digest)), "missing");
}

TEST_P(Refs, AreNullWhenTheObjectWasDeleted) {
  const std::string x = refTo("x", publish("x", "1"));
  ASSERT_TRUE(objects_.remove(project_, "x", std::nullopt));
  EXPECT_EQ(at(x), "null");
}

TEST_P(Refs, FollowRefsInTheSameProject) {
  const std::string leaf = refTo("leaf", publish("leaf", R"({"deep":[7]})"));
  const std::string middle = refTo("middle", publish("middle", R"({"next":")" + leaf + R"("})"));
  const std::string top = refTo("top", publish("top", R"({"m":")" + middle + R"("})"));
  EXPECT_EQ(at(top + "/attr/m/attr/next/key/deep/index/0"), "7");
  EXPECT_EQ(at(top + "/attr/m/attr/next"), R"({"deep":[7]})");
  EXPECT_EQ(at(top + "/attr/m"), R"({"next":")" + leaf + R"("})");
  EXPECT_EQ(at(top), R"({"m":")" + middle + R"("})");
  ASSERT_TRUE(objects_.remove(project_, "leaf", std::nullopt));
  EXPECT_EQ(at(top + "/attr/m/attr/next/key/deep"), "null");
}

TEST_P(Refs, EndAtOtherProjectsAndMissingObjects) {
  const std::string digest = publish("x", "1");
  const std::string away = "svc-trace-internal:///" + other_ + "/object/x:" + digest;
  const std::string gone = refTo("gone", "nope");
  const std::string top =
      refTo("top", publish("top", R"({"away":")" + away + R"(","gone":")" + gone + R"("})"));
  EXPECT_EQ(at(top + "/key/away"), "null");
  EXPECT_EQ(at(top + "/key/away/key/z"), "null");
  EXPECT_EQ(at(top + "/key/gone"), "null");
}

TEST_P(Refs, FindRowsOfTables) {
  const std::string table = storeTable({R"({"q":"one"})", R"({"q":"two"})"});
  const std::string ref = "svc-trace-internal:///" + project_ + "/table/" + table;
  const std::string data = refTo("data", publish("data", R"({"rows":")" + ref + R"("})"));
  const std::string second = valueDigest(R"({"q":"two"})").digest;
  EXPECT_EQ(at(data + "/attr/rows/id/" + second), R"({"q":"two"})");
  EXPECT_EQ(at(data + "/attr/rows/id/" + second + "/key/q"), R"("two")");
  EXPECT_EQ(at(data + "/attr/rows/id/nope"), "null");
  EXPECT_EQ(at(data + "/attr/rows/index/0"), "null");
  EXPECT_EQ(at(data + "/attr/rows"), "\"" + ref + "\"");
}

TEST_P(Refs, AreReadInRequestOrder) {
  std::vector<Ref> refs;
  std::string expected;
  for (int i = 0; i < 300; ++i) {
    const int value = i % 150;
    const std::string name = "x" + std::to_string(value);
    const std::string json = "[" + std::to_string(value) + "]";
    const std::string digest = i < 150 ? publish(name, json) : valueDigest(json).digest;
    refs.push_back(*parseRef(refTo(name, digest) + "/index/0"));
    expected += std::to_string(value) + " ";
  }
  refs.push_back(*parseRef(refTo("x0", "nope")));
  expected += "null ";
  const Result<std::vector<RefValue>> values = refs_.read(refs);
  ASSERT_TRUE(values);
  std::string found;
  for (const RefValue& value : *values) found += value.value + " ";
  EXPECT_EQ(found, expected);
  EXPECT_EQ(*refs_.missing(refs), std::vector<std::string>{"nope"});
}

TEST_P(Refs, ResolveOnlyReadableProjects) {
  const identity::User stranger = person("stranger");
  const identity::User admin = person("root", true);
  identity::Access access(access_facts_, projects_);
  CallerProjects mine(access, projects_, lead_.id);
  EXPECT_EQ(*mine.internalOf("acme/lab"), project_);
  EXPECT_EQ(*mine.externalOf(project_), "acme/lab");
  EXPECT_EQ(*mine.internalOf("acme/new"), std::nullopt);
  EXPECT_EQ(*mine.internalOf("nobody/lab"), std::nullopt);
  EXPECT_EQ(*mine.internalOf("nonsense"), std::nullopt);
  EXPECT_EQ(*mine.externalOf("prj_none"), std::nullopt);
  CallerProjects theirs(access, projects_, stranger.id);
  EXPECT_EQ(*theirs.internalOf("acme/lab"), std::nullopt);
  EXPECT_EQ(*theirs.externalOf(project_), std::nullopt);
  theirs.addReadable("acme/lab", project_);
  EXPECT_EQ(*theirs.externalOf(project_), "acme/lab");
  CallerProjects all(access, projects_, admin.id);
  EXPECT_EQ(*all.externalOf(other_), "acme/other");
}

TEST_P(Refs, DoNotOpenFilesOfOtherProjects) {
  const std::string digest = contentDigest("hello");
  ASSERT_TRUE(files_.put(project_, digest, "hello"));
  ASSERT_TRUE(files_.put(project_, digest, "hello"));
  Result<FileReader> file = files_.open(project_, digest);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->size(), 5);
  EXPECT_EQ(*file->next(3), "hel");
  EXPECT_EQ(*file->next(3), "lo");
  EXPECT_EQ(*file->next(3), "");
  EXPECT_EQ(codeOf(files_.open(other_, digest)), ErrorCode::kNotFound);
  EXPECT_EQ(codeOf(files_.open(project_, "nope")), ErrorCode::kNotFound);
  EXPECT_EQ(*files_.storageSize(project_), 5);
  EXPECT_EQ(*files_.storageSize(other_), 0);
}

SPINDLE_ON_BOTH_ENGINES(Refs);

}  // namespace
}  // namespace spindle::objects
