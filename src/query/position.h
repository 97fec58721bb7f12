#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spindle::query {

/// The value of a sort key: none, a text, a whole number or another number. Times are microseconds.
using SortValue = std::variant<std::monostate, std::string, std::int64_t, double>;

/// The place of one row in a sorted list: the values that the list is sorted by. Only the store
/// that made it knows their meaning. No two rows have the same position.
using Position = std::vector<SortValue>;

/// Returns the position as a text.
std::string positionText(const Position& position);
/// Returns the position of a text; nothing if positionText() cannot have written it.
std::optional<Position> parsePosition(std::string_view text);

}  // namespace spindle::query
