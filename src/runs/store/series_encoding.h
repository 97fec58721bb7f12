#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spindle::runs {

/// Returns the bytes of the values: 64 little-endian bits each.
std::string packValues(const std::vector<double>& values);
/// Returns the values of packValues(). Returns an empty vector for other bytes.
std::vector<double> unpackValues(std::string_view bytes);

/// Returns the bytes of steps that never decrease: the differences in LEB128. Returns no bytes for
/// consecutive steps, the usual case.
std::string packSteps(const std::vector<std::int64_t>& steps);
/// Returns `count` steps that begin with `first`. Returns an empty vector if the bytes are not from
/// packSteps().
std::vector<std::int64_t> unpackSteps(std::string_view bytes,
                                      std::int64_t first,
                                      std::size_t count);

// The same bytes in Base64, for text columns of UTF-8.
std::string encodeValues(const std::vector<double>& values);
std::vector<double> decodeValues(std::string_view text);
std::string encodeSteps(const std::vector<std::int64_t>& steps);
std::vector<std::int64_t> decodeSteps(std::string_view text, std::int64_t first, std::size_t count);

}  // namespace spindle::runs
