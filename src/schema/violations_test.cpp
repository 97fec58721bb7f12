// Every row of the table of validation messages (specification, section 8.2 of the tracing part),
// byte for byte. The expected texts were taken from the reference implementation of those rules.

#include <string>
#include <tuple>
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
  return Record<Inner>("Inner", Extra::kForbid).required("k", &Inner::k, integer(), "").codec();
}

Codec<Sample> sampleCodec() {
  const auto status = enumeration<Status>({{"success", Status::kSuccess},
                                           {"error", Status::kError},
                                           {"running", Status::kRunning},
                                           {"descendant_error", Status::kDescendantError}});
  const auto cat = Record<Cat>("Cat")
                       .required("kind", &Cat::kind, string(), "")
                       .required("lives", &Cat::lives, integer(), "")
                       .codec();
  const auto dog = Record<Dog>("Dog")
                       .required("kind", &Dog::kind, string(), "")
                       .required("barks", &Dog::barks, boolean(), "")
                       .codec();
  const auto any =
      anyOf(Alternative<std::int64_t>{"int", integer()}, Alternative<std::string>{"str", string()},
            Alternative<Inner>{"Inner", innerCodec()});
  const auto even = checked<std::string>(string(), [](const std::string& text) {
    return text.size() % 2 == 0 ? std::nullopt : std::optional(valueError("length must be even"));
  });
  return Record<Sample>("Sample")
      .optional("s", &Sample::s, string(), "")
      .optional("bounded", &Sample::bounded,
                string({.min_length = 2, .max_length = 3, .pattern = "^a"}), "")
      .optional("one", &Sample::one, string({.min_length = 1, .max_length = 1}), "")
      .optional("i", &Sample::i, integer(), "")
      .optional("page", &Sample::page, integer({.ge = 1, .le = 200}), "")
      .optional("f", &Sample::f, number(), "")
      .optional("ratio", &Sample::ratio, number({.gt = 0, .lt = 10.5}), "")
      .optional("b", &Sample::b, boolean(), "")
      .optional("l", &Sample::l, list(integer()), "")
      .optional("few", &Sample::few, list(integer(), {.min_items = 1, .max_items = 2}), "")
      .optional("pair", &Sample::pair, tuple(integer(), string()), "")
      .optional("m", &Sample::m, map(integer()), "")
      .optional("costs", &Sample::costs, map(innerCodec()), "")
      .optional("r", &Sample::r, innerCodec(), "")
      .optional("direction", &Sample::direction, literal({"asc", "desc"}), "")
      .optional("only", &Sample::only, literal({"a"}), "")
      .optional("status", &Sample::status, status, "")
      .optional("t", &Sample::t, dateTime(), "")
      .optional("u", &Sample::u, uuid(), "")
      .optional("maybe", &Sample::maybe, nullable(integer()), "")
      .optional("any", &Sample::any, any, "")
      .optional("pet", &Sample::pet,
                taggedBy("kind", Alternative<Cat>{"cat", cat}, Alternative<Dog>{"dog", dog}), "")
      .optional("even", &Sample::even, even, "")
      .optional("raw", &Sample::raw, anyJson(), "")
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
  const char* body;
  const char* detail;
};

class ViolationTable : public ::testing::TestWithParam<Row> {};

TEST_P(ViolationTable, MatchesByteForByte) {
  EXPECT_EQ(detailOf(GetParam().body), GetParam().detail);
}

