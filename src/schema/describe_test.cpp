#include <gtest/gtest.h>

#include "schema/compound.h"
#include "schema/described.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

struct Cost {
  double prompt = 0;
  std::optional<std::string> unit = "USD";
};
struct Request {
  std::string project_id;
  MapOf<Cost> costs;
  std::vector<std::string> names;
  std::string direction = "asc";
};

Codec<Request> requestCodec() {
  const auto cost = Record<Cost>("Cost", Extra::kForbid)
                        .required("prompt", &Cost::prompt, number({.ge = 0}), "Per token.")
                        .optional("unit", &Cost::unit, nullable(string()), "Currency.")
                        .codec();
  return Record<Request>("Request")
      .required("project_id", &Request::project_id,
                string({.min_length = 1, .max_length = 64, .pattern = "^[a-z]+$"}), "Owner.")
      .required("costs", &Request::costs, map(cost), "By model.")
      .optional("names", &Request::names, list(string(), {.max_items = 3}))
      .optional("direction", &Request::direction, literal({"asc", "desc"}))
      .codec();
}

TEST(Describe, NamedRecordsBecomeComponents) {
  Components components;
  std::string reference;
  json::Writer out(reference);
  out.beginObject();
  requestCodec().type()->describe(out, components);
  out.endObject();
  EXPECT_EQ(reference, R"({"$ref":"#/components/schemas/Request"})");
}

TEST(Describe, DocumentsTheLimitsThatReadingEnforces) {
  Components components;
  const Codec<Request> codec = requestCodec();
  components.reference("Request", *codec.type());
  std::string text;
  json::Writer out(text);
  out.beginObject();
  components.write(out);
  out.endObject();
  EXPECT_EQ(
      text,
      R"({"Cost":{"type":"object","title":"Cost","properties":{"prompt":{"type":"number","minimum":0.0,)"
      R"("description":"Per token."},"unit":{"anyOf":[{"type":"string"},{"type":"null"}],)"
      R"("description":"Currency.","default":"USD"}},"required":["prompt"],"additionalProperties":false},)"
      R"("Request":{"type":"object","title":"Request","properties":{"project_id":{"type":"string",)"
      R"("minLength":1,"maxLength":64,"pattern":"^[a-z]+$","description":"Owner."},"costs":{"type":"object",)"
      R"("additionalProperties":{"$ref":"#/components/schemas/Cost"},"description":"By model."},)"
      R"("names":{"type":"array","items":{"type":"string"},"maxItems":3,"default":[]},)"
      R"("direction":{"type":"string","enum":["asc","desc"],"default":"asc"}},)"
      R"("required":["project_id","costs"]}})");
}

template <class T>
std::string descriptionOf(const Codec<T>& codec) {
  Components components;
  std::string text;
  json::Writer out(text);
  out.beginObject();
  codec.type()->describeInline(out, components);
  out.endObject();
  return text;
}

TEST(Describe, MapHasTheBoundsThatReadingEnforces) {
  EXPECT_EQ(descriptionOf(map(boolean(), {.min_items = 1, .max_items = 4})),
            R"({"type":"object","additionalProperties":{"type":"boolean"},)"
            R"("minProperties":1,"maxProperties":4})");
}

TEST(Describe, IntegerHas64Bits) {
  EXPECT_EQ(descriptionOf(integer({.ge = 0})),
            R"({"type":"integer","format":"int64","minimum":0})");
}

TEST(Describe, OmittableMemberIsNotRequired) {
  struct View {
    std::string id;
    std::optional<std::string> note;
  };
  const Codec<View> codec = Record<View>("View")
                                .required("id", &View::id, string())
                                .required("note", &View::note, nullable(string()))
                                .omitNull()
                                .codec();
  EXPECT_EQ(codec.toJson({"x", {}}), R"({"id":"x"})");
  EXPECT_TRUE(descriptionOf(codec).ends_with(R"("required":["id"]})"));
}

TEST(Describe, ParameterIsNeverNull) {
  struct Query {
    std::optional<std::string> name;
  };
  const Record<Query> query =
      Record<Query>("Query").optional("name", &Query::name, nullable(string()), "By name.");
  Components components;
  std::string text;
  json::Writer out(text);
  query.type().describeParameter(query.type().fields().front(), out, components);
  EXPECT_EQ(text, R"({"type":"string"})");
}

TEST(Describe, TaggedUnionRequiresTheTag) {
  struct Cat {
    std::int64_t lives = 9;
  };
  struct Dog {
    bool barks = true;
  };
  const Codec<Cat> cat = Record<Cat>("Cat").optional("lives", &Cat::lives, integer()).codec();
  const Codec<Dog> dog = Record<Dog>("Dog").optional("barks", &Dog::barks, boolean()).codec();
  EXPECT_EQ(
      descriptionOf(taggedBy("kind", Alternative<Cat>{"cat", cat}, Alternative<Dog>{"dog", dog})),
      R"({"oneOf":[{"$ref":"#/components/schemas/Cat","properties":{"kind":{"const":"cat"}},)"
      R"("required":["kind"]},{"$ref":"#/components/schemas/Dog",)"
      R"("properties":{"kind":{"const":"dog"}},"required":["kind"]}],)"
      R"("discriminator":{"propertyName":"kind"}})");
}

TEST(Describe, DescribedAsShowsRulesThatReadingDoesNotEnforce) {
  const Codec<std::int64_t> codec = describedAs(integer(), integer({.ge = 0}));
  EXPECT_EQ(descriptionOf(codec), descriptionOf(integer({.ge = 0})));
  EXPECT_TRUE(parse(codec, "-1").has_value());
}

TEST(Describe, DescribedAddsMembers) {
  EXPECT_EQ(descriptionOf(described(string({.max_length = 8}), R"({"pattern":"^a/b$"})")),
            R"({"type":"string","maxLength":8,"pattern":"^a/b$"})");
}

}  // namespace
}  // namespace spindle::schema
