// Validates any bytes against a record with every type: the result is a well-formed 422 body with
// all violations, or a value that can be written as JSON again.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "schema/compound.h"
#include "schema/parse.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace {

using namespace spindle;          // NOLINT(google-build-using-namespace): one short program
using namespace spindle::schema;  // NOLINT(google-build-using-namespace)

enum class Colour { kRed, kBlue };

struct Leaf {
  std::string name;
  std::optional<double> weight;
};
struct Everything {
  std::string text;
  std::int64_t count = 0;
  double ratio = 0;
  bool flag = false;
  Timestamp at;
  std::string id;
  std::string word = "asc";
  Colour colour = Colour::kRed;
  std::vector<Leaf> leaves;
  std::tuple<std::int64_t, std::string> pair;
  MapOf<Leaf> named;
  std::variant<std::int64_t, std::string, Leaf> any = std::int64_t{0};
  json::Text payload;
  std::vector<Everything> nested;
  MapOf<json::Text> others;
};

Codec<Everything> everything() {
  static const Codec<Leaf> leaf = Record<Leaf>("Leaf", Extra::kForbid)
                                      .required("name", &Leaf::name, string({.max_length = 8}), "")
                                      .optional("weight", &Leaf::weight, nullable(number()), "")
                                      .codec();
  static const Codec<Everything> codec =
      Record<Everything>("Everything", Extra::kKeep)
          .optional("text", &Everything::text, string({.pattern = "^[a-z]*$"}), "")
          .optional("count", &Everything::count, integer({.ge = -5}), "")
          .optional("ratio", &Everything::ratio, number(), "")
          .optional("flag", &Everything::flag, boolean(), "")
          .optional("at", &Everything::at, dateTime(), "")
          .optional("id", &Everything::id, uuid(), "")
          .optional("word", &Everything::word, literal({"asc", "desc"}), "")
          .optional("colour", &Everything::colour,
                    enumeration<Colour>({{"red", Colour::kRed}, {"blue", Colour::kBlue}}), "")
          .optional("leaves", &Everything::leaves, list(leaf, {.max_items = 4}), "")
          .optional("pair", &Everything::pair, tuple(integer(), string()), "")
          .optional("named", &Everything::named, map(leaf), "")
          .optional(
              "any", &Everything::any,
              anyOf(Alternative<std::int64_t>{"int", integer()},
                    Alternative<std::string>{"str", string()}, Alternative<Leaf>{"Leaf", leaf}),
              "")
          .optional("payload", &Everything::payload, anyJson(), "")
          .optional("nested", &Everything::nested, list(deferred<Everything>(everything)), "")
          .extras(&Everything::others)
          .codec();
  return codec;
}

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

/// The maximum of limits.json_depth, and the depth of such a body when it is written again.
constexpr std::size_t kDepth = 1000;
constexpr std::size_t kWrittenDepth = 2000;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Everything> read = parse(everything(), text, "body", kDepth);
  if (!read) {
    require(!read.error().violations().empty());
    const auto body =
        json::Document::parse(violationsJson(read.error().violations()), kWrittenDepth);
    require(std::holds_alternative<json::Document>(body));
    return 0;
  }
  const std::string written = everything().toJson(*read);
  const auto parsed = json::Document::parse(written, kWrittenDepth);
  require(std::holds_alternative<json::Document>(parsed));
  return 0;
}
