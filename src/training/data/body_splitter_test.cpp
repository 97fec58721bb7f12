#include "training/data/body_splitter.h"

#include <vector>

#include <gtest/gtest.h>

namespace spindle::training {
namespace {

struct Split {
  std::vector<std::string> items;
  std::vector<std::size_t> positions;
  std::string skeleton;
  std::optional<BodySplitter::Broken> broken;
};

Split split(std::string_view text, std::size_t piece) {
  Split split;
  BodySplitter splitter("groups", [&](std::string item, std::size_t position) {
    split.items.push_back(std::move(item));
    split.positions.push_back(position);
  });
  for (std::size_t at = 0; at < text.size(); at += piece) splitter.feed(text.substr(at, piece));
  splitter.finish();
  split.skeleton = splitter.skeleton();
  split.broken = splitter.broken();
  return split;
}

class SplittingABody : public ::testing::TestWithParam<std::size_t> {
 protected:
  Split operator()(std::string_view text) const { return split(text, GetParam()); }
  std::string brokenBy(std::string_view text) const {
    const Split outcome = (*this)(text);
    if (!outcome.broken) return "";
    return std::to_string(outcome.broken->position) + " " + outcome.broken->message;
  }
};

TEST_P(SplittingABody, PassesItemsAndKeepsTheSkeleton) {
  const Split outcome =
      (*this)(R"( { "model_id" : "x", "groups" : [ {"a":[1,{"b":"]}"}]} , 2 ,"c\"]", [] ],)"
              R"("config":{"groups":[1]}, "n": -1.5e3 } )");
  EXPECT_FALSE(outcome.broken);
  EXPECT_EQ(outcome.items,
            (std::vector<std::string>{R"({"a":[1,{"b":"]}"}]})", "2", R"("c\"]")", "[]"}));
  EXPECT_EQ(outcome.skeleton, R"({"model_id":"x","groups":[],"config":{"groups":[1]},"n":-1.5e3})");
}

TEST_P(SplittingABody, ReportsItemPositionsInCharacters) {
  const Split outcome = (*this)("{\"x\":\"☃☃\",\"groups\":[1, {\"y\":\"é\"}]}");
  EXPECT_EQ(outcome.positions, (std::vector<std::size_t>{20, 23}));
}

TEST_P(SplittingABody, AcceptsEmptyArray) {
  EXPECT_EQ((*this)(R"({"groups":[]})").skeleton, R"({"groups":[]})");
  EXPECT_EQ((*this)("{}").skeleton, "{}");
}

TEST_P(SplittingABody, LeavesOtherValuesToTheParser) {
  EXPECT_EQ((*this)(R"({"groups":{"a":1}})").skeleton, R"({"groups":{"a":1}})");
  EXPECT_EQ((*this)(R"({"groups":null})").skeleton, R"({"groups":null})");
  EXPECT_EQ((*this)("[1, 2]").skeleton, "[1, 2]");
  EXPECT_EQ((*this)("nonsense").skeleton, "nonsense");
  EXPECT_EQ((*this)("").skeleton, "");
}

TEST_P(SplittingABody, LeavesASecondArrayOfTheNameToTheParser) {
  const Split outcome = (*this)(R"({"groups":[1],"groups":[2]})");
  EXPECT_EQ(outcome.items, std::vector<std::string>{"1"});
  EXPECT_EQ(outcome.skeleton, R"({"groups":[],"groups":[2]})");
}

TEST_P(SplittingABody, ReportsSyntaxErrors) {
  EXPECT_EQ(brokenBy(R"({"groups":[1)"), "12 Expecting ',' delimiter");
  EXPECT_EQ(brokenBy(R"({"groups":[1,])"), "13 Expecting value");
  EXPECT_EQ(brokenBy(R"({"groups":[,1]})"), "11 Expecting value");
  EXPECT_EQ(brokenBy(R"({"groups":[{} {}]})"), "14 Expecting ',' delimiter");
  EXPECT_EQ(brokenBy(R"({"groups":[{)"), "12 Expecting ',' delimiter");
  EXPECT_EQ(brokenBy(R"({"groups":["a)"), "13 Unterminated string starting at");
  EXPECT_EQ(brokenBy(R"({"a" 1})"), "5 Expecting ':' delimiter");
  EXPECT_EQ(brokenBy(R"({"a":1 "b":2})"), "7 Expecting ',' delimiter");
  EXPECT_EQ(brokenBy(R"({a:1})"), "1 Expecting property name enclosed in double quotes");
  EXPECT_EQ(brokenBy(R"({"a":1,})"), "7 Expecting property name enclosed in double quotes");
  EXPECT_EQ(brokenBy(R"({"a":1} x)"), "8 Extra data");
  EXPECT_EQ(brokenBy(R"({"a":)"), "5 Expecting value");
  EXPECT_EQ(brokenBy("{"), "1 Expecting property name enclosed in double quotes");
}

TEST_P(SplittingABody, KeepsOneItemAtATime) {
  std::size_t most = 0;
  BodySplitter* watched = nullptr;
  BodySplitter splitter(
      "groups", [&](const std::string&, std::size_t) { most = std::max(most, watched->kept()); });
  watched = &splitter;
  splitter.feed(R"({"groups":[)");
  for (int i = 0; i < 1000; ++i)
    splitter.feed(i == 0 ? R"({"a":"xxxxxxxx"})" : R"(,{"a":"xxxxxxxx"})");
  splitter.feed("]}");
  EXPECT_TRUE(splitter.finish());
  EXPECT_LT(most, 100U);
}

INSTANTIATE_TEST_SUITE_P(Pieces, SplittingABody, ::testing::Values(1, 2, 7, 1000));

}  // namespace
}  // namespace spindle::training
