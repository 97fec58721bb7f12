#include "schema/record.h"

#include <gtest/gtest.h>

#include "schema/parse.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

struct Tree {
  std::string name;
  std::vector<Tree> children;
};

Codec<Tree> treeCodec() {
  static const Codec<Tree> codec =
      Record<Tree>("Tree")
          .required("name", &Tree::name, string())
          .optional("children", &Tree::children, list(deferred<Tree>(treeCodec)))
          .codec();
  return codec;
}

struct Call {
  std::string op_name;
  std::optional<std::string> user_id;
  std::int64_t limit = 50;
  json::Text inputs;
  MapOf<json::Text> others;
};

Codec<Call> callCodec() {
  return Record<Call>("Call", Extra::kKeep)
      .required("op_name", &Call::op_name, string())
      .optional("user_id", &Call::user_id, nullable(string()))
      .omitNull()
      .optional("limit", &Call::limit, integer())
      .optional("inputs", &Call::inputs, jsonObject())
      .extras(&Call::others)
      .codec();
}

TEST(Record, ReadsMembersAndDefaults) {
  const Result<Call> call =
      parse(callCodec(), R"({"inputs": {"x": 12345678901234567890, "y": [1, 2]}, "op_name":"f",)"
                         R"( "user_id":"u"})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->op_name, "f");
  EXPECT_EQ(call->user_id, "u");
  EXPECT_EQ(call->limit, 50);
  EXPECT_EQ(call->inputs.json, R"({"x": 12345678901234567890, "y": [1, 2]})");
}

TEST(Record, KeepsUnknownMembersWhenAsked) {
  const Result<Call> call = parse(callCodec(), R"({"op_name":"f","a":[1],"b":"é"})");
  ASSERT_TRUE(call);
  EXPECT_EQ(callCodec().toJson(*call),
            R"({"op_name":"f","limit":50,"inputs":null,"a":[1],"b":"é"})");
}

TEST(Record, TakesTheLastOfRepeatedMembers) {
  const Result<Call> call = parse(callCodec(), R"({"op_name":1,"op_name":"g"})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->op_name, "g");
}

TEST(Record, MayContainItself) {
  const std::string text =
      R"({"name":"a","children":[{"name":"b","children":[]},{"name":"c","children":[]}]})";
  const Result<Tree> tree = parse(treeCodec(), text);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->children[1].name, "c");
  EXPECT_EQ(treeCodec().toJson(*tree), text);
  const Result<Tree> broken = parse(treeCodec(), R"({"name":"a","children":[{"children":[{}]}]})");
  EXPECT_EQ(broken.error().violations().size(), 2U);
}

TEST(Record, ChecksRunOnlyIfAllMembersAreValid) {
  struct Range {
    std::int64_t from = 0;
    std::int64_t to = 0;
  };
  const auto codec = Record<Range>("Range")
                         .required("from", &Range::from, integer())
                         .required("to", &Range::to, integer())
                         .check([](const Range& range) -> std::optional<RuleError> {
                           if (range.from <= range.to) return std::nullopt;
                           return valueError("from is after to");
                         })
                         .codec();
  EXPECT_TRUE(parse(codec, R"({"from":1,"to":2})"));
  const Result<Range> turned = parse(codec, R"({"from":3,"to":2})");
  EXPECT_EQ(
      violationsJson(turned.error().violations()),
      R"({"detail":[{"type":"value_error","loc":["body"],)"
      R"("msg":"Value error, from is after to","input":{"from":3,"to":2},"ctx":{"error":{}}}]})");
  EXPECT_EQ(parse(codec, R"({"from":3})").error().violations()[0].type, "missing");
}

TEST(Record, PicksTheAlternativeThatFitsWithoutConversion) {
  const auto codec =
      anyOf(Alternative<std::int64_t>{"int", integer()}, Alternative<double>{"float", number()},
            Alternative<std::string>{"str", string()});
  EXPECT_EQ(parse(codec, "\"5\"").value().index(), 2U);
  EXPECT_EQ(parse(codec, "5").value().index(), 0U);
  EXPECT_EQ(parse(codec, "5.5").value().index(), 1U);
  EXPECT_EQ(parse(codec, "true").value().index(), 0U);
  EXPECT_EQ(codec.toJson(parse(codec, "5.5").value()), "5.5");
}

TEST(Record, DistinguishesAbsentMemberFromNull) {
  struct Change {
    std::optional<std::optional<std::int64_t>> days;
    std::optional<std::string> name;
  };
  const auto codec = Record<Change>("Change", Extra::kForbid)
                         .optional("days", &Change::days, ifPresent(nullable(integer())))
                         .optional("name", &Change::name, ifPresent(string()))
                         .codec();
  EXPECT_FALSE(parse(codec, "{}")->days.has_value());
  const Result<Change> cleared = parse(codec, R"({"days":null})");
  ASSERT_TRUE(cleared->days.has_value());
  EXPECT_FALSE(cleared->days->has_value());
  EXPECT_EQ(codec.toJson(*cleared), R"({"days":null})");
  EXPECT_EQ(**parse(codec, R"({"days":7})")->days, 7);
  EXPECT_EQ(parse(codec, R"({"name":null})").error().violations()[0].type, "string_type");
}

TEST(Record, MapsKeepOrderAndLastValue) {
  const auto codec = map(integer());
  const auto read = parse(codec, R"({"b":1,"a":2,"b":3})");
  ASSERT_TRUE(read);
  EXPECT_EQ(codec.toJson(*read), R"({"b":3,"a":2})");
}

}  // namespace
}  // namespace spindle::schema
