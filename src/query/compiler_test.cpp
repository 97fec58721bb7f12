// Tests of the query language's semantics, row by row of the specification (section 2.6 of the
// tracing part).

#include "query/compiler.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "query/query_for_test.h"

namespace spindle::query {
namespace {

using namespace std::chrono_literals;

/// The calls of the specification's test vectors. The fourth call is not visible, so it is absent.
class QueryVectors : public QueryStoreFixture {
 protected:
  void SetUp() override {
    const Timestamp start = clock_.now();
    add({.id = "1",
         .inputs = R"({"a":1,"b":true,"n":null,"l":[1,2],"d":{"k.v":3},"f":1.5,"s":"x","big":10})",
         .ended_at = start + 6s});
    add({.id = "2", .inputs = R"({"a":"2","s":""})", .parent_id = "1", .ended_at = start + 7s});
    add({.id = "3", .inputs = R"({"a":9})"});
    add({.id = "5", .inputs = R"({"a":100})", .ended_at = start + 10s});
  }
};

TEST_F(QueryVectors, LiteralDecidesHowAFieldIsRead) {
  EXPECT_EQ(matches(eq("inputs.a", "1")), "1");
  EXPECT_EQ(matches(eq("inputs.a", R"("1")")), "1");
  EXPECT_EQ(matches(eq("inputs.a", "2")), "2");
  EXPECT_EQ(matches(binary("$gt", field("inputs.a"), value("5"))), "3,5");
  EXPECT_EQ(matches(binary("$gt", field("inputs.a"), value("5.0"))), "3,5");
  EXPECT_EQ(matches(binary("$gt", field("inputs.a"), value(R"("5")"))), "3");
  EXPECT_EQ(matches(eq("inputs.b", "true")), "1");
  EXPECT_EQ(matches(eq("inputs.b", R"("true")")), "1");
  EXPECT_EQ(matches(eq("inputs.b", "1")), "");
}

TEST_F(QueryVectors, MissingIsEmptyAndNotNull) {
  EXPECT_EQ(matches(eq("inputs.n", "null")), "");
  EXPECT_EQ(matches(eq("inputs.missing", "null")), "");
  EXPECT_EQ(matches(eq("inputs.missing", R"("")")), "1,2,3,5");
  EXPECT_EQ(matches(negated(eq("inputs.missing", R"("zz")"))), "1,2,3,5");
}

TEST_F(QueryVectors, NullMatchesPlainColumnsOnly) {
  EXPECT_EQ(matches(eq("parent_id", "null")), "1,3,5");
  EXPECT_EQ(matches(negated(eq("parent_id", "null"))), "2");
  EXPECT_EQ(matches(eq("ended_at", "null")), "3");
}

TEST_F(QueryVectors, PathsReachIntoListsAndDottedKeys) {
  EXPECT_EQ(matches(eq("inputs.l.0", "1")), "1");
  EXPECT_EQ(matches(eq(R"(inputs.d.k\.v)", "3")), "1");
  EXPECT_EQ(matches(eq("inputs.d", R"("{\"k.v\":3}")")), "1");
}

TEST_F(QueryVectors, ConvertsWhenAsked) {
  EXPECT_EQ(matches(binary("$eq", convert(field("inputs.f"), "int"), value("1"))), "");
  EXPECT_EQ(matches(binary("$eq", convert(field("inputs.f"), "double"), value("1.5"))), "1");
  EXPECT_EQ(matches(binary("$eq", convert(field("inputs.missing"), "exists"), value("true"))),
            "1,2,3,5");
}

TEST_F(QueryVectors, FindsSubstrings) {
  EXPECT_EQ(matches(contains(field("inputs.s"), value(R"("X")"))), "");
  EXPECT_EQ(matches(contains(field("inputs.s"), value(R"("X")"), true)), "1");
  EXPECT_EQ(matches(contains(field("inputs.s"), value(R"("")"))), "1,2,3,5");
}

TEST_F(QueryVectors, TypesOfAllLiteralsDecideHowAFieldIsRead) {
  EXPECT_EQ(matches(in(field("inputs.a"), {value("1"), value("9")})), "1,3");
  EXPECT_EQ(matches(in(field("inputs.a"), {value("1"), value(R"("9")")})), "3");
  EXPECT_EQ(matches(in(field("inputs.a"), {value(R"("1")"), value(R"("9")")})), "1,3");
  EXPECT_EQ(matches(in(field("inputs.a"), {value("1"), value("9.0")})), "1,3");
}

TEST_F(QueryVectors, ComparesSizesAndFields) {
  EXPECT_EQ(matches(binary("$gt", size(field("inputs.s")), value("0"))), "1");
  EXPECT_EQ(matches(binary("$gt", field("inputs.a"), field("inputs.big"))), "2,3,5");
}

TEST_F(QueryVectors, SortsNumbersAsNumbersAndNullsLast) {
  EXPECT_EQ(sorted({{"inputs.a", false}}), "1,2,3,5");
  EXPECT_EQ(sorted({{"inputs.a", true}}), "5,3,2,1");
  EXPECT_EQ(sorted({{"ended_at", true}}), "5,2,1,3");
  EXPECT_EQ(sorted({{"ended_at", false}}), "1,2,5,3");
}

/// One call for each kind of JSON value, so that the tests can distinguish the conversions.
class QueryMeaning : public QueryStoreFixture {
 protected:
  void addEach(const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      add({.id = std::to_string(i), .inputs = R"({"v":)" + values[i] + "}"});
    }
  }
  std::string all(const std::string& op, const std::string& json) {
    return matches(binary(op, field("inputs.v"), value(json)));
  }
};

TEST_F(QueryMeaning, NumbersHaveAPlainText) {
  addEach({"5", "5.0", R"("5")", R"("5.0")", "1.5", "1.50", R"("1.50")", "15e-1", "-3.0", "50e-1"});
  EXPECT_EQ(all("$eq", R"("5")"), "0,1,2,9");
  EXPECT_EQ(all("$eq", R"("5.0")"), "3");
  EXPECT_EQ(all("$eq", R"("1.5")"), "4,5,7");
  EXPECT_EQ(all("$eq", R"("1.50")"), "6");
  EXPECT_EQ(all("$eq", R"("-3")"), "8");
  EXPECT_EQ(all("$gt", R"("5")"), "3");
  EXPECT_EQ(all("$gte", R"("5")"), "0,1,2,3,9");
  EXPECT_EQ(all("$lte", R"("5")"), "0,1,2,4,5,6,7,8,9");
  EXPECT_EQ(matches(in(field("inputs.v"), {value(R"("5")"), value(R"("-3")"), value(R"("x")")})),
            "0,1,2,8,9");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"(".0")"))), "3");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("0")"))), "3,6");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("1.5")"))), "4,5,6,7");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("5.")"))), "3");
}

