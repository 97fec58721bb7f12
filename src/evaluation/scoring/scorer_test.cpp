#include "evaluation/scoring/scorer.h"

#include <gtest/gtest.h>

#include "evaluation/scoring/model_for_test.h"
#include "evaluation/scoring/scorer_text.h"

namespace spindle::evaluation {
namespace {

class Scorers : public ::testing::Test {
 protected:
  /// Returns the value of an output, or `!` and the exception.
  std::string score(std::string_view object, std::string_view output, std::string_view example) {
    const Result<std::unique_ptr<const Scorer>> scorer = makeScorer(object, ports_);
    if (!scorer) return "? " + scorer.error().message();
    const Result<ScoreOutcome> outcome = (*scorer)->score({example, output}, {});
    EXPECT_TRUE(outcome);
    EXPECT_EQ(outcome->exception.has_value(), outcome->value == "null");
    return outcome->exception ? "! " + *outcome->exception : outcome->value;
  }
  std::string problem(std::string_view object) {
    const Result<std::unique_ptr<const Scorer>> scorer = makeScorer(object, ports_);
    EXPECT_FALSE(scorer);
    return scorer ? "" : scorer.error().message();
  }

  ModelForTest model_{"unused"};
  ScorerPorts ports_{model_, {"p1", "acme/lab"}};
};

constexpr std::string_view kPassed = R"({"passed":true})";
constexpr std::string_view kNotPassed = R"({"passed":false})";

struct Case {
  const char* scorer;
  const char* output;
  const char* target;
  bool passed;
};

TEST_F(Scorers, ReturnWhetherTheOutputPasses) {
  const Case cases[] = {
      {R"({"kind":"exact_match"})", R"("Paris")", R"("Paris")", true},
      {R"({"kind":"exact_match"})", R"("paris")", R"("Paris")", false},
      {R"({"kind":"exact_match","ignore_case":true})", R"("paris")", R"("Paris")", true},
      {R"({"kind":"exact_match"})", R"(" Paris\n")", R"("Paris")", false},
      {R"({"kind":"exact_match","strip":true})", R"(" Paris\n")", R"("Paris")", true},
      {R"({"kind":"exact_match"})", R"("42")", "42", true},
      {R"({"kind":"exact_match"})", "42.0", "42", true},
      {R"({"kind":"exact_match"})", "41", "42", false},
      {R"({"kind":"exact_match"})", R"({"a":1,"b":[2]})", R"({ "b": [2], "a": 1 })", true},
      {R"({"kind":"exact_match"})", R"({"a":1})", R"({"a":2})", false},
      {R"({"kind":"exact_match"})", "null", "null", true},
      {R"({"kind":"exact_match"})", "true", "1", false},
      {R"({"kind":"exact_match"})", R"("é")", R"("é")", true},
      {R"({"kind":"contains"})", R"("It is Paris.")", R"("Paris")", true},
      {R"({"kind":"contains"})", R"("It is paris.")", R"("Paris")", false},
      {R"({"kind":"contains","ignore_case":true})", R"("It is paris.")", R"("Paris")", true},
      {R"({"kind":"contains"})", R"("a and b")", R"(["a","b"])", true},
      {R"({"kind":"contains"})", R"("a and c")", R"(["a","b"])", false},
      {R"({"kind":"contains","match":"any"})", R"("a and c")", R"(["a","b"])", true},
      {R"({"kind":"contains","match":"any"})", R"("nothing")", R"(["x","y"])", false},
      {R"({"kind":"contains"})", R"({"a":12})", "12", true},
      {R"({"kind":"regex","pattern":"^\\d+$"})", R"("123")", "null", true},
      {R"({"kind":"regex","pattern":"^\\d+$"})", R"("12x")", "null", false},
      {R"({"kind":"regex","pattern":"b+"})", R"("abba")", "null", true},
      {R"({"kind":"regex","pattern":"b+","full_match":true})", R"("abba")", "null", false},
      {R"({"kind":"regex","pattern":"PARIS","ignore_case":true})", R"("paris")", "null", true},
      {R"({"kind":"regex","pattern":"\"a\":1"})", R"({"a": 1})", "null", true},
  };
  for (const Case& each : cases) {
    const std::string example = R"({"target":)" + std::string(each.target) + "}";
    EXPECT_EQ(score(each.scorer, each.output, example), each.passed ? kPassed : kNotPassed)
        << each.scorer << " " << each.output << " " << each.target;
  }
}

TEST_F(Scorers, CheckOutputsAgainstASchema) {
  constexpr std::string_view kScorer =
      R"({"kind":"json_schema","schema":{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}})";
  EXPECT_EQ(score(kScorer, R"({"a":1})", "{}"), kPassed);
  EXPECT_EQ(score(kScorer, R"("{\"a\": 1}")", "{}"), kPassed) << "a text that is JSON";
  const std::string broken = score(kScorer, R"({"a":"x"})", "{}");
  EXPECT_TRUE(broken.starts_with(R"({"passed":false,"error":")")) << broken;
  EXPECT_EQ(score(kScorer, R"("no JSON")", "{}"),
            R"({"passed":false,"error":"The output is not JSON"})");
}

TEST_F(Scorers, CompareNumbersWithinATolerance) {
  const auto within = [&](std::string_view scorer, std::string_view output) {
    return score(scorer, output, R"({"target":100})");
  };
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance"})", "100"),
            R"({"passed":true,"difference":0.0})");
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance"})", "100.5"),
            R"({"passed":false,"difference":0.5})");
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance","absolute":0.5})", R"(" 100.5 ")"),
            R"({"passed":true,"difference":0.5})");
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance","relative":0.01})", "99"),
            R"({"passed":true,"difference":1.0})");
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance","relative":0.01})", "98.5"),
            R"({"passed":false,"difference":1.5})");
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance","absolute":2,"relative":0.01})", "98.5"),
            R"({"passed":true,"difference":1.5})")
      << "the wider of the two counts";
  EXPECT_EQ(within(R"({"kind":"numeric_tolerance"})", R"("about 100")"),
            R"({"passed":false,"difference":null})");
  EXPECT_EQ(score(R"({"kind":"numeric_tolerance"})", "1", R"({"target":"x"})"),
            "! The target is not a number.");
}