INSTANTIATE_TEST_SUITE_P(
    Strings,
    ViolationTable,
    ::testing::Values(
        Row{R"({"s":5})",
            R"({"type":"string_type","loc":["body","s"],"msg":"Input should be a valid string","input":5})"},
        Row{R"({"s":null})",
            R"({"type":"string_type","loc":["body","s"],"msg":"Input should be a valid string","input":null})"},
        Row{R"({"s":true})",
            R"({"type":"string_type","loc":["body","s"],"msg":"Input should be a valid string","input":true})"},
        Row{R"({"s":"\u0000"})",
            R"({"type":"value_error","loc":["body","s"],"msg":"Value error, NUL characters are not allowed","input":"\u0000","ctx":{"error":{}}})"},
        Row{R"({"bounded":""})",
            R"({"type":"string_too_short","loc":["body","bounded"],"msg":"String should have at least 2 characters","input":"","ctx":{"min_length":2}})"},
        Row{R"({"bounded":"aäöü"})",
            R"({"type":"string_too_long","loc":["body","bounded"],"msg":"String should have at most 3 characters","input":"aäöü","ctx":{"max_length":3}})"},
        Row{R"({"bounded":"aäö"})", "accepted"},
        Row{R"({"bounded":"bc"})",
            R"({"type":"string_pattern_mismatch","loc":["body","bounded"],"msg":"String should match pattern '^a'","input":"bc","ctx":{"pattern":"^a"}})"},
        Row{R"({"one":""})",
            R"({"type":"string_too_short","loc":["body","one"],"msg":"String should have at least 1 character","input":"","ctx":{"min_length":1}})"},
        Row{R"({"one":"ab"})",
            R"({"type":"string_too_long","loc":["body","one"],"msg":"String should have at most 1 character","input":"ab","ctx":{"max_length":1}})"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers,
    ViolationTable,
    ::testing::Values(
        Row{R"({"i":{}})",
            R"({"type":"int_type","loc":["body","i"],"msg":"Input should be a valid integer","input":{}})"},
        Row{R"({"i":[1, 2]})",
            R"({"type":"int_type","loc":["body","i"],"msg":"Input should be a valid integer","input":[1,2]})"},
        Row{R"({"i":null})",
            R"({"type":"int_type","loc":["body","i"],"msg":"Input should be a valid integer","input":null})"},
        Row{R"({"i":"x"})",
            R"({"type":"int_parsing","loc":["body","i"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"})"},
        Row{R"({"i":""})",
            R"({"type":"int_parsing","loc":["body","i"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":""})"},
        Row{R"({"i":"7.5"})",
            R"({"type":"int_parsing","loc":["body","i"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"7.5"})"},
        Row{R"({"i":1.5})",
            R"({"type":"int_from_float","loc":["body","i"],"msg":"Input should be a valid integer, got a number with a fractional part","input":1.5})"},
        Row{R"({"i":99999999999999999999})",
            R"({"type":"less_than_equal","loc":["body","i"],"msg":"Input should be less than or equal to 9223372036854775807","input":99999999999999999999,"ctx":{"le":9223372036854775807}})"},
        Row{R"({"page":0})",
            R"({"type":"greater_than_equal","loc":["body","page"],"msg":"Input should be greater than or equal to 1","input":0,"ctx":{"ge":1}})"},
        Row{R"({"page":201})",
            R"({"type":"less_than_equal","loc":["body","page"],"msg":"Input should be less than or equal to 200","input":201,"ctx":{"le":200}})"},
        Row{R"({"page":1180591620717411303424})",
            R"({"type":"less_than_equal","loc":["body","page"],"msg":"Input should be less than or equal to 200","input":1180591620717411303424,"ctx":{"le":200}})"},
        Row{R"({"f":[]})",
            R"({"type":"float_type","loc":["body","f"],"msg":"Input should be a valid number","input":[]})"},
        Row{R"({"f":null})",
            R"({"type":"float_type","loc":["body","f"],"msg":"Input should be a valid number","input":null})"},
        Row{R"({"f":"x"})",
            R"({"type":"float_parsing","loc":["body","f"],"msg":"Input should be a valid number, unable to parse string as a number","input":"x"})"},
        Row{R"({"f":1e400})",
            R"({"type":"finite_number","loc":["body","f"],"msg":"Input should be a finite number","input":1e400})"},
        Row{R"({"ratio":0})",
            R"({"type":"greater_than","loc":["body","ratio"],"msg":"Input should be greater than 0","input":0,"ctx":{"gt":0.0}})"},
        Row{R"({"ratio":10.5})",
            R"({"type":"less_than","loc":["body","ratio"],"msg":"Input should be less than 10.5","input":10.5,"ctx":{"lt":10.5}})"}));

INSTANTIATE_TEST_SUITE_P(
    Booleans,
    ViolationTable,
    ::testing::Values(
        Row{R"({"b":{}})",
            R"({"type":"bool_type","loc":["body","b"],"msg":"Input should be a valid boolean","input":{}})"},
        Row{R"({"b":null})",
            R"({"type":"bool_type","loc":["body","b"],"msg":"Input should be a valid boolean","input":null})"},
        Row{R"({"b":2})",
            R"({"type":"bool_parsing","loc":["body","b"],"msg":"Input should be a valid boolean, unable to interpret input","input":2})"},
        Row{R"({"b":"maybe"})",
            R"({"type":"bool_parsing","loc":["body","b"],"msg":"Input should be a valid boolean, unable to interpret input","input":"maybe"})"},
        Row{R"({"b":1.5})",
            R"({"type":"bool_type","loc":["body","b"],"msg":"Input should be a valid boolean","input":1.5})"}));