TEST_F(QueryMeaning, IntegersAreReadStrictly) {
  addEach({"5", "5.0", R"("5")", R"("5.0")", R"("+5")", R"("005")", R"(" 5")", "5.4", "true",
           R"("5_0")", "null", "[5]", R"("5e0")", "9223372036854775808"});
  EXPECT_EQ(all("$eq", "5"), "0,1,2,4,5");
  EXPECT_EQ(matches(negated(binary("$eq", field("inputs.v"), value("6")))), "0,1,2,4,5");
  EXPECT_EQ(all("$gte", "5"), "0,1,2,4,5");
  EXPECT_EQ(all("$eq", "12345678901234567890"), "");
}

TEST_F(QueryMeaning, DoublesAreRead) {
  addEach({"5", R"("5.5")", "1e3", R"("1e3")", R"("nan")", R"("inf")", R"("1_000")", "true",
           R"("")", "null", R"(".5")", R"("x")", "-2.5"});
  EXPECT_EQ(all("$gt", "1.0"), "0,1,2,3");
  EXPECT_EQ(all("$lt", "1.0"), "10,12");
  EXPECT_EQ(matches(negated(binary("$eq", field("inputs.v"), value("0.25")))), "0,1,10,12,2,3");
}

TEST_F(QueryMeaning, BooleansAreRead) {
  addEach({"true", "false", R"("true")", R"("false")", "1", "0", "255", "256", "1.0", R"("yes")",
           "null", R"("t")", R"("0")", "-1", "0.5"});
  EXPECT_EQ(all("$eq", "true"), "0,2,4,6,8");
  EXPECT_EQ(all("$eq", "false"), "1,12,3,5");
  EXPECT_EQ(matches(negated(binary("$eq", field("inputs.v"), value("true")))), "1,12,3,5");
  EXPECT_EQ(matches(in(field("inputs.v"), {value("true"), value("false")})), "0,1,12,2,3,4,5,6,8");
  EXPECT_EQ(matches(in(field("inputs.v"), {value("true"), value("1")})), "");
}

