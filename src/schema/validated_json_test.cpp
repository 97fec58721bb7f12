#include "schema/validated_json.h"

#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::schema {
namespace {

enum class Colour { kRed, kBlue };

struct Shape {
  std::optional<MapOf<std::int64_t>> counts;
};

Codec<json::Text> shapeCodec() {
  const Codec<Colour> colour =
      enumeration<Colour>({{"red", Colour::kRed}, {"blue", Colour::kBlue}});
  return validatedJson(
      Record<Shape>("Shape")
          .optional("counts", &Shape::counts, ifPresent(keyed(colour, map(integer()))))
          .codec());
}

TEST(ValidatedJson, KeepsTheTextWithAllItsMembers) {
  const std::string text = R"({"counts": {"red": 1}, "more": [1.50]})";
  const Result<json::Text> read = parse(shapeCodec(), text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->json, text);
}

TEST(ValidatedJson, ReportsViolationsOfTheType) {
  const Result<json::Text> read = parse(shapeCodec(), R"({"counts": {"red": 1.5}})");
  ASSERT_FALSE(read);
  ASSERT_EQ(read.error().violations().size(), 1U);
  EXPECT_EQ(read.error().violations()[0].type, "int_from_float");
}

TEST(Keyed, MemberNamesAreValidated) {
  const Result<json::Text> read = parse(shapeCodec(), R"({"counts": {"green": 1}})");
  ASSERT_FALSE(read);
  EXPECT_EQ(violationsJson(read.error().violations()),
            R"({"detail":[{"type":"enum","loc":["body","counts","green","[key]"],)"
            R"("msg":"Input should be 'red' or 'blue'","input":"green",)"
            R"("ctx":{"expected":"'red' or 'blue'"}}]})");
}

}  // namespace
}  // namespace spindle::schema
