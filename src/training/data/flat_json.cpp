#include "training/data/flat_json.h"

#include "schema/scalar.h"

namespace spindle::training {

std::string flatJson(const schema::MapOf<FlatValue>& members) {
  using schema::Alternative;
  static const schema::Codec<schema::MapOf<FlatValue>> codec = schema::map(schema::anyOf(
      Alternative<std::optional<std::string>>{"text", schema::nullable(schema::string())},
      Alternative<std::int64_t>{"integer", schema::integer()},
      Alternative<bool>{"boolean", schema::boolean()}));
  return codec.toJson(members);
}

}  // namespace spindle::training
