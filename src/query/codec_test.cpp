// Tests of valid queries and of the errors of invalid ones. The expected errors were taken from the
// reference implementation of those rules (specification, section 8.2 of the tracing part).

#include "query/codec.h"

#include <optional>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "base/core/paging.h"
#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "wire/spelling.h"

namespace spindle::query {
namespace {

struct Request {
  std::optional<Query> query;
  std::optional<std::vector<SortKey>> sort_by;
};

schema::Codec<Request> requestCodec() {
  return schema::Record<Request>("Request")
      .optional("query", &Request::query, schema::nullable(queryCodec()))
      .optional("sort_by", &Request::sort_by, schema::nullable(sortCodec()))
      .codec();
}

Result<Request> read(const std::string& body) { return schema::parse(requestCodec(), body); }

Result<Request> readExpression(const std::string& expression) {
  return read(R"({"query":{"$expr":)" + expression + "}}");
}

Expression expressionOf(const std::string& expression) {
  Result<Request> request = readExpression(expression);
  EXPECT_TRUE(request.has_value()) << expression;
  return request && request->query ? request->query->expression : Expression();
}

std::string locOf(const Violation& violation) {
  std::string loc;
  for (const LocStep& step : violation.loc) {
    if (!loc.empty()) loc += '/';
    const auto* index = std::get_if<std::int64_t>(&step);
    loc += index != nullptr ? std::to_string(*index) : std::get<std::string>(step);
  }
  return loc;
}

/// Returns `type loc` of each error. Errors of missing operator keys are counted, not listed.
std::string errorsOf(const Result<Request>& result) {
  if (result) return "none";
  std::string text;
  int missing = 0;
  for (const Violation& violation : result.error().violations()) {
    const std::string loc = locOf(violation);
    const std::size_t slash = loc.rfind('/');
    const bool absent = violation.type == "missing" && loc[slash + 1] == '$';
    missing += absent ? 1 : 0;
    if (!absent) text += violation.type + " " + loc + "\n";
  }
  return text + std::to_string(missing) + " missing";
}

TEST(QueryCodec, ReadsEveryOperation) {
  EXPECT_EQ(expressionOf(R"({"$and":[]})").op, Operator::kAnd);
  EXPECT_EQ(expressionOf(R"({"$or":[{"$literal":true}]})").op, Operator::kOr);
  EXPECT_EQ(expressionOf(R"({"$not":[{"$literal":true}]})").op, Operator::kNot);
  const std::string pair = R"(:[{"$getField":"id"},{"$literal":"a"}]})";
  EXPECT_EQ(expressionOf("{\"$eq\"" + pair).op, Operator::kEq);
  EXPECT_EQ(expressionOf("{\"$gt\"" + pair).op, Operator::kGt);
  EXPECT_EQ(expressionOf("{\"$lt\"" + pair).op, Operator::kLt);
  EXPECT_EQ(expressionOf("{\"$gte\"" + pair).op, Operator::kGte);
  const Expression lte = expressionOf("{\"$lte\"" + pair);
  EXPECT_EQ(lte.op, Operator::kLte);
  ASSERT_EQ(lte.operands.size(), 2U);
  EXPECT_EQ(lte.operands[0].op, Operator::kField);
  EXPECT_EQ(lte.operands[0].field, "id");
  EXPECT_EQ(std::get<std::string>(lte.operands[1].literal), "a");

  const Expression in =
      expressionOf(R"({"$in":[{"$getField":"a"},[{"$literal":1},{"$literal":2}]]})");
  EXPECT_EQ(in.op, Operator::kIn);
  ASSERT_EQ(in.operands.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(in.operands[2].literal), 2);

  const Expression contains = expressionOf(
      R"({"$contains":{"input":{"$getField":"a"},"substr":{"$literal":"b"},"case_insensitive":true}})");
  EXPECT_EQ(contains.op, Operator::kContains);
  EXPECT_TRUE(contains.case_insensitive);
  ASSERT_EQ(contains.operands.size(), 2U);
}

TEST(QueryCodec, ReadsOperandsOfEveryKind) {
  const Expression all = expressionOf(
      R"({"$and":[{"$literal":null},{"$literal":"1"},{"$literal":1},{"$literal":1.0},{"$literal":true},)"
      R"({"$literal":[{"$literal":1}]},{"$literal":{"a":{"$literal":{"b":{"$literal":2}}}}},)"
      R"({"$convert":{"input":{"$getField":"a"},"to":"exists"}},{"$size":{"$getField":"a"}},)"
      R"({"$literal":12345678901234567890},{"$eq":[{"$literal":1},{"$not":[{"$literal":1}]}]}]})");
  ASSERT_EQ(all.operands.size(), 11U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(all.operands[0].literal));
  EXPECT_EQ(std::get<std::string>(all.operands[1].literal), "1");
  EXPECT_EQ(std::get<std::int64_t>(all.operands[2].literal), 1);
  EXPECT_EQ(std::get<double>(all.operands[3].literal), 1.0);
  EXPECT_EQ(std::get<bool>(all.operands[4].literal), true);
  EXPECT_EQ(std::get<Composite>(all.operands[5].literal).json, R"([{"$literal":1}])");
  EXPECT_TRUE(std::holds_alternative<Composite>(all.operands[6].literal));
  EXPECT_EQ(all.operands[7].conversion, Conversion::kExists);
  EXPECT_EQ(all.operands[8].op, Operator::kSize);
  EXPECT_EQ(std::get<double>(all.operands[9].literal), 12345678901234567890.0);
  EXPECT_EQ(all.operands[10].operands[1].op, Operator::kNot);
}

TEST(QueryCodec, RoundTrips) {
  const std::string text =
      R"({"$expr":{"$or":[{"$in":[{"$getField":"a.b"},[{"$literal":1},{"$literal":null}]]},)"
      R"({"$in":[{"$literal":"x"},[]]},{"$not":[{"$contains":{"input":{"$getField":"c"},)"
      R"("substr":{"$literal":"é"},"case_insensitive":false}}]},)"
      R"({"$gte":[{"$convert":{"input":{"$getField":"d"},"to":"double"}},{"$literal":1.5}]},)"
      R"({"$lt":[{"$size":{"$getField":"e"}},{"$literal":[{"$literal":true}]}]}]}})";
  const Result<Query> query = schema::parse(queryCodec(), text);
  ASSERT_TRUE(query);
  EXPECT_EQ(queryCodec().toJson(*query), text);
}

TEST(QueryCodec, NamesFieldsInNeutralSpelling) {
  const std::string vendor(wire::memberFor(wire::Spelling::kVendor, "svc_user_id"));
  ASSERT_NE(vendor, "svc_user_id");
  EXPECT_EQ(expressionOf(R"({"$eq":[{"$getField":")" + vendor + R"("},{"$literal":1}]})")
                .operands[0]
                .field,
            "svc_user_id");
  const Result<Request> sorted =
      read(R"({"sort_by":[{"field":")" + vendor + R"(","direction":"desc"}]})");
  ASSERT_TRUE(sorted);
  EXPECT_EQ(sorted->sort_by->front().field, "svc_user_id");
  EXPECT_TRUE(sorted->sort_by->front().descending);
}

TEST(QueryCodec, RejectsAnInvalidWrapper) {
  EXPECT_EQ(errorsOf(read(R"({"query":5})")), "model_attributes_type body/query\n0 missing");
  EXPECT_EQ(errorsOf(read(R"({"query":{}})")), "1 missing");
  EXPECT_EQ(errorsOf(read(R"({"query":{"$expr":{"$and":[]},"x":1}})")),
            "extra_forbidden body/query/x\n0 missing");
  EXPECT_EQ(errorsOf(read(R"({"query":null})")), "none");
}

TEST(QueryCodec, TriesAllOperationsInTheirOrder) {
  std::string expected;
  for (const char* name : {"And", "Or", "Not", "Eq", "Gt", "Lt", "Gte", "Lte", "In", "Contains"}) {
    expected += "model_attributes_type body/query/$expr/" + std::string(name) + "Operation\n";
  }
  EXPECT_EQ(errorsOf(readExpression("5")), expected + "0 missing");
  EXPECT_EQ(errorsOf(readExpression("{}")), "10 missing");
  EXPECT_EQ(errorsOf(readExpression(R"({"$literal":1})")), "10 missing");
}

TEST(QueryCodec, TriesAllOperandsInTheirOrder) {
  std::string expected;
  for (const char* name :
       {"LiteralOperation", "GetFieldOperator", "ConvertOperation", "SizeOperation", "AndOperation",
        "OrOperation", "NotOperation", "EqOperation", "GtOperation", "LtOperation", "GteOperation",
        "LteOperation", "InOperation", "ContainsOperation"}) {
    expected +=
        "model_attributes_type body/query/$expr/OrOperation/$or/0/" + std::string(name) + "\n";
  }
  EXPECT_EQ(errorsOf(readExpression(R"({"$eq":5,"$or":[5]})")),
            expected + "tuple_type body/query/$expr/EqOperation/$eq\n8 missing");
}

TEST(QueryCodec, ReportsTheWrongNumberOfOperands) {
  const Result<Request> one = readExpression(R"({"$eq":[{"$literal":1}]})");
  ASSERT_FALSE(one);
  ASSERT_EQ(one.error().violations().size(), 10U);
  const Violation& violation = one.error().violations()[3];
  EXPECT_EQ(violation.type, "missing");
  EXPECT_EQ(locOf(violation), "body/query/$expr/EqOperation/$eq/1");
  EXPECT_EQ(violation.msg, "Field required");
  EXPECT_EQ(violation.input, R"([{"$literal":1}])");

  const Result<Request> three =
      readExpression(R"({"$eq":[{"$literal":1},{"$literal":1},{"$literal":1}]})");
  EXPECT_EQ(errorsOf(three), "too_long body/query/$expr/EqOperation/$eq\n9 missing");
  EXPECT_EQ(three.error().violations()[3].msg,
            "Tuple should have at most 2 items after validation, not 3");
  EXPECT_EQ(errorsOf(readExpression(R"({"$not":[{"$literal":1},{"$literal":1}]})")),
            "too_long body/query/$expr/NotOperation/$not\n9 missing");
  EXPECT_EQ(errorsOf(readExpression(R"({"$in":[{"$literal":1},5]})")),
            "list_type body/query/$expr/InOperation/$in/1\n9 missing");
}

TEST(QueryCodec, ReportsBrokenLiterals) {
  const std::string literal = "body/query/$expr/AndOperation/$and/0/LiteralOperation/$literal/";
  const std::string scalars = "string_type " + literal + "str\nint_type " + literal +
                              "int\nfloat_type " + literal + "float\nbool_type " + literal +
                              "bool\n";
  EXPECT_EQ(errorsOf(readExpression(R"({"$and":[{"$literal":{"a":1}}]})")),
            scalars + "model_attributes_type " + literal + "dict[str,...]/a\nlist_type " + literal +
                "list[LiteralOperation]\n22 missing");
  EXPECT_EQ(errorsOf(readExpression(R"({"$and":[{"$literal":[1]}]})")),
            scalars + "dict_type " + literal + "dict[str,...]\nmodel_attributes_type " + literal +
                "list[LiteralOperation]/0\n22 missing");
}

TEST(QueryCodec, ReportsErrorsInsideOperators) {
  const std::string contains = "body/query/$expr/ContainsOperation/$contains";
  EXPECT_EQ(errorsOf(readExpression(R"({"$contains":5})")),
            "model_attributes_type " + contains + "\n9 missing");
  EXPECT_EQ(errorsOf(readExpression(R"({"$contains":{"input":{"$literal":1}}})")),
            "missing " + contains + "/substr\n9 missing");
  EXPECT_EQ(
      errorsOf(readExpression(R"({"$contains":{"input":{"$literal":1},"substr":{"$literal":"a"},)"
                              R"("case_insensitive":[1]}})")),
      "bool_type " + contains + "/case_insensitive\n9 missing");
  const std::string convert = "body/query/$expr/NotOperation/$not/0/ConvertOperation/$convert/";
  const Result<Request> result =
      readExpression(R"({"$not":[{"$convert":{"input":{"$getField":1},"to":"x"}}]})");
  EXPECT_EQ(errorsOf(result), "string_type " + convert +
                                  "input/GetFieldOperator/$getField\nliteral_error " + convert +
                                  "to\n35 missing");
  EXPECT_EQ(result.error().violations()[18].msg,
            "Input should be 'double', 'string', 'int', 'bool' or 'exists'");
}

TEST(QueryCodec, UsesTheFirstMatchingKind) {
  EXPECT_EQ(expressionOf(R"({"$and":5,"$or":[{"$literal":1}]})").op, Operator::kOr);
  EXPECT_EQ(expressionOf(R"({"$or":[{"$literal":1}],"$and":[{"$literal":1}]})").op, Operator::kAnd);
}

TEST(QueryCodec, ReadsDeepQueriesInLinearTime) {
  std::string text = R"({"$literal":true})";
  for (int depth = 0; depth < 90; ++depth) text = R"({"$not":[)" + text + "]}";
  EXPECT_EQ(expressionOf(text).op, Operator::kNot);
  std::string broken = "5";
  for (int depth = 0; depth < 90; ++depth) broken = R"({"$not":[)" + broken + "]}";
  const Result<Request> result = readExpression(broken);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().violations().size(), 200U);
}

TEST(QueryCodec, BoundsQueries) {
  std::string operators;
  for (std::size_t i = 0; i < kMaxOperators; ++i) operators += R"({"$getField":"a"},)";
  EXPECT_EQ(errorsOf(readExpression(R"({"$and":[)" + operators + R"({"$literal":1}]})")),
            "value_error body/query\n0 missing");
  std::string literals;
  for (std::size_t i = 0; i < kMaxLiterals; ++i) literals += R"({"$literal":1},)";
  const std::string in = R"({"$in":[{"$getField":"a"},[)" + literals;
  EXPECT_TRUE(readExpression(in.substr(0, in.size() - 1) + "]]}"));
  EXPECT_EQ(errorsOf(readExpression(in + R"({"$literal":1}]]})")),
            "value_error body/query\n0 missing");
  const std::string long_text(kMaxQueryBytes, 'x');
  EXPECT_EQ(errorsOf(readExpression(R"({"$and":[{"$literal":")" + long_text + R"("}]})")),
            "value_error body/query\n0 missing");
}

TEST(QueryCodec, BoundsTheNumberOfSortKeys) {
  const auto sorted = [](std::size_t count) {
    std::string keys;
    for (std::size_t i = 0; i < count; ++i) {
      keys += (i > 0 ? "," : "") + std::string(R"({"field":"a","direction":"asc"})");
    }
    return errorsOf(read(R"({"sort_by":[)" + keys + "]}"));
  };
  EXPECT_EQ(sorted(kMaxSortKeys).find("sort_by"), std::string::npos);
  EXPECT_NE(sorted(kMaxSortKeys + 1).find("too_long body/sort_by"), std::string::npos);
}

TEST(QueryCodec, ReportsBrokenSortKeys) {
  const Result<Request> result = read(R"({"sort_by":[{"field":"a","direction":"up"},{}]})");
  EXPECT_EQ(errorsOf(result),
            "literal_error body/sort_by/0/direction\nmissing body/sort_by/1/field\n"
            "missing body/sort_by/1/direction\n0 missing");
  EXPECT_EQ(result.error().violations()[0].msg, "Input should be 'asc' or 'desc'");
  EXPECT_EQ(errorsOf(read(R"({"sort_by":5})")), "list_type body/sort_by\n0 missing");
}

TEST(QueryCodec, DescribesItself) {
  const schema::Codec<Request> codec = requestCodec();
  schema::Components components;
  std::string text;
  json::Writer out(text);
  out.beginObject();
  codec.type()->describe(out, components);
  out.endObject();
  std::string records;
  json::Writer records_out(records);
  records_out.beginObject();
  components.write(records_out);
  records_out.endObject();
  for (const char* name :
       {"\"Query\":", "\"AndOperation\":", "\"LiteralOperation\":", "\"ContainsSpec\":",
        "\"ConvertSpec\":", "\"SizeOperation\":", "\"SortBy\":"}) {
    EXPECT_NE(records.find(name), std::string::npos) << name;
  }
  EXPECT_NE(records.find(R"("anyOf":[{"$ref":"#/components/schemas/LiteralOperation"},)"),
            std::string::npos);
}

}  // namespace
}  // namespace spindle::query