TEST_F(QueryMeaning, TextsAreComparedByBytes) {
  addEach({R"("b")", R"("B")", R"("é")", R"("")", "null", "true", R"({"k":[1,2.50,"x"]})", "[1]",
           R"("a\"b\\c\nd")", R"("null")"});
  EXPECT_EQ(all("$eq", R"("b")"), "0");
  EXPECT_EQ(all("$gt", R"("a")"), "0,2,5,6,8,9");
  EXPECT_EQ(all("$lt", R"("B")"), "3,4");
  EXPECT_EQ(all("$lte", R"("")"), "3,4");
  EXPECT_EQ(all("$gte", R"("é")"), "2");
  EXPECT_EQ(all("$eq", R"("true")"), "5");
  EXPECT_EQ(all("$eq", R"("null")"), "9");
  EXPECT_EQ(all("$eq", R"("{\"k\":[1,2.5,\"x\"]}")"), "6");
  EXPECT_EQ(all("$eq", R"("[1]")"), "7");
  EXPECT_EQ(all("$eq", R"("a\"b\\c\nd")"), "8");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("b\\c\n")"))), "8");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("\"x\"")"))), "6");
  EXPECT_EQ(matches(contains(field("inputs.v"), value(R"("É")"), true)), "2");
  EXPECT_EQ(matches(negated(contains(field("inputs.v"), value(R"("b")")))), "1,2,3,4,5,6,7,9");
}