TEST_F(Scorers, MeasureTheDistanceOfTexts) {
  constexpr std::string_view kScorer = R"({"kind":"string_distance"})";
  EXPECT_EQ(score(kScorer, R"("kitten")", R"({"target":"sitting"})"),
            R"({"similarity":0.5714285714285714,"distance":3})");
  EXPECT_EQ(score(kScorer, R"("")", R"({"target":""})"), R"({"similarity":1.0,"distance":0})");
  EXPECT_EQ(score(R"({"kind":"string_distance","threshold":0.5,"ignore_case":true})", R"("KITTEN")",
                  R"({"target":"sitting"})"),
            R"({"similarity":0.5714285714285714,"distance":3,"passed":true})");
  const std::string endless = "\"" + std::string(kMaxDistanceLength + 1, 'x') + "\"";
  EXPECT_EQ(score(kScorer, endless, R"({"target":"x"})"),
            "! Distances are computed for texts of at most 4096 characters.");
}

TEST_F(Scorers, CountTheWordsThatTextsShare) {
  constexpr std::string_view kScorer = R"({"kind":"word_f1"})";
  EXPECT_EQ(score(kScorer, R"("the cat sat")", R"({"target":"the cat"})"),
            R"({"f1":0.8,"precision":0.6666666666666666,"recall":1.0})");
  EXPECT_EQ(score(kScorer, R"("a a a")", R"({"target":"a"})"),
            R"({"f1":0.5,"precision":0.3333333333333333,"recall":1.0})")
      << "repeated words count once if the target has them once";
  EXPECT_EQ(score(kScorer, R"("dog")", R"({"target":"cat"})"),
            R"({"f1":0.0,"precision":0.0,"recall":0.0})");
  EXPECT_EQ(score(kScorer, R"(" ")", R"({"target":""})"),
            R"({"f1":1.0,"precision":1.0,"recall":1.0})");
  EXPECT_EQ(score(kScorer, R"("")", R"({"target":"cat"})"),
            R"({"f1":0.0,"precision":0.0,"recall":0.0})");
  EXPECT_EQ(score(R"({"kind":"word_f1","ignore_case":true,"threshold":0.9})", R"("The Cat")",
                  R"({"target":"the cat"})"),
            R"({"f1":1.0,"precision":1.0,"recall":1.0,"passed":true})");
  const std::string endless = "\"" + std::string(kMaxWordsLength + 1, 'x') + "\"";
  EXPECT_EQ(score(kScorer, endless, R"({"target":"x"})"),
            "! Words are compared in texts of at most 1048576 bytes.");
}

