#include "objects/values/object_value.h"

#include <gtest/gtest.h>

#include "objects/values/builtin_class.h"
#include "wire/spelling.h"

namespace spindle::objects {
namespace {

using Edges = std::vector<RefEdge>;
using Kind = RefEdge::Kind;

TEST(ObjectValue, DetectsOps) {
  EXPECT_EQ(classesOf(R"({"_type":"CustomSvcType","svc_type":{"type":"Op"}})").kind,
            ObjectKind::kOp);
  const std::string other(wire::memberFor(wire::Spelling::kVendor, "svc_type"));
  EXPECT_EQ(classesOf(R"({"_type":"T",")" + other + R"(":{"type":"Op"}})").kind, ObjectKind::kOp);
  for (const std::string value :
       {R"({"svc_type":{"type":"Op"}})", R"({"_type":"T","svc_type":{"type":"Image"}})",
        R"({"_type":"T","svc_type":"Op"})", R"(["_type"])", "null", "\"Op\"", "5"}) {
    EXPECT_EQ(classesOf(value).kind, ObjectKind::kObject) << value;
  }
}

TEST(ObjectValue, ReturnsItsClasses) {
  const auto classes = [](const std::string& value) {
    const ObjectClasses found = classesOf(value);
    return found.base.value_or("-") + " " + found.leaf.value_or("-");
  };
  EXPECT_EQ(classes(R"({"_class_name":"MyModel","_bases":["Model","Object","BaseModel"]})"),
            "Model MyModel");
  EXPECT_EQ(classes(R"({"_class_name":"A","_bases":["B","Model","Object","BaseModel"]})"),
            "Model A");
  EXPECT_EQ(classes(R"({"_class_name":"A","_bases":["Object","BaseModel"]})"), "A A");
  EXPECT_EQ(classes(R"({"_class_name":"A","_bases":["P","BaseObject","BaseModel"]})"), "P A");
  EXPECT_EQ(classes(R"({"_class_name":"A","_bases":["BaseModel"]})"), "- A");
  EXPECT_EQ(classes(R"({"_class_name":"A","_bases":["Object"]})"), "- A");
  EXPECT_EQ(classes(R"({"_class_name":"A"})"), "- A");
  EXPECT_EQ(classes(R"({"_class_name":5,"_bases":[1,"Object","BaseModel"]})"), "- -");
  EXPECT_EQ(classes(R"({"_bases":["Object","BaseModel"]})"), "- -");
  EXPECT_EQ(classes("[1]"), "- -");
}

std::string landing(const std::string& json, const Edges& edges) {
  const WalkResult found = walk(json, edges, 0);
  switch (found.kind) {
    case WalkResult::Kind::kValue:
      return found.text;
    case WalkResult::Kind::kRef:
      return "ref " + found.text + " " + std::to_string(found.next);
    case WalkResult::Kind::kMissing:
      return "missing";
  }
  return "";
}

TEST(ObjectValue, FollowsEdges) {
  const std::string json = R"({"a":{"b":[1,{"c":"x"}]},"n":null,"é":2})";
  EXPECT_EQ(landing(json, {}), json);
  EXPECT_EQ(landing(json, {{Kind::kAttribute, "a"}, {Kind::kKey, "b"}, {Kind::kIndex, "1"}}),
            R"({"c":"x"})");
  EXPECT_EQ(landing(json, {{Kind::kKey, "é"}}), "2");
  EXPECT_EQ(landing(json, {{Kind::kKey, "n"}}), "null");
  EXPECT_EQ(landing(json, {{Kind::kKey, "x"}}), "missing");
  EXPECT_EQ(landing(json, {{Kind::kKey, "n"}, {Kind::kKey, "x"}}), "missing");
  EXPECT_EQ(landing(json, {{Kind::kIndex, "0"}}), "missing");
  EXPECT_EQ(landing("[1,2]", {{Kind::kIndex, "2"}}), "missing");
  EXPECT_EQ(landing("[1,2]", {{Kind::kIndex, "99999999999999999999"}}), "missing");
  EXPECT_EQ(landing("[1,2]", {{Kind::kKey, "0"}}), "missing");
  EXPECT_EQ(landing("[1,2]", {{Kind::kRow, "0"}}), "missing");
}

TEST(ObjectValue, StopsAtARef) {
  const std::string ref = "svc-trace-internal:///prj/object/x:y";
  const std::string json = R"({"r":")" + ref + R"(","e":"svc:///e/p/object/x:y"})";
  EXPECT_EQ(landing(json, {{Kind::kKey, "r"}}), "ref " + ref + " 1");
  EXPECT_EQ(landing(json, {{Kind::kKey, "r"}, {Kind::kKey, "s"}}), "ref " + ref + " 1");
  EXPECT_EQ(landing(json, {{Kind::kKey, "e"}}), R"("svc:///e/p/object/x:y")");
  EXPECT_EQ(landing("\"" + ref + "\"", {{Kind::kKey, "s"}}), "ref " + ref + " 0");
  EXPECT_EQ(landing("\"" + ref + "\"", {}), "\"" + ref + "\"");
}

TEST(BuiltinClass, SetsClassMembers) {
  EXPECT_EQ(*asBuiltinObject("Provider", R"({"base_url":"u","api_key_name":"k","more":[1]})"),
            R"({"base_url":"u","api_key_name":"k","more":[1],"_type":"Provider",)"
            R"("_class_name":"Provider","_bases":["BaseObject","BaseModel"]})");
  EXPECT_EQ(*asBuiltinObject("TestOnlyInheritedBaseObject",
                             R"({"_class_name":null,"_type":1,"b":1,"c":2})"),
            R"({"b":1,"c":2,"_type":"TestOnlyInheritedBaseObject",)"
            R"("_class_name":"TestOnlyInheritedBaseObject",)"
            R"("_bases":["TestOnlyNestedBaseObject","BaseObject","BaseModel"]})");
  const Result<std::string> model =
      asBuiltinObject("LLMStructuredCompletionModel", R"({"llm_model_id":"m"})");
  ASSERT_TRUE(model);
  EXPECT_EQ(classesOf(*model).base, "Model");
  EXPECT_EQ(classesOf(*model).leaf, "LLMStructuredCompletionModel");
}

struct ClassCase {
  const char* name;
  const char* good;
  const char* bad;
};

class BuiltinClasses : public ::testing::TestWithParam<ClassCase> {};

TEST_P(BuiltinClasses, ValidateMembers) {
  const ClassCase& one = GetParam();
  EXPECT_TRUE(asBuiltinObject(one.name, one.good)) << one.name;
  const Result<std::string> refused = asBuiltinObject(one.name, one.bad);
  ASSERT_FALSE(refused) << one.name;
  EXPECT_EQ(refused.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(asBuiltinObject(one.name, "[]"));
  EXPECT_FALSE(asBuiltinObject(one.name, R"({"_class_name":"Another"})"));
}

INSTANTIATE_TEST_SUITE_P(
    Each,
    BuiltinClasses,
    ::testing::Values(
        ClassCase{"AlertSpec", R"({"op_scope":["a"],"spec":{"threshold":1.5,"window_size":null}})",
                  R"({"spec":{"threshold":"high"}})"},
        ClassCase{"AnnotationSpec", R"({"name":"n","field_schema":{"type":"string"}})",
                  R"({"field_schema":"string"})"},
        ClassCase{"ChartConfig", R"({"x_axis":"a","y_axis":"b","plot_type":"line"})",
                  R"({"x_axis":"a","y_axis":"b","plot_type":"pie"})"},
        ClassCase{"ComparisonView", R"({"label":"l","definition":{"evaluation_call_ids":["c"]}})",
                  R"({"label":"l","definition":{"evaluation_call_ids":[1]}})"},
        ClassCase{"Leaderboard",
                  R"({"columns":[{"evaluation_object_ref":"r","scorer_name":"s",)"
                  R"("summary_metric_path":"p","should_minimize":true}]})",
                  R"({"columns":[{"evaluation_object_ref":"r","scorer_name":"s"}]})"},
        ClassCase{"LLMStructuredCompletionModel",
                  R"({"llm_model_id":"m","default_params":{"messages_template":[{"role":"user"}],)"
                  R"("temperature":0,"stop":["x"]}})",
                  R"({"llm_model_id":"m","default_params":{"messages_template":[{}]}})"},
        ClassCase{"Provider",
                  R"({"base_url":"u","api_key_name":"k","extra_headers":{"a":"b"},)"
                  R"("return_type":"openai"})",
                  R"({"base_url":"u","api_key_name":"k","extra_headers":{"a":1}})"},
        ClassCase{"ProviderModel", R"({"provider":"p","max_tokens":5})",
                  R"({"provider":"p","max_tokens":1.5})"},
        ClassCase{"SavedView",
                  R"({"view_type":"t","label":"l","definition":{"cols":{"a":true},"sort_by":)"
                  R"([{"field":"f","direction":"asc"}]}})",
                  R"({"view_type":"t","label":"l","definition":{"cols":{"a":1}}})"},
        ClassCase{"TestOnlyExample",
                  R"({"primitive":1,"nested_base_model":{"a":1,"aliased_property_alias":2},)"
                  R"("nested_base_object":"r"})",
                  R"({"primitive":1,"nested_base_model":{"a":1},"nested_base_object":"r"})"},
        ClassCase{"TestOnlyNestedBaseObject", R"({"b":1,"description":"d"})", R"({"b":null})"},
        ClassCase{"TestOnlyInheritedBaseObject", R"({"b":1,"c":2})", R"({"b":1})"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(BuiltinClass, MustBeKnown) {
  const Result<std::string> refused = asBuiltinObject("Nonsense", "{}");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "Unknown builtin_object_class: Nonsense");
}

}  // namespace
}  // namespace spindle::objects