TEST_F(QueryMeaning, WholePayloadsAreTextsToo) {
  add({.id = "0", .output = R"({"answer":"result \"12\"\nend","n":5.0})"});
  add({.id = "1", .output = R"("plain\nresult")"});
  add({.id = "2", .output = "5.0"});
  add({.id = "3", .output = "null"});
  add({.id = "4"});
  add({.id = "5", .output = R"(["result"])"});
  add({.id = "6", .output = R"("{\"a\":1}")"});
  const auto has = [this](const std::string& json, bool folded = false) {
    return matches(contains(field("output"), value(json), folded));
  };
  EXPECT_EQ(has(R"("result")"), "0,1,5");
  EXPECT_EQ(has(R"("RESULT")", true), "0,1,5");
  EXPECT_EQ(has(R"("nresult")"), "");
  EXPECT_EQ(has(R"("\nresult")"), "1");
  EXPECT_EQ(has(R"("\"answer\":")"), "0");
  EXPECT_EQ(has(R"(".0")"), "0");
  EXPECT_EQ(has(R"("5")"), "0,2");
  EXPECT_EQ(has(R"("")"), "0,1,2,3,4,5,6");
  EXPECT_EQ(matches(negated(contains(field("output"), value(R"("result")")))), "2,3,4,6");
  EXPECT_EQ(matches(eq("output", R"("5")")), "2");
  EXPECT_EQ(matches(eq("output", R"("")")), "3,4");
  EXPECT_EQ(matches(eq("output", R"("[\"result\"]")")), "5");
  EXPECT_EQ(matches(eq("output", R"("{\"a\":1}")")), "6");
  EXPECT_EQ(matches(eq("output", R"("plain\nresult")")), "1");
  EXPECT_EQ(matches(eq("output", "5")), "2");
  EXPECT_EQ(matches(in(field("output"), {value(R"("5")"), value(R"("{\"a\":1}")")})), "2,6");
  EXPECT_EQ(matches(binary("$gt", field("output"), value(R"("p")"))), "0,1,6");
  EXPECT_EQ(sorted({{"output", false}, {"id", false}}), "2,5,1,6,0,3,4");
}

TEST_F(QueryMeaning, UnknownIsNeitherTrueNorFalse) {
  addEach({R"("abc")", "1"});
  const std::string unknown = eq("inputs.v", "2");
  EXPECT_EQ(matches(negated(unknown)), "1");
  EXPECT_EQ(matches(negated(negated(unknown))), "");
  EXPECT_EQ(matches(binary("$or", unknown, eq("inputs.v", R"("abc")"))), "0");
  EXPECT_EQ(matches(negated(binary("$and", unknown, eq("inputs.v", R"("zz")")))), "0,1");
  EXPECT_EQ(matches(negated(eq("parent_id", R"("x")"))), "");
  EXPECT_EQ(matches(binary("$gt", field("parent_id"), value("null"))), "");
  EXPECT_EQ(matches(negated(binary("$gt", field("parent_id"), value("null")))), "");
  EXPECT_EQ(matches(negated(eq("inputs.v", "null"))), "0,1");
}

TEST_F(QueryMeaning, KeysMayContainAnyCharacter) {
  add({.id = "0", .inputs = R"({"it's":{"a/b":{"c~d":{"\"q\"":"x"}}},"":"e","0":"zero"})"});
  add({.id = "1", .inputs = R"({"l":["p","q"],"é":1})"});
  EXPECT_EQ(matches(eq(R"(inputs.it's.a/b.c~d.\"q\")", R"("x")")),
            "no query: " + eq(R"(inputs.it's.a/b.c~d.\"q\")", R"("x")"));
  EXPECT_EQ(matches(R"({"$eq":[{"$getField":"inputs.it's.a/b.c~d.\"q\""},{"$literal":"x"}]})"),
            "0");
  EXPECT_EQ(matches(eq("inputs.", R"("e")")), "0");
  EXPECT_EQ(matches(eq("inputs.0", R"("zero")")), "0");
  EXPECT_EQ(matches(eq("inputs.l.1", R"("q")")), "1");
  EXPECT_EQ(matches(eq("inputs.l.2", R"("")")), "0,1");
  EXPECT_EQ(matches(eq("inputs.é", "1")), "1");
  EXPECT_EQ(matches(eq("inputs.l.-1", "1")),
            "422: Negative array index -1 is not allowed in field inputs.l.-1");
}

TEST_F(QueryMeaning, SizeOfTextsAndLists) {
  addEach({R"("äbc")", R"([1,2,3])", "[]", "null", "12.0", R"({"a":1})"});
  add({.id = "6", .refs = std::vector<std::string>{"r1", "r2", "r3"}});
  EXPECT_EQ(matches(binary("$eq", size(field("inputs.v")), value("3"))), "0,1");
  EXPECT_EQ(matches(binary("$eq", size(field("inputs.v")), value("0"))), "2,3,6");
  EXPECT_EQ(matches(binary("$eq", size(field("inputs.v")), value("2"))), "4");
  EXPECT_EQ(matches(binary("$eq", size(field("inputs.v")), value("7"))), "5");
  EXPECT_EQ(matches(binary("$eq", size(field("refs")), value("3"))), "6");
  EXPECT_EQ(matches(binary("$eq", size(field("id")), value("1"))), "0,1,2,3,4,5,6");
  EXPECT_EQ(matches(binary("$eq", size(field("step")), value("1"))),
            "403: Illegal type int of argument of $size");
}

TEST_F(QueryMeaning, SortsAbsentLastNumbersBeforeWords) {
  addEach({R"("b")", "null", "10", "9", R"("a")", R"("10.5")"});
  add({.id = "6"});
  EXPECT_EQ(sorted({{"inputs.v", false}, {"id", false}}), "3,2,5,4,0,1,6");
  EXPECT_EQ(sorted({{"inputs.v", true}, {"id", false}}), "5,2,3,0,4,1,6");
}

TEST_F(QueryMeaning, PagesContinueAfterTheirLastRowInEveryOrder) {
  addEach({R"("b")", "null", "10", "9", R"("nan")", R"("10.5")", R"("b")"});
  add({.id = "7", .step = std::int64_t{3}});
  add({.id = "8", .ended_at = timestampOfMicros(5), .step = std::int64_t{3}, .score = 0.5});
  add({.id = "9", .good = true, .refs = std::vector<std::string>{"r"}});
  for (const bool descending : {false, true}) {
    for (const std::string field :
         {"inputs.v", "id", "step", "score", "good", "refs", "started_at", "ended_at"}) {
      const std::vector<SortKey> keys = {{field, descending}, {"id", !descending}};
      EXPECT_EQ(paged(keys), sorted(keys)) << field;
    }
  }
  EXPECT_EQ(paged({{"feedback.[score].payload.v", true}, {"id", false}}),
            sorted({{"feedback.[score].payload.v", true}, {"id", false}}));
}

TEST_F(QueryMeaning, LongTextsSortByTheirBeginningWhenPaged) {
  const std::string begin(200, 'x');
  addEach({"\"" + begin + "b\"", "\"" + begin + "a\""});
  EXPECT_EQ(paged({{"inputs.v", false}, {"id", false}}), "0,1");
}

TEST(Keyset, RefusesPositionsOfAnotherOrder) {
  const std::vector<SortColumn> columns = {{Sql("c.at"), FieldKind::kTime}, {Sql("c.id")}};
  EXPECT_TRUE(isAfter({std::int64_t{1}, "a"}, columns));
  for (const Position& position :
       {Position{}, Position{"a"}, Position{"a", "b"}, Position{std::int64_t{1}, 2.0},
        Position{std::int64_t{1}, "a", "b"}}) {
    const Result<Sql> refused = isAfter(position, columns);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kUnprocessable);
  }
}

class QueryColumns : public QueryStoreFixture {
 protected:
  void SetUp() override {
    add({.id = "a",
         .parent_id = "it's",
         .ended_at = timestampOfMicros(1'700'000'000'500'000),
         .step = std::int64_t{5},
         .score = 0.5,
         .good = true,
         .refs = std::vector<std::string>{"ref:One", "ref:two"}});
    add({.id = "b", .step = std::int64_t{10}, .score = 5.0, .good = false});
    add({.id = "c"});
  }
};

TEST_F(QueryColumns, TextsAreTexts) {
  EXPECT_EQ(matches(eq("parent_id", R"("it's")")), "a");
  EXPECT_EQ(matches(contains(field("parent_id"), value(R"("'")"))), "a");
  EXPECT_EQ(matches(in(field("id"), {value(R"("a")"), value(R"("c")"), value("null")})), "a,c");
  EXPECT_EQ(matches(negated(in(field("id"), {value(R"("a")"), value("null")}))), "b,c");
  EXPECT_EQ(matches(in(field("id"), {})), "");
  EXPECT_EQ(matches(eq("id", "1")), "400: No common type for string and int");
  EXPECT_EQ(matches(eq("id", "true")), "400: No common type for string and bool");
  EXPECT_EQ(matches(eq("id", R"([{"$literal":1}])")), "400: No common type for string and list");
}

TEST_F(QueryColumns, NumbersAreNumbers) {
  EXPECT_EQ(matches(eq("step", "5")), "a");
  EXPECT_EQ(matches(eq("step", "5.5")), "");
  EXPECT_EQ(matches(binary("$gt", field("step"), value("4.5"))), "a,b");
  EXPECT_EQ(matches(eq("step", R"("10")")), "b");
  EXPECT_EQ(matches(eq("step", R"("ten")")), "400: Cannot parse 'ten' as a number");
  EXPECT_EQ(matches(binary("$lt", field("score"), value("1"))), "a");
  EXPECT_EQ(matches(binary("$lt", value("1"), field("score"))), "b");
  EXPECT_EQ(matches(binary("$eq", field("step"), field("score"))), "");
  EXPECT_EQ(matches(in(field("step"), {value("5"), value("10.0")})), "a,b");
}

TEST_F(QueryColumns, BooleansAreBooleans) {
  EXPECT_EQ(matches(eq("good", "true")), "a");
  EXPECT_EQ(matches(eq("good", "0")), "b");
  EXPECT_EQ(matches(eq("good", R"("false")")), "b");
  EXPECT_EQ(matches(eq("good", R"("maybe")")), "400: Cannot parse 'maybe' as a bool");
  EXPECT_EQ(matches(R"({"$and":[{"$getField":"good"}]})"), "a");
  EXPECT_EQ(matches(negated(field("good"))), "b");
  EXPECT_EQ(matches(binary("$eq", eq("step", "5"), value("true"))), "a");
  EXPECT_EQ(matches(binary("$eq", eq("step", "5"), field("good"))), "a,b");
}

TEST_F(QueryColumns, TimesTakeNumbersAndTexts) {
  EXPECT_EQ(matches(eq("ended_at", "1700000000.5")), "a");
  EXPECT_EQ(matches(binary("$gt", field("ended_at"), value("1700000000"))), "a");
  EXPECT_EQ(matches(binary("$gte", field("ended_at"), value(R"("2023-11-14T22:13:20.5Z")"))), "a");
  EXPECT_EQ(matches(binary("$gt", field("ended_at"), value(R"("2023-11-14T22:13:20.5+00:00")"))),
            "");
  EXPECT_EQ(matches(binary("$gt", field("ended_at"), value(R"("2023-11-14")"))), "a");
  EXPECT_EQ(matches(in(field("ended_at"), {value("1700000000.5"), value(R"("2023-11-14")")})), "a");
  EXPECT_EQ(matches(eq("ended_at", R"("soon")")), "400: Cannot parse 'soon' as a datetime");
  EXPECT_EQ(matches(eq("ended_at", "1e300")), "400: A time is out of range");
  EXPECT_EQ(matches(eq("ended_at", "true")), "400: No common type for datetime and bool");
}

TEST_F(QueryColumns, ListsHaveMembers) {
  EXPECT_EQ(matches(contains(field("refs"), value(R"("ref:two")"))), "a");
  EXPECT_EQ(matches(contains(field("refs"), value(R"("ref:")"))), "");
  EXPECT_EQ(matches(contains(field("refs"), value(R"("REF:ONE")"), true)), "a");
  EXPECT_EQ(matches(eq("refs", R"("ref:two")")),
            "400: No common type for list of strings and string");
}

TEST_F(QueryColumns, ConvertsColumnsAndLiterals) {
  const auto converts = [this](const std::string& path, const std::string& to,
                               const std::string& json) {
    return matches(binary("$eq", convert(field(path), to), value(json)));
  };
  EXPECT_EQ(converts("step", "string", R"("10")"), "b");
  EXPECT_EQ(converts("score", "string", R"("5")"), "b");
  EXPECT_EQ(converts("score", "int", "0"), "a");
  EXPECT_EQ(converts("good", "int", "1"), "a");
  EXPECT_EQ(converts("good", "string", R"("false")"), "b");
  EXPECT_EQ(converts("score", "bool", "true"), "a,b");
  EXPECT_EQ(converts("ended_at", "int", "1700000000"), "a");
  EXPECT_EQ(converts("ended_at", "double", "1700000000.5"), "a");
  EXPECT_EQ(converts("ended_at", "string", R"("2023-11-14T22:13:20.500000Z")"), "a");
  EXPECT_EQ(converts("parent_id", "exists", "true"), "a");
  EXPECT_EQ(converts("parent_id", "exists", "false"), "b,c");
  EXPECT_EQ(converts("parent_id", "int", "null"), "a,b,c");
  EXPECT_EQ(converts("id", "bool", "null"), "a,b,c");
  EXPECT_EQ(converts("refs", "string", R"("[\"ref:One\",\"ref:two\"]")"), "a");
  EXPECT_EQ(matches(binary("$eq", convert(value(R"("5")"), "int"), field("step"))), "a");
  EXPECT_EQ(matches(binary("$eq", convert(value("null"), "int"), value("null"))), "a,b,c");
  EXPECT_EQ(matches(binary("$eq", convert(field("step"), "string"), value("5"))),
            "400: No common type for string and int");
}

TEST_F(QueryColumns, ComparesLiteralsWithLiterals) {
  EXPECT_EQ(matches(binary("$eq", value("1"), value("1.0"))), "a,b,c");
  EXPECT_EQ(matches(binary("$lt", value(R"("a")"), value(R"("b")"))), "a,b,c");
  EXPECT_EQ(matches(binary("$eq", value("null"), value("null"))), "a,b,c");
  EXPECT_EQ(matches(binary("$eq", value("null"), value("1"))), "");
  EXPECT_EQ(matches(binary("$eq", value("1"), value(R"("1")"))),
            "400: No common type for int and string");
  EXPECT_EQ(matches(in(value("2"), {value("1"), value("2.0")})), "a,b,c");
  EXPECT_EQ(matches(in(value("2"), {value(R"("2")")})), "400: No common type for int and string");
  EXPECT_EQ(matches(in(value(R"("it's")"), {field("id"), field("parent_id")})), "a");
  EXPECT_EQ(matches(in(value("null"), {value("1")})), "");
  EXPECT_EQ(matches(contains(value(R"("abc")"), field("id"))), "a,b,c");
}

TEST_F(QueryColumns, RejectsIncompatibleTypes) {
  EXPECT_EQ(matches(binary("$eq", field("inputs.a"), field("step"))),
            "400: No common type for string and int");
  EXPECT_EQ(matches(binary("$eq", field("ended_at"), field("id"))),
            "400: No common type for datetime and string");
  EXPECT_EQ(matches(contains(field("id"), value("1"))),
            "403: Illegal type int of argument of $contains");
  EXPECT_EQ(matches(contains(field("inputs.a"), value("1.5"))),
            "403: Illegal type double of argument of $contains");
  EXPECT_EQ(matches(contains(field("step"), value(R"("1")"))),
            "403: Illegal type int of argument of $contains");
  EXPECT_EQ(matches(contains(field("id"), value("null"))), "");
  EXPECT_EQ(matches(eq("nothing", "1")), "422: Field nothing is not allowed.");
  EXPECT_EQ(matches(R"({"$and":[]})"), "400: Empty AND operation");
  EXPECT_EQ(matches(R"({"$or":[]})"), "400: Empty OR operation");
  EXPECT_EQ(matches(negated(R"({"$or":[]})")), "400: Empty OR operation");
  EXPECT_EQ(matches(R"({"$and":[{"$getField":"id"}]})"),
            "403: Illegal type string of argument of a condition");
}

TEST_F(QueryColumns, ConditionsMayBeLiterals) {
  EXPECT_EQ(matches(R"({"$and":[{"$literal":"string"}]})"), "a,b,c");
  EXPECT_EQ(matches(R"({"$and":[{"$literal":""}]})"), "");
  EXPECT_EQ(matches(R"({"$and":[{"$literal":1},{"$literal":0.5},{"$literal":true}]})"), "a,b,c");
  EXPECT_EQ(matches(R"({"$or":[{"$literal":0},{"$literal":false}]})"), "");
  EXPECT_EQ(matches(R"({"$not":[{"$literal":null}]})"), "");
  EXPECT_EQ(matches(R"({"$and":[{"$size":{"$getField":"id"}}]})"), "a,b,c");
}

TEST_F(QueryColumns, ClientTextNeverBecomesSql) {
  const std::string evil = R"("x') OR TRUE --")";
  EXPECT_EQ(matches(eq("id", evil)), "");
  EXPECT_EQ(matches(eq("inputs.a", evil)), "");
  EXPECT_EQ(matches(eq("inputs.x') OR TRUE --", R"("v")")), "");
  EXPECT_EQ(matches(eq("inputs.?", R"("v")")), "");
  EXPECT_EQ(matches(contains(field("output"), value(evil), true)), "");
  EXPECT_EQ(sorted({{"inputs.x', id; DROP TABLE calls --", false}, {"id", true}}), "c,b,a");
}

TEST_F(QueryColumns, DeepAndWideQueriesRun) {
  std::string deep = eq("inputs.a", R"("")");
  for (int i = 0; i < 90; ++i) deep = negated(deep);
  EXPECT_EQ(matches(deep), "a,b,c");
  std::string wide = eq("id", R"("a")");
  for (int i = 0; i < 900; ++i) wide += "," + eq("id", "\"" + std::to_string(i) + "\"");
  EXPECT_EQ(matches(R"({"$or":[)" + wide + "]}"), "a");
  std::vector<std::string> many = {value(R"("c")")};
  for (int i = 0; i < 10'000; ++i) many.push_back(value("\"" + std::to_string(i) + "\""));
  EXPECT_EQ(matches(in(field("id"), many)), "c");
}

class QueryOtherRows : public QueryStoreFixture {
 protected:
  void SetUp() override {
    for (const char* id : {"1", "2", "3"}) add({.id = id});
    addFeedback("1", "score", R"({"v":0.9,"w":1})");
    addFeedback("1", "score", R"({"v":0.1,"w":2})", "run:x");
    addFeedback("2", "score", R"({"v":0.5,"w":0.5})");
    addFeedback("2", "note", R"({"note":"good","v":""})");
  }
};

TEST_F(QueryOtherRows, AnyRowMayMatch) {
  EXPECT_EQ(matches(binary("$gt", field("feedback.[score].payload.v"), value("0.4"))), "1,2");
  EXPECT_EQ(matches(binary("$lt", field("feedback.[score].payload.v"), value("0.4"))), "1");
  EXPECT_EQ(matches(negated(binary("$lt", field("feedback.[score].payload.v"), value("0.4")))),
            "2,3");
  EXPECT_EQ(matches(eq("feedback.[note].payload.note", R"("good")")), "2");
  EXPECT_EQ(matches(contains(field("feedback.[note].payload.note"), value(R"("oo")"))), "2");
  EXPECT_EQ(matches(in(field("feedback.[score].payload.v"), {value("0.9"), value("0.5")})), "1,2");
  EXPECT_EQ(matches(eq("feedback.[score].runnable_ref", R"("run:x")")), "1");
}

TEST_F(QueryOtherRows, NullMatchesMissingRows) {
  EXPECT_EQ(matches(eq("feedback.[score].payload.v", "null")), "3");
  EXPECT_EQ(matches(negated(eq("feedback.[score].payload.v", "null"))), "1,2");
  EXPECT_EQ(matches(eq("feedback.[score].runnable_ref", "null")), "2,3");
  const std::string exists = convert(field("feedback.[note].payload.note"), "exists");
  EXPECT_EQ(matches(binary("$eq", exists, value("true"))), "2");
  EXPECT_EQ(matches(binary("$eq", exists, value("false"))), "1,3");
}

TEST_F(QueryOtherRows, AnyTypeNeedsAValue) {
  EXPECT_EQ(matches(binary("$gt", field("feedback.[*].payload.v"), value("0.6"))), "1");
  EXPECT_EQ(matches(binary("$eq", field("feedback.[*].payload.note"), value("null"))), "1,3");
  EXPECT_EQ(matches(eq("feedback.[*].payload.v", R"("")")), "");
}

TEST_F(QueryOtherRows, TwoFieldsAreOfTheSameRow) {
  EXPECT_EQ(matches(binary("$eq", field("feedback.[score].payload.v"),
                           field("feedback.[score].payload.w"))),
            "2");
  EXPECT_EQ(matches(binary("$eq", field("feedback.[score].payload.v"),
                           field("feedback.[note].payload.v"))),
            "400: Fields of different feedback cannot be compared");
}

TEST_F(QueryOtherRows, SortsByTheNewestRow) {
  EXPECT_EQ(sorted({{"feedback.[score].payload.v", false}}), "1,2,3");
  EXPECT_EQ(sorted({{"feedback.[score].payload.v", true}}), "2,1,3");
}

TEST(SortTieBreak, AppendsTheId) {
  const auto text = [](const std::vector<SortKey>& keys) {
    std::string all;
    for (const SortKey& key : withTieBreak(keys, "id", "started_at")) {
      all += key.field + (key.descending ? "- " : "+ ");
    }
    return all;
  };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{"started_at", false}}), "started_at+ id+ ");
  EXPECT_EQ(text({{"started_at", true}}), "started_at- id- ");
  EXPECT_EQ(text({{"op_name", false}}), "op_name+ id- ");
  EXPECT_EQ(text({{"started_at", false}, {"op_name", false}}), "started_at+ op_name+ id- ");
  EXPECT_EQ(text({{"id", false}, {"op_name", false}}), "id+ op_name+ ");
}

}  // namespace
}  // namespace spindle::query