TEST_F(Scorers, UseTheColumnMap) {
  constexpr std::string_view kScorer =
      R"({"kind":"exact_match","column_map":{"target":"answer.text","output":"choices.0"}})";
  EXPECT_EQ(score(kScorer, R"({"choices":["yes"]})", R"({"answer":{"text":"yes"}})"), kPassed);
  EXPECT_EQ(score(kScorer, R"({"choices":[]})", R"({"answer":{"text":"yes"}})"),
            "! The output has no field 'choices.0'.");
  EXPECT_EQ(score(kScorer, R"({"choices":["yes"]})", "{}"),
            "! The example has no field 'answer.text'.");
  EXPECT_EQ(score(R"({"kind":"exact_match","column_map":null})", "1", R"({"target":1})"), kPassed);
}

TEST_F(Scorers, ErrorNamesTheInvalidParameter) {
  EXPECT_EQ(problem(R"({"_type":"Scorer","score":"abc"})"),
            "it is not a built-in scorer: the server runs objects that have a 'kind'");
  EXPECT_EQ(problem("[]"),
            "it is not a built-in scorer: the server runs objects that have a 'kind'");
  EXPECT_EQ(problem(R"({"kind":"magic"})"), "'magic' is no kind of built-in scorer");
  EXPECT_EQ(problem(R"({"kind":"regex"})"), "'pattern' is required");
  EXPECT_EQ(problem(R"({"kind":"regex","pattern":5})"), "'pattern' must be a text");
  EXPECT_TRUE(problem(R"({"kind":"regex","pattern":"("})").starts_with("'pattern' is not valid"));
  EXPECT_EQ(problem(R"({"kind":"json_schema"})"), "'schema' is required");
  EXPECT_EQ(problem(R"({"kind":"json_schema","schema":[]})"), "'schema' must be an object");
  EXPECT_EQ(problem(R"({"kind":"contains","match":"some"})"), "'match' must be all or any");
  EXPECT_EQ(problem(R"({"kind":"exact_match","ignore_case":"yes"})"),
            "'ignore_case' must be true or false");
  EXPECT_EQ(problem(R"({"kind":"numeric_tolerance","absolute":-1})"),
            "'absolute' must not be negative");
  EXPECT_EQ(problem(R"({"kind":"numeric_tolerance","relative":"a"})"),
            "'relative' must be a number");
  EXPECT_EQ(problem(R"({"kind":"exact_match","column_map":"x"})"),
            "'column_map' must be an object");
  EXPECT_EQ(problem(R"({"kind":"exact_match","column_map":{"target":1}})"),
            "column_map: 'target' must be a text");
}

TEST(TextDistances, CountUnicodeCharacters) {
  EXPECT_EQ(distanceBetween("größe", "grösse")->distance, 2U);
  EXPECT_EQ(distanceBetween("☃☃", "☃")->distance, 1U);
  EXPECT_DOUBLE_EQ(distanceBetween("☃☃", "☃")->similarity, 0.5);
  EXPECT_EQ(distanceBetween("", "abc")->distance, 3U);
  EXPECT_DOUBLE_EQ(distanceBetween("", "abc")->similarity, 0);
  EXPECT_EQ(distanceBetween("flaw", "lawn")->distance, 2U);
}

TEST(Numbers, AreParsedCompletely) {
  EXPECT_EQ(numberIn(" +1.5e3\n"), 1500);
  EXPECT_EQ(numberIn("-2"), -2);
  for (const char* bad : {"", " ", "1 2", "abc", "1x", "inf", "nan", "++1", "0x10"}) {
    EXPECT_FALSE(numberIn(bad)) << bad;
  }
}

}  // namespace
}  // namespace spindle::evaluation
