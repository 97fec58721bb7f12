#include "objects/store/op.h"

#include "objects/store/objects_for_test.h"
#include "objects/values/object_id.h"

namespace spindle::objects {
namespace {

class Ops : public ObjectsContract {
 protected:
  std::string publishOpOf(std::string_view source) {
    Result<std::string> digest =
        publishOp(files_, objects_, {project_, "chat_m", source, lead_.id});
    EXPECT_TRUE(digest);
    return digest ? *std::move(digest) : "";
  }
};

TEST_P(Ops, ArePublishedWithTheirSourceInAFile) {
  const std::string digest = publishOpOf(kNoSource);
  const Result<ObjectVersion> op = objects_.find(project_, "chat_m", digest, true);
  ASSERT_TRUE(op);
  EXPECT_EQ(op->classes.kind, ObjectKind::kOp);
  EXPECT_EQ(op->user_id, lead_.id);
  EXPECT_NE(op->value.find("obj.py"), std::string::npos);
}

TEST_P(Ops, StayUnchangedWhenPublishedAgain) {
  const std::string first = publishOpOf("def a(): ...");
  const std::string second = publishOpOf("def b(): ...");
  EXPECT_NE(first, second);
  EXPECT_EQ(publishOpOf("def a(): ..."), first);
  EXPECT_EQ(objects_.find(project_, "chat_m", "latest", false)->digest, second);
}

SPINDLE_ON_BOTH_ENGINES(Ops);

TEST(ObjectId, IsDerivedFromAName) {
  EXPECT_EQ(idFromName("My Data Set/1"), "my_data_set_1");
  EXPECT_EQ(idFromName("a.b-c_d?!\xC3\xA9"), "a.b-c_d");
  EXPECT_EQ(idFromName(""), "");
}

}  // namespace
}  // namespace spindle::objects
