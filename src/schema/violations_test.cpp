// Every row of the table of validation messages (specification, section 8.2 of the tracing part),
// byte for byte. The expected texts were taken from the reference implementation of those rules.

#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include <gtest/gtest.h>

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

enum class Status { kSuccess, kError, kRunning, kDescendantError };

struct Inner {
  std::int64_t k = 0;
};

struct Cat {
  std::string kind;
  std::int64_t lives = 9;
};
struct Dog {
  std::string kind;
  bool barks = true;
};

struct Sample {
  std::string s;
  std::string bounded;
  std::string one;
  std::int64_t i = 0;
  std::int64_t page = 1;
  double f = 0;
  double ratio = 0;
  bool b = false;
  std::vector<std::int64_t> l;
  std::vector<std::int64_t> few;
  std::tuple<std::int64_t, std::string> pair;
  MapOf<std::int64_t> m;
  MapOf<Inner> costs;
  Inner r;
  std::string direction = "asc";
  std::string only = "a";
  Status status = Status::kSuccess;
  Timestamp t;
  std::string u;
  std::optional<std::int64_t> maybe;
  std::variant<std::int64_t, std::string, Inner> any;
  std::variant<Cat, Dog> pet;
  std::string even;
  json::Text raw;
};

Codec<Inner> innerCodec() {
  return Record<Inner>("Inner", Extra::kForbid).required("k", &Inner::k, integer()).codec();
}

Codec<Sample> sampleCodec() {
  const auto status = enumeration<Status>({{"success", Status::kSuccess},
                                           {"error", Status::kError},
                                           {"running", Status::kRunning},
                                           {"descendant_error", Status::kDescendantError}});
  const auto cat = Record<Cat>("Cat")
                       .required("kind", &Cat::kind, string())
                       .required("lives", &Cat::lives, integer())
                       .codec();
  const auto dog = Record<Dog>("Dog")
                       .required("kind", &Dog::kind, string())
                       .required("barks", &Dog::barks, boolean())
                       .codec();
  const auto any =
      anyOf(Alternative<std::int64_t>{"int", integer()}, Alternative<std::string>{"str", string()},
            Alternative<Inner>{"Inner", innerCodec()});
  const auto even = checked<std::string>(string(), [](const std::string& text) {
    return text.size() % 2 == 0 ? std::nullopt : std::optional(valueError("length must be even"));
  });
  return Record<Sample>("Sample")
      .optional("s", &Sample::s, string())
      .optional("bounded", &Sample::bounded,
                string({.min_length = 2, .max_length = 3, .pattern = "^a"}))
      .optional("one", &Sample::one, string({.min_length = 1, .max_length = 1}))
      .optional("i", &Sample::i, integer())
      .optional("page", &Sample::page, integer({.ge = 1, .le = 200}))
      .optional("f", &Sample::f, number())
      .optional("ratio", &Sample::ratio, number({.gt = 0, .lt = 10.5}))
      .optional("b", &Sample::b, boolean())
      .optional("l", &Sample::l, list(integer()))
      .optional("few", &Sample::few, list(integer(), {.min_items = 1, .max_items = 2}))
      .optional("pair", &Sample::pair, tuple(integer(), string()))
      .optional("m", &Sample::m, map(integer()))
      .optional("costs", &Sample::costs, map(innerCodec()))
      .optional("r", &Sample::r, innerCodec())
      .optional("direction", &Sample::direction, literal({"asc", "desc"}))
      .optional("only", &Sample::only, literal({"a"}))
      .optional("status", &Sample::status, status)
      .optional("t", &Sample::t, dateTime())
      .optional("u", &Sample::u, uuid())
      .optional("maybe", &Sample::maybe, nullable(integer()))
      .optional("any", &Sample::any, any)
      .optional("pet", &Sample::pet,
                taggedBy("kind", Alternative<Cat>{"cat", cat}, Alternative<Dog>{"dog", dog}))
      .optional("even", &Sample::even, even)
      .optional("raw", &Sample::raw, anyJson())
      .codec();
}

/// Returns the text inside `{"detail":[…]}`, or `accepted`.
std::string detailOf(const std::string& body) {
  const Result<Sample> parsed = parse(sampleCodec(), body);
  if (parsed) return "accepted";
  const std::string text = violationsJson(parsed.error().violations());
  return text.substr(11, text.size() - 13);
}

struct Row {
  Row(std::string whole_body, std::string whole_detail)
      : body(std::move(whole_body)), detail(std::move(whole_detail)) {}
  /// A body with one field, whose value violates a rule.
  Row(const std::string& field,
      const std::string& value,
      const std::string& type,
      const std::string& message,
      const std::string& context = "")
      : body("{\"" + field + "\":" + value + "}"),
        detail(R"({"type":")" + type + R"(","loc":["body",")" + field + R"("],"msg":")" + message +
               R"(","input":)" + value + (context.empty() ? "" : R"(,"ctx":)" + context) + "}") {}

  std::string body;
  std::string detail;
};