INSTANTIATE_TEST_SUITE_P(
    Containers,
    ViolationTable,
    ::testing::Values(
        Row{R"({"l":{"a":1}})",
            R"({"type":"list_type","loc":["body","l"],"msg":"Input should be a valid list","input":{"a":1}})"},
        Row{R"({"l":["a",1,"b"]})",
            R"({"type":"int_parsing","loc":["body","l",0],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"a"},{"type":"int_parsing","loc":["body","l",2],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"b"})"},
        Row{R"({"few":[]})",
            R"({"type":"too_short","loc":["body","few"],"msg":"List should have at least 1 item after validation, not 0","input":[],"ctx":{"field_type":"List","min_length":1,"actual_length":0}})"},
        Row{R"({"few":[1,2,3]})",
            R"({"type":"too_long","loc":["body","few"],"msg":"List should have at most 2 items after validation, not 3","input":[1,2,3],"ctx":{"field_type":"List","max_length":2,"actual_length":3}})"},
        Row{R"({"pair":{}})",
            R"({"type":"tuple_type","loc":["body","pair"],"msg":"Input should be a valid tuple","input":{}})"},
        Row{R"({"pair":[1]})",
            R"({"type":"missing","loc":["body","pair",1],"msg":"Field required","input":[1]})"},
        Row{R"({"pair":[1,"a",3]})",
            R"({"type":"too_long","loc":["body","pair"],"msg":"Tuple should have at most 2 items after validation, not 3","input":[1,"a",3],"ctx":{"field_type":"Tuple","max_length":2,"actual_length":3}})"},
        Row{R"({"pair":["a",5]})",
            R"({"type":"int_parsing","loc":["body","pair",0],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"a"},{"type":"string_type","loc":["body","pair",1],"msg":"Input should be a valid string","input":5})"},
        Row{R"({"m":[]})",
            R"({"type":"dict_type","loc":["body","m"],"msg":"Input should be a valid dictionary","input":[]})"},
        Row{R"({"costs":{"gpt-4o":{}}})",
            R"({"type":"missing","loc":["body","costs","gpt-4o","k"],"msg":"Field required","input":{}})"},
        Row{R"({"r":[]})",
            R"({"type":"model_attributes_type","loc":["body","r"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]})"},
        Row{R"([])",
            R"({"type":"model_attributes_type","loc":["body"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]})"},
        Row{R"({"r":{"k":1,"colour":"red"}})",
            R"({"type":"extra_forbidden","loc":["body","r","colour"],"msg":"Extra inputs are not permitted","input":"red"})"}));

INSTANTIATE_TEST_SUITE_P(
    Choices,
    ViolationTable,
    ::testing::Values(
        Row{R"({"direction":"up"})",
            R"({"type":"literal_error","loc":["body","direction"],"msg":"Input should be 'asc' or 'desc'","input":"up","ctx":{"expected":"'asc' or 'desc'"}})"},
        Row{R"({"only":5})",
            R"({"type":"literal_error","loc":["body","only"],"msg":"Input should be 'a'","input":5,"ctx":{"expected":"'a'"}})"},
        Row{R"({"status":"done"})",
            R"({"type":"enum","loc":["body","status"],"msg":"Input should be 'success', 'error', 'running' or 'descendant_error'","input":"done","ctx":{"expected":"'success', 'error', 'running' or 'descendant_error'"}})"}));

INSTANTIATE_TEST_SUITE_P(
    Times,
    ViolationTable,
    ::testing::Values(
        Row{R"({"t":[]})",
            R"({"type":"datetime_type","loc":["body","t"],"msg":"Input should be a valid datetime","input":[]})"},
        Row{R"({"t":true})",
            R"({"type":"datetime_type","loc":["body","t"],"msg":"Input should be a valid datetime","input":true})"},
        Row{R"({"t":"soon"})",
            R"({"type":"datetime_from_date_parsing","loc":["body","t"],"msg":"Input should be a valid datetime or date, input is too short","input":"soon","ctx":{"error":"input is too short"}})"},
        Row{R"({"t":"2024-13-01"})",
            R"({"type":"datetime_from_date_parsing","loc":["body","t"],"msg":"Input should be a valid datetime or date, month value is outside expected range of 1-12","input":"2024-13-01","ctx":{"error":"month value is outside expected range of 1-12"}})"},
        Row{R"({"t":"2024-02-30"})",
            R"({"type":"datetime_from_date_parsing","loc":["body","t"],"msg":"Input should be a valid datetime or date, day value is outside expected range","input":"2024-02-30","ctx":{"error":"day value is outside expected range"}})"},
        Row{R"({"t":"2024-05-01T25:00:00Z"})",
            R"({"type":"datetime_from_date_parsing","loc":["body","t"],"msg":"Input should be a valid datetime or date, unexpected extra characters at the end of the input","input":"2024-05-01T25:00:00Z","ctx":{"error":"unexpected extra characters at the end of the input"}})"},
        Row{R"({"t":"not a date"})",
            R"({"type":"datetime_from_date_parsing","loc":["body","t"],"msg":"Input should be a valid datetime or date, invalid character in year","input":"not a date","ctx":{"error":"invalid character in year"}})"},
        Row{R"({"t":1e20})",
            R"({"type":"datetime_parsing","loc":["body","t"],"msg":"Input should be a valid datetime, dates after 9999 are not supported as unix timestamps","input":1e20,"ctx":{"error":"dates after 9999 are not supported as unix timestamps"}})"}));

