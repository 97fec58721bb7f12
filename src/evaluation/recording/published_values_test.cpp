#include "evaluation/recording/published_values.h"

#include <gtest/gtest.h>

#include "objects/values/new_value.h"
#include "objects/values/object_value.h"

namespace spindle::evaluation {
namespace {

TEST(Published, OpsHoldTheirCodeInAFile) {
  EXPECT_EQ(objects::opValue("abc", wire::Spelling::kNeutral),
            R"({"_type":"CustomSvcType","svc_type":{"type":"Op"},"files":{"obj.py":"abc"}})");
  EXPECT_EQ(sourceIn(objects::opValue("abc", wire::Spelling::kVendor)), "abc");
  EXPECT_EQ(objects::classesOf(objects::opValue("abc", wire::Spelling::kVendor)).kind,
            objects::ObjectKind::kOp);
  EXPECT_EQ(sourceIn("{}"), std::nullopt);
}

TEST(Published, DatasetsNameTheirTable) {
  EXPECT_EQ(datasetValue({"Dataset", "Quiz", "easy"}, "table"),
            R"({"_type":"Dataset","_class_name":"Dataset","_bases":["Object","BaseModel"],)"
            R"("name":"Quiz","description":"easy","rows":"table"})");
}

TEST(Published, ScorersHoldDigestsOfTheirOps) {
  EXPECT_EQ(
      scorerValue({"Scorer", "Exact", std::nullopt}, "d1", "d2"),
      R"({"_type":"Scorer","_class_name":"Scorer","_bases":["Object","BaseModel"],)"
      R"("name":"Exact","description":null,"score":"d1","summarize":"d2","column_map":null})");
}

TEST(Published, EvaluationsHaveAttributesBesideTheirMembers) {
  EvaluationParts parts{.dataset = "ds", .scorers = {"s1", "s2"}, .trials = 3};
  parts.evaluation_name = "nightly";
  parts.evaluate = "d1";
  parts.predict_and_score = "d2";
  parts.summarize = "d3";
  const std::string value =
      evaluationValue({"Evaluation", "E", std::nullopt}, parts, R"({"owner":"me","trials":9})");
  EXPECT_EQ(value,
            R"({"_type":"Evaluation","_class_name":"Evaluation","_bases":["Object","BaseModel"],)"
            R"("name":"E","description":null,"dataset":"ds","scorers":["s1","s2"],"trials":3,)"
            R"("evaluation_name":"nightly","metadata":null,"preprocess_model_input":null,)"
            R"("evaluate":"d1","predict_and_score":"d2","summarize":"d3","owner":"me"})");
  EXPECT_EQ(textsIn(value, "scorers"), (std::vector<std::string>{"s1", "s2"}));
  EXPECT_EQ(integerIn(value, "trials"), 3);
  EXPECT_EQ(textIn(value, "evaluation_name"), "nightly");
  EXPECT_EQ(objects::classesOf(value).base, "Evaluation");
}

TEST(Published, ModelsReturnAdditionalMembers) {
  const std::string value =
      modelValue({"Model", "M", std::nullopt}, "abc", R"({"temperature":0.5,"name":"no"})");
  EXPECT_EQ(value, R"({"_type":"Model","_class_name":"Model","_bases":["Object","BaseModel"],)"
                   R"("name":"M","description":null,"files":{"obj.py":"abc"},"temperature":0.5})");
  EXPECT_EQ(modelAttributesIn(value), R"({"temperature":0.5})");
  EXPECT_EQ(modelAttributesIn(modelValue({"Model", "M", std::nullopt}, "abc", "")), std::nullopt);
}

TEST(Published, MissingMembersAreEmpty) {
  EXPECT_TRUE(textsIn(R"({"scorers":"x"})", "scorers").empty());
  EXPECT_EQ(integerIn(R"({"trials":"3"})", "trials"), std::nullopt);
  EXPECT_EQ(textIn("[]", "name"), std::nullopt);
}

}  // namespace
}  // namespace spindle::evaluation
