#include <gtest/gtest.h>

#include "schema/compound.h"
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
      .optional("names", &Request::names, list(string(), {.max_items = 3}), "")
      .optional("direction", &Request::direction, literal({"asc", "desc"}), "")
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

TEST(Describe, SaysTheSameLimitsThatReadingEnforces) {
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

}  // namespace
}  // namespace spindle::schema