INSTANTIATE_TEST_SUITE_P(
    Uuids,
    ViolationTable,
    ::testing::Values(
        Row{R"({"u":5})",
            R"({"type":"uuid_type","loc":["body","u"],"msg":"UUID input should be a string, bytes or UUID object","input":5})"},
        Row{R"({"u":"0123"})",
            R"({"type":"uuid_parsing","loc":["body","u"],"msg":"Input should be a valid UUID, invalid length: found 4","input":"0123","ctx":{"error":"invalid length: found 4"}})"},
        Row{R"({"u":"01234567-89ab-cdef-0123-456789abcdez"})",
            R"({"type":"uuid_parsing","loc":["body","u"],"msg":"Input should be a valid UUID, invalid character: found `z` at 35","input":"01234567-89ab-cdef-0123-456789abcdez","ctx":{"error":"invalid character: found `z` at 35"}})"},
        Row{R"({"u":"01234567-89ab-cdef-0123"})",
            R"({"type":"uuid_parsing","loc":["body","u"],"msg":"Input should be a valid UUID, invalid group count: expected 5, found 4","input":"01234567-89ab-cdef-0123","ctx":{"error":"invalid group count: expected 5, found 4"}})"},
        Row{R"({"u":"0123456-789ab-cdef-0123-456789abcdef"})",
            R"({"type":"uuid_parsing","loc":["body","u"],"msg":"Input should be a valid UUID, invalid group length in group 0: expected 8, found 7","input":"0123456-789ab-cdef-0123-456789abcdef","ctx":{"error":"invalid group length in group 0: expected 8, found 7"}})"}));

INSTANTIATE_TEST_SUITE_P(
    Unions,
    ViolationTable,
    ::testing::Values(
        Row{R"({"maybe":"x"})",
            R"({"type":"int_parsing","loc":["body","maybe"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"})"},
        Row{R"({"any":[]})",
            R"({"type":"int_type","loc":["body","any","int"],"msg":"Input should be a valid integer","input":[]},{"type":"string_type","loc":["body","any","str"],"msg":"Input should be a valid string","input":[]},{"type":"model_attributes_type","loc":["body","any","Inner"],"msg":"Input should be a valid dictionary or object to extract fields from","input":[]})"},
        Row{R"({"any":{"k":"x"}})",
            R"({"type":"int_type","loc":["body","any","int"],"msg":"Input should be a valid integer","input":{"k":"x"}},{"type":"string_type","loc":["body","any","str"],"msg":"Input should be a valid string","input":{"k":"x"}},{"type":"int_parsing","loc":["body","any","Inner","k"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"})"},
        Row{R"({"pet":{"lives":1}})",
            R"({"type":"union_tag_not_found","loc":["body","pet"],"msg":"Unable to extract tag using discriminator 'kind'","input":{"lives":1},"ctx":{"discriminator":"'kind'"}})"},
        Row{R"({"pet":{"kind":"cow"}})",
            R"({"type":"union_tag_invalid","loc":["body","pet"],"msg":"Input tag 'cow' found using 'kind' does not match any of the expected tags: 'cat', 'dog'","input":{"kind":"cow"},"ctx":{"discriminator":"'kind'","tag":"cow","expected_tags":"'cat', 'dog'"}})"},
        Row{R"({"pet":{"kind":"dog"}})",
            R"({"type":"missing","loc":["body","pet","dog","barks"],"msg":"Field required","input":{"kind":"dog"}})"},
        Row{R"({"even":"odd"})",
            R"({"type":"value_error","loc":["body","even"],"msg":"Value error, length must be even","input":"odd","ctx":{"error":{}}})"}));

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
                         .required("project_id", &Pair::project_id, string(), "")
                         .required("limit", &Pair::limit, integer(), "")
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
