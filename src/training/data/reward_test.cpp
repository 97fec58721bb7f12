#include "training/data/reward.h"

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

using Numbers = std::vector<double>;

TEST(NumbersAtPaths, AreFoundInNestedValues) {
  const std::string json =
      R"({"output":{"score":0.5,"right":true,"wrong":false,"list":[1,{"x":2}]}})";
  EXPECT_EQ(numbersAt(json, "output.score"), Numbers{0.5});
  EXPECT_EQ(numbersAt(json, "output.right"), Numbers{1});
  EXPECT_EQ(numbersAt(json, "output.wrong"), Numbers{0});
  EXPECT_EQ(numbersAt(json, "output.list.0"), Numbers{1});
  EXPECT_EQ(numbersAt(json, "output.list.1.x"), Numbers{2});
  EXPECT_EQ(numbersAt("3", ""), Numbers{3});
  for (const char* path :
       {"", "output", "output.none", "output.list", "output.list.2", "output.list.x", "x.y"}) {
    EXPECT_EQ(numbersAt(json, path), Numbers()) << path;
  }
}

TEST(NumbersAtPaths, AreAllOfAList) {
  const std::string json = R"({"scores":[0.5,true,0],"none":[],"texts":["1"]})";
  EXPECT_EQ(numbersAt(json, "scores"), (Numbers{0.5, 1, 0}));
  EXPECT_EQ(numbersAt(json, "none"), Numbers());
  EXPECT_EQ(numbersAt(json, "texts"), Numbers());
}

TEST(NumbersAtPaths, TestWhetherAListContainsAText) {
  const std::string json = R"({"tags":["good","2"],"none":[]})";
  EXPECT_EQ(numbersAt(json, "tags.good"), Numbers{1});
  EXPECT_EQ(numbersAt(json, "tags.bad"), Numbers{0});
  EXPECT_EQ(numbersAt(json, "none.bad"), Numbers{0});
  EXPECT_EQ(numbersAt(json, "tags.good.more"), Numbers());
}

TEST(FeedbackOfACall, UsesTheNewest) {
  const std::string list =
      R"([{"feedback_type":"svc.note.1","payload":{"note":"x"}},)"
      R"({"feedback_type":"quality","payload":{"v":1}},)"
      R"({"feedback_type":"quality","payload":{"v":2,"each":[1,0]},"scorer_ratings":{"v":3},)"
      R"("scorer_tags":["good"]}])";
  EXPECT_EQ(feedbackNumbers(list, "quality", "v"), Numbers{2});
  EXPECT_EQ(feedbackNumbers(list, "quality", "each"), (Numbers{1, 0}));
  EXPECT_EQ(feedbackNumbers(list, "quality", "scorer_ratings.v"), Numbers{3});
  EXPECT_EQ(feedbackNumbers(list, "quality", "scorer_tags.good"), Numbers{1});
  EXPECT_EQ(feedbackNumbers(list, "quality", "w"), Numbers());
  EXPECT_EQ(feedbackNumbers(list, "other", "v"), Numbers());
  EXPECT_EQ(feedbackNumbers("{}", "quality", "v"), Numbers());
}

}  // namespace
}  // namespace spindle::training