class ViolationTable : public ::testing::TestWithParam<Row> {};

TEST_P(ViolationTable, MatchesByteForByte) {
  EXPECT_EQ(detailOf(GetParam().body), GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(
    Strings,
    ViolationTable,
    ::testing::Values(Row{"s", "5", "string_type", "Input should be a valid string"},
                      Row{"s", "null", "string_type", "Input should be a valid string"},
                      Row{"s", "true", "string_type", "Input should be a valid string"},
                      Row{"s", R"("\u0000")", "value_error",
                          "Value error, NUL characters are not allowed", R"({"error":{}})"},
                      Row{"bounded", R"("")", "string_too_short",
                          "String should have at least 2 characters", R"({"min_length":2})"},
                      Row{"bounded", R"("aäöü")", "string_too_long",
                          "String should have at most 3 characters", R"({"max_length":3})"},
                      Row{R"({"bounded":"aäö"})", "accepted"},
                      Row{"bounded", R"("bc")", "string_pattern_mismatch",
                          "String should match pattern '^a'", R"({"pattern":"^a"})"},
                      Row{"one", R"("")", "string_too_short",
                          "String should have at least 1 character", R"({"min_length":1})"},
                      Row{"one", R"("ab")", "string_too_long",
                          "String should have at most 1 character", R"({"max_length":1})"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    ViolationTable,
    ::testing::Values(
        Row{"i", "{}", "int_type", "Input should be a valid integer"},
        Row{R"({"i":[1, 2]})",
            R"({"type":"int_type","loc":["body","i"],"msg":"Input should be a valid integer","input":[1,2]})"},
        Row{"i", "null", "int_type", "Input should be a valid integer"},
        Row{"i", R"("x")", "int_parsing",
            "Input should be a valid integer, unable to parse string as an integer"},
        Row{"i", R"("")", "int_parsing",
            "Input should be a valid integer, unable to parse string as an integer"},
        Row{"i", R"("7.5")", "int_parsing",
            "Input should be a valid integer, unable to parse string as an integer"},
        Row{"i", "1.5", "int_from_float",
            "Input should be a valid integer, got a number with a fractional part"},
        Row{"i", "99999999999999999999", "less_than_equal",
            "Input should be less than or equal to 9223372036854775807",
            R"({"le":9223372036854775807})"},
        Row{"page", "0", "greater_than_equal", "Input should be greater than or equal to 1",
            R"({"ge":1})"},
        Row{"page", "201", "less_than_equal", "Input should be less than or equal to 200",
            R"({"le":200})"},
        Row{"page", "1180591620717411303424", "less_than_equal",
            "Input should be less than or equal to 200", R"({"le":200})"},
        Row{"f", "[]", "float_type", "Input should be a valid number"},
        Row{"f", "null", "float_type", "Input should be a valid number"},
        Row{"f", R"("x")", "float_parsing",
            "Input should be a valid number, unable to parse string as a number"},
        Row{"f", "1e400", "finite_number", "Input should be a finite number"},
        Row{"ratio", "0", "greater_than", "Input should be greater than 0", R"({"gt":0.0})"},
        Row{"ratio", "10.5", "less_than", "Input should be less than 10.5", R"({"lt":10.5})"}));

INSTANTIATE_TEST_SUITE_P(
    Booleans,
    ViolationTable,
    ::testing::Values(Row{"b", "{}", "bool_type", "Input should be a valid boolean"},
                      Row{"b", "null", "bool_type", "Input should be a valid boolean"},
                      Row{"b", "2", "bool_parsing",
                          "Input should be a valid boolean, unable to interpret input"},
                      Row{"b", R"("maybe")", "bool_parsing",
                          "Input should be a valid boolean, unable to interpret input"},
                      Row{"b", "1.5", "bool_type", "Input should be a valid boolean"}));

INSTANTIATE_TEST_SUITE_P(
    Containers,
    ViolationTable,
    ::testing::Values(
        Row{"l", R"({"a":1})", "list_type", "Input should be a valid list"},
        Row{R"({"l":["a",1,"b"]})",
            R"({"type":"int_parsing","loc":["body","l",0],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"a"},{"type":"int_parsing","loc":["body","l",2],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"b"})"},
        Row{"few", "[]", "too_short", "List should have at least 1 item after validation, not 0",
            R"({"field_type":"List","min_length":1,"actual_length":0})"},
        Row{"few", "[1,2,3]", "too_long",
            "List should have at most 2 items after validation, not 3",
            R"({"field_type":"List","max_length":2,"actual_length":3})"},
        Row{"pair", "{}", "tuple_type", "Input should be a valid tuple"},
        Row{R"({"pair":[1]})",
            R"({"type":"missing","loc":["body","pair",1],"msg":"Field required","input":[1]})"},
        Row{"pair", R"([1,"a",3])", "too_long",
            "Tuple should have at most 2 items after validation, not 3",
            R"({"field_type":"Tuple","max_length":2,"actual_length":3})"},
        Row{R"({"pair":["a",5]})",
            R"({"type":"int_parsing","loc":["body","pair",0],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"a"},{"type":"string_type","loc":["body","pair",1],"msg":"Input should be a valid string","input":5})"},
        Row{"m", "[]", "dict_type", "Input should be a valid dictionary"},
        Row{R"({"costs":{"gpt-4o":{}}})",
            R"({"type":"missing","loc":["body","costs","gpt-4o","k"],"msg":"Field required","input":{}})"},
        Row{"r", "[]", "model_attributes_type",
            "Input should be a valid dictionary or object to extract fields from"},
        Row{R"([])",
            R"({"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]})"},
        Row{R"({"r":{"k":1,"colour":"red"}})",
            R"({"type":"extra_forbidden","loc":["body","r","colour"],"msg":"Extra inputs are not permitted","input":"red"})"}));

INSTANTIATE_TEST_SUITE_P(
    Choices,
    ViolationTable,
    ::testing::Values(
        Row{"direction", R"("up")", "literal_error", "Input should be 'asc' or 'desc'",
            R"({"expected":"'asc' or 'desc'"})"},
        Row{"only", "5", "literal_error", "Input should be 'a'", R"({"expected":"'a'"})"},
        Row{"status", R"("done")", "enum",
            "Input should be 'success', 'error', 'running' or 'descendant_error'",
            R"({"expected":"'success', 'error', 'running' or 'descendant_error'"})"}));

INSTANTIATE_TEST_SUITE_P(
    Times,
    ViolationTable,
    ::testing::Values(
        Row{"t", "[]", "datetime_type", "Input should be a valid datetime"},
        Row{"t", "true", "datetime_type", "Input should be a valid datetime"},
        Row{"t", R"("soon")", "datetime_from_date_parsing",
            "Input should be a valid datetime or date, input is too short",
            R"({"error":"input is too short"})"},
        Row{"t", R"("2024-13-01")", "datetime_from_date_parsing",
            "Input should be a valid datetime or date, month value is outside expected range "
            "of 1-12",
            R"({"error":"month value is outside expected range of 1-12"})"},
        Row{"t", R"("2024-02-30")", "datetime_from_date_parsing",
            "Input should be a valid datetime or date, day value is outside expected range",
            R"({"error":"day value is outside expected range"})"},
        Row{"t", R"("2024-05-01T25:00:00Z")", "datetime_from_date_parsing",
            "Input should be a valid datetime or date, unexpected extra characters at the "
            "end of the input",
            R"({"error":"unexpected extra characters at the end of the input"})"},
        Row{"t", R"("not a date")", "datetime_from_date_parsing",
            "Input should be a valid datetime or date, invalid character in year",
            R"({"error":"invalid character in year"})"},
        Row{"t", "1e20", "datetime_parsing",
            "Input should be a valid datetime, dates after 9999 are not supported as unix "
            "timestamps",
            R"({"error":"dates after 9999 are not supported as unix timestamps"})"}));

INSTANTIATE_TEST_SUITE_P(
    Uuids,
    ViolationTable,
    ::testing::Values(
        Row{"u", "5", "uuid_type", "UUID input should be a string, bytes or UUID object"},
        Row{"u", R"("0123")", "uuid_parsing",
            "Input should be a valid UUID, invalid length: found 4",
            R"({"error":"invalid length: found 4"})"},
        Row{"u", R"("01234567-89ab-cdef-0123-456789abcdez")", "uuid_parsing",
            "Input should be a valid UUID, invalid character: found `z` at 35",
            R"({"error":"invalid character: found `z` at 35"})"},
        Row{"u", R"("01234567-89ab-cdef-0123")", "uuid_parsing",
            "Input should be a valid UUID, invalid group count: expected 5, found 4",
            R"({"error":"invalid group count: expected 5, found 4"})"},
        Row{"u", R"("0123456-789ab-cdef-0123-456789abcdef")", "uuid_parsing",
            "Input should be a valid UUID, invalid group length in group 0: expected 8, found 7",
            R"({"error":"invalid group length in group 0: expected 8, found 7"})"}));

INSTANTIATE_TEST_SUITE_P(
    Unions,
    ViolationTable,
    ::testing::Values(
        Row{"maybe", R"("x")", "int_parsing",
            "Input should be a valid integer, unable to parse string as an integer"},
        Row{R"({"any":[]})",
            R"({"type":"int_type","loc":["body","any","int"],"msg":"Input should be a valid integer","input":[]},{"type":"string_type","loc":["body","any","str"],"msg":"Input should be a valid string","input":[]},{"type":"model_attributes_type","loc":["body","any","Inner"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]})"},
        Row{R"({"any":{"k":"x"}})",
            R"({"type":"int_type","loc":["body","any","int"],"msg":"Input should be a valid integer","input":{"k":"x"}},{"type":"string_type","loc":["body","any","str"],"msg":"Input should be a valid string","input":{"k":"x"}},{"type":"int_parsing","loc":["body","any","Inner","k"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"})"},
        Row{"pet", R"({"lives":1})", "union_tag_not_found",
            "Unable to extract tag using discriminator 'kind'", R"({"discriminator":"'kind'"})"},
        Row{"pet", R"({"kind":"cow"})", "union_tag_invalid",
            "Input tag 'cow' found using 'kind' does not match any of the expected tags: "
            "'cat', 'dog'",
            R"({"discriminator":"'kind'","tag":"cow","expected_tags":"'cat', 'dog'"})"},
        Row{R"({"pet":{"kind":"dog"}})",
            R"({"type":"missing","loc":["body","pet","dog","barks"],"msg":"Field required","input":{"kind":"dog"}})"},
        Row{"even", R"("odd")", "value_error", "Value error, length must be even",
            R"({"error":{}})"}));

INSTANTIATE_TEST_SUITE_P(
    WholeBodies,
    ViolationTable,
    ::testing::Values(
        Row{"", R"({"type":"missing","loc":["body"],"msg":"Field required","input":null})"},
        Row{"{\"s\":",
            R"({"type":"json_invalid","loc":["body",5],"msg":"JSON decode error","input":{},"ctx":{"error":"Expecting value"}})"},
        Row{R"({"s":1,"i":"x"})",
            R"({"type":"string_type","loc":["body","s"],"msg":"Input should be a valid string","input":1},{"type":"int_parsing","loc":["body","i"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"})"}));

INSTANTIATE_TEST_SUITE_P(LenientConversions,
                         ViolationTable,
                         ::testing::Values(Row{R"({"i":"10"})", "accepted"},
                                           Row{R"({"i":10.0})", "accepted"},
                                           Row{R"({"i":true})", "accepted"},
                                           Row{R"({"i":" 7 "})", "accepted"},
                                           Row{R"({"i":"+5"})", "accepted"},
                                           Row{R"({"i":"1_000"})", "accepted"},
                                           Row{R"({"f":"1.5"})", "accepted"},
                                           Row{R"({"f":1})", "accepted"},
                                           Row{R"({"f":true})", "accepted"},
                                           Row{R"({"b":1})", "accepted"},
                                           Row{R"({"b":0.0})", "accepted"},
                                           Row{R"({"b":"YES"})", "accepted"},
                                           Row{R"({"b":"Off"})", "accepted"},
                                           Row{R"({"b":"t"})", "accepted"},
                                           Row{R"({"t":"2024-05-01"})", "accepted"},
                                           Row{R"({"t":1714557600})", "accepted"},
                                           Row{R"({"t":"1714557600000"})", "accepted"},
                                           Row{R"({"unknown":1})", "accepted"},
                                           Row{R"({"u":"{0123456789ABCDEF0123456789ABCDEF}"})",
                                               "accepted"}));

TEST(Violations, AreReportedInTheOrderOfTheDeclaration) {
  struct Pair {
    std::string project_id;
    std::int64_t limit = 0;
  };
  const auto codec = Record<Pair>("Pair", Extra::kForbid)
                         .required("project_id", &Pair::project_id, string())
                         .required("limit", &Pair::limit, integer())
                         .codec();
  const Result<Pair> parsed = parse(codec, R"({"zebra":1,"limit":"x","apple":2})");
  ASSERT_FALSE(parsed);
  std::vector<std::string> types;
  for (const Violation& violation : parsed.error().violations()) {
    types.push_back(violation.type + " " + std::get<std::string>(violation.loc.back()));
  }
  EXPECT_EQ(types, (std::vector<std::string>{"missing project_id", "int_parsing limit",
                                             "extra_forbidden zebra", "extra_forbidden apple"}));
}

TEST(Violations, AreLimitedInNumberAndSize) {
  std::string body = R"({"l":[)";
  for (int i = 0; i < 100000; ++i) body += "\"x\",";
  body += "1]}";
  const Result<Sample> parsed = parse(sampleCodec(), body);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().violations().size(), 200U);

  const Result<Sample> large =
      parse(sampleCodec(), R"({"i":[")" + std::string(5000000, 'x') + "\"]}");
  ASSERT_FALSE(large);
  EXPECT_LT(violationsJson(large.error().violations()).size(), 1000U);
}

}  // namespace
}  // namespace spindle::schema
