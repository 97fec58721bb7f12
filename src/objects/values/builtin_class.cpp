#include "objects/values/builtin_class.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <variant>
#include <vector>

#include "json/document.h"
#include "json/stored.h"
#include "json/writer.h"

namespace spindle::objects {
namespace {

using json::Node;

struct Field;
using Fields = std::vector<Field>;

/// The required type of a member of a built-in class.
struct Shape {
  enum class Kind { kText, kInteger, kNumber, kBoolean, kObject, kWord, kRecord };
  enum class Many { kOne, kList, kMap };

  Kind kind = Kind::kText;
  Many many = Many::kOne;
  std::vector<std::string_view> words;  ///< if kWord
  Fields fields;                        ///< if kRecord
};

struct Field {
  std::string_view name;
  Shape shape;
  bool required = false;
};

struct BuiltinClass {
  std::vector<std::string_view> bases;
  Fields fields;
};

Shape shapeOf(Shape::Kind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}
Shape text() { return shapeOf(Shape::Kind::kText); }
Shape integer() { return shapeOf(Shape::Kind::kInteger); }
Shape number() { return shapeOf(Shape::Kind::kNumber); }
Shape boolean() { return shapeOf(Shape::Kind::kBoolean); }
Shape object() { return shapeOf(Shape::Kind::kObject); }
Shape word(std::initializer_list<std::string_view> words) {
  Shape shape = shapeOf(Shape::Kind::kWord);
  shape.words = words;
  return shape;
}
Shape record(Fields fields) {
  Shape shape = shapeOf(Shape::Kind::kRecord);
  shape.fields = std::move(fields);
  return shape;
}
Shape listOf(Shape shape) {
  shape.many = Shape::Many::kList;
  return shape;
}
Shape mapOf(Shape shape) {
  shape.many = Shape::Many::kMap;
  return shape;
}
Field required(std::string_view name, Shape shape) { return {name, std::move(shape), true}; }
Field optional(std::string_view name, Shape shape) { return {name, std::move(shape), false}; }

Fields chartFields() {
  return {required("x_axis", text()),
          required("y_axis", text()),
          optional("plot_type", word({"scatter", "line", "bar"})),
          optional("bin_count", integer()),
          optional("aggregation", word({"average", "sum", "min", "max", "p95", "p99"})),
          optional("group_keys", listOf(text())),
          optional("custom_name", text())};
}

Fields alertFields() {
  return {optional("alert_condition", text()),
          optional("source_type", word({"calls", "spans"})),
          optional("comparison_operator", word({"GREATER_THAN", "LESS_THAN", "EQUAL"})),
          optional("metric_path", text()),
          optional("op_str", text()),
          optional("threshold", number()),
          optional("window_size", integer()),
          optional("window_duration", integer()),
          optional("monitor_ref", text()),
          optional("scorer_ref", text()),
          optional("aggregation_function",
                   word({"mean", "median", "min", "max", "mode", "percentage", "count"})),
          optional("status_match_value", text())};
}

Fields completionParameters() {
  return {optional("messages_template", listOf(record({required("role", text())}))),
          optional("prompt", text()),
          optional("temperature", number()),
          optional("top_p", number()),
          optional("max_tokens", integer()),
          optional("presence_penalty", number()),
          optional("frequency_penalty", number()),
          optional("stop", listOf(text())),
          optional("n_times", integer()),
          optional("functions", listOf(object())),
          optional("response_format", word({"json_object", "json_schema", "text"}))};
}

Fields viewFields() {
  return {optional("filter", object()),
          optional("query", object()),
          optional("cols", mapOf(boolean())),
          optional("columns", listOf(object())),
          optional("column_order", listOf(text())),
          optional("expand_columns", listOf(text())),
          optional("header_depth", integer()),
          optional("pin",
                   record({required("left", listOf(text())), required("right", listOf(text()))})),
          optional("sort_by", listOf(record({required("field", text()),
                                             required("direction", word({"asc", "desc"}))}))),
          optional("page", integer()),
          optional("page_size", integer()),
          optional("charts", listOf(record(chartFields()))),
          optional("dataset_selector", text()),
          optional("evaluation_selector", text()),
          optional("dynamic_leaderboard_config", object())};
}

using Classes = std::map<std::string_view, BuiltinClass>;

Classes makeClasses() {
  const std::vector<std::string_view> plain = {"BaseObject", "BaseModel"};
  Classes classes;
  classes["AlertSpec"] = {
      plain, {optional("op_scope", listOf(text())), optional("spec", record(alertFields()))}};
  classes["AnnotationSpec"] = {
      plain,
      {optional("field_schema", object()), optional("unique_among_creators", boolean()),
       optional("op_scope", listOf(text()))}};
  classes["ChartConfig"] = {plain, chartFields()};
  classes["ComparisonView"] = {
      plain,
      {required("label", text()),
       required("definition", record({required("evaluation_call_ids", listOf(text())),
                                      optional("selected_metrics", listOf(text())),
                                      optional("column_visibility", mapOf(boolean()))}))}};
  classes["Leaderboard"] = {
      plain,
      {required("columns", listOf(record({required("evaluation_object_ref", text()),
                                          required("scorer_name", text()),
                                          required("summary_metric_path", text()),
                                          optional("should_minimize", boolean())})))}};
  classes["LLMStructuredCompletionModel"] = {
      {"Model", "Object", "BaseModel"},
      {required("llm_model_id", text()),
       optional("default_params", record(completionParameters()))}};
  classes["Provider"] = {
      plain,
      {required("base_url", text()), required("api_key_name", text()),
       optional("extra_headers", mapOf(text())), optional("return_type", word({"openai"}))}};
  classes["ProviderModel"] = {plain,
                              {required("provider", text()), required("max_tokens", integer())}};
  classes["SavedView"] = {plain,
                          {required("view_type", text()), required("label", text()),
                           required("definition", record(viewFields()))}};
  // Three classes that the reference implementation's tests publish.
  classes["TestOnlyExample"] = {
      plain,
      {required("primitive", integer()),
       required("nested_base_model",
                record({required("a", integer()), required("aliased_property_alias", integer())})),
       required("nested_base_object", text())}};
  classes["TestOnlyNestedBaseObject"] = {plain, {required("b", integer())}};
  classes["TestOnlyInheritedBaseObject"] = {
      {"TestOnlyNestedBaseObject", "BaseObject", "BaseModel"},
      {required("b", integer()), required("c", integer()), optional("additional_field", text())}};
  for (auto& [name, definition] : classes) {
    definition.fields.push_back(optional("name", text()));
    definition.fields.push_back(optional("description", text()));
  }
  return classes;
}

/// Returns the problem at `path`, or an empty text.
std::string problemOf(const Node& node, const Shape& shape, const std::string& path);

std::string problemOfFields(const Node& node, const Fields& fields, const std::string& path) {
  for (const Field& field : fields) {
    const std::string inner =
        path.empty() ? std::string(field.name) : path + "." + std::string(field.name);
    const std::optional<Node> member = node.find(field.name);
    const bool absent = !member || (member->isNull() && !field.required);
    if (absent && field.required) return "'" + inner + "' is required";
    if (absent) continue;
    if (std::string wrong = problemOf(*member, field.shape, inner); !wrong.empty()) return wrong;
  }
  return {};
}

std::string problemOfOne(const Node& node, const Shape& shape, const std::string& path) {
  const auto unless = [&path](bool good, std::string_view what) {
    return good ? std::string() : "'" + path + "' is not " + std::string(what);
  };
  switch (shape.kind) {
    case Shape::Kind::kText:
      return unless(node.isString(), "a string");
    case Shape::Kind::kInteger:
      return unless(node.kind() == json::Kind::kInteger, "an integer");
    case Shape::Kind::kNumber:
      return unless(node.isNumber(), "a number");
    case Shape::Kind::kBoolean:
      return unless(node.isBool(), "a boolean");
    case Shape::Kind::kObject:
      return unless(node.isObject(), "an object");
    case Shape::Kind::kWord: {
      const bool known = node.isString() && std::find(shape.words.begin(), shape.words.end(),
                                                      node.text()) != shape.words.end();
      return unless(known, "one of the known values");
    }
    case Shape::Kind::kRecord:
      if (!node.isObject()) return unless(false, "an object");
      return problemOfFields(node, shape.fields, path);
  }
  return {};
}

std::string problemOf(const Node& node, const Shape& shape, const std::string& path) {
  if (shape.many == Shape::Many::kOne) return problemOfOne(node, shape, path);
  const bool map = shape.many == Shape::Many::kMap;
  if (map ? !node.isObject() : !node.isArray()) {
    return "'" + path + "' is not " + (map ? "an object" : "a list");
  }
  std::size_t index = 0;
  for (auto at = node.begin(); at != node.end(); ++at) {
    if (map) ++at;  // skip the name
    const std::string inner = path + "." + std::to_string(index++);
    if (std::string wrong = problemOfOne(*at, shape, inner); !wrong.empty()) return wrong;
  }
  return {};
}

/// Returns the value with the three members that declare its class.
std::string completed(const Node& root,
                      std::string_view class_name,
                      const std::vector<std::string_view>& bases) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  for (auto at = root.begin(); at != root.end(); ++at) {
    const std::string name = (*at).text();
    ++at;
    if (name != "_type" && name != "_class_name" && name != "_bases") {
      out.key(name).raw((*at).raw());
    }
  }
  out.key("_type").string(class_name);
  out.key("_class_name").string(class_name);
  out.key("_bases").beginArray();
  for (const std::string_view base : bases) out.string(base);
  out.endArray();
  out.endObject();
  return text;
}

const Classes& classes() {
  static const Classes made = makeClasses();
  return made;
}

Error invalid(std::string_view class_name, const std::string& why) {
  return Error::invalidArgument("Invalid " + std::string(class_name) + ": " + why);
}

}  // namespace

std::vector<std::string> builtinClassNames() {
  std::vector<std::string> names;
  for (const auto& [name, members] : classes()) names.emplace_back(name);
  return names;
}

Result<std::string> asBuiltinObject(std::string_view class_name, std::string_view json) {
  const auto found = classes().find(class_name);
  if (found == classes().end()) {
    return Error::invalidArgument("Unknown builtin_object_class: " + std::string(class_name));
  }
  const auto parsed = json::Document::parse(std::string(json), json::kStoredDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) {
    return invalid(class_name, "the value is not an object");
  }
  const Node root = document->root();
  const std::optional<Node> own = root.find("_class_name");
  if (own && !own->isNull() && !(own->isString() && own->text() == class_name)) {
    return invalid(class_name, "the value declares another class");
  }
  if (const std::string wrong = problemOfFields(root, found->second.fields, ""); !wrong.empty()) {
    return invalid(class_name, wrong);
  }
  return completed(root, class_name, found->second.bases);
}

}  // namespace spindle::objects
