#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::runs {

/// Encodes values as text for a text column: Base64 of 64 little-endian bits each.
std::string encodeValues(const std::vector<double>& values);
/// Decodes a text from encodeValues(). Returns an empty vector for any other text.
std::vector<double> decodeValues(std::string_view text);

/// Encodes steps that never decrease. Returns an empty text for consecutive steps, the usual case.
std::string encodeSteps(const std::vector<std::int64_t>& steps);
/// Decodes `count` steps that begin with `first`. Returns an empty vector if the text is not from
/// encodeSteps().
std::vector<std::int64_t> decodeSteps(std::string_view text, std::int64_t first, std::size_t count);

}  // namespace spindle::runs
