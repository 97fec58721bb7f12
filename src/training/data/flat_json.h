#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "schema/compound.h"

namespace spindle::training {

/// A value of a flat JSON object. A text without a value is null.
using FlatValue = std::variant<std::optional<std::string>, std::int64_t, bool>;

/// Returns a JSON object with these members, in this order.
std::string flatJson(const schema::MapOf<FlatValue>& members);

}  // namespace spindle::training
