#include "runs/store/series_encoding.h"

#include <bit>
#include <cstring>
#include <optional>

#include "base/crypto/crypto.h"

namespace spindle::runs {
namespace {

static_assert(std::endian::native == std::endian::little, "stored values are little-endian");

constexpr unsigned kVarintBits = 7;
constexpr std::uint64_t kVarintMore = 0x80;

}  // namespace

std::string packValues(const std::vector<double>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return {bytes, values.size() * sizeof(double)};
}

std::vector<double> unpackValues(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0) return {};
  std::vector<double> values(bytes.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::string packSteps(const std::vector<std::int64_t>& steps) {
  bool even = true;
  for (std::size_t i = 1; even && i < steps.size(); ++i) even = steps[i] == steps[i - 1] + 1;
  if (even) return {};
  std::string bytes;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    auto gap = static_cast<std::uint64_t>(steps[i] - steps[i - 1]);
    while (gap >= kVarintMore) {
      bytes += static_cast<char>((gap & (kVarintMore - 1)) | kVarintMore);
      gap >>= kVarintBits;
    }
    bytes += static_cast<char>(gap);
  }
  return bytes;
}

std::vector<std::int64_t> unpackSteps(std::string_view bytes,
                                      std::int64_t first,
                                      std::size_t count) {
  std::vector<std::int64_t> steps;
  if (count == 0) return steps;
  if (bytes.empty()) {
    steps.reserve(count);
    for (std::size_t i = 0; i < count; ++i) steps.push_back(first + static_cast<std::int64_t>(i));
    return steps;
  }
  steps.push_back(first);
  std::uint64_t gap = 0;
  unsigned shift = 0;
  for (const char byte : bytes) {
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned char>(byte));
    if (shift < 64) gap |= (bits & (kVarintMore - 1)) << shift;
    shift += kVarintBits;
    if (bits >= kVarintMore) continue;
    steps.push_back(steps.back() + static_cast<std::int64_t>(gap));
    gap = 0;
    shift = 0;
  }
  if (steps.size() != count) return {};
  return steps;
}

std::string encodeValues(const std::vector<double>& values) {
  return encodeBase64(packValues(values));
}

std::vector<double> decodeValues(std::string_view text) {
  const std::optional<std::string> bytes = decodeBase64(text);
  return bytes ? unpackValues(*bytes) : std::vector<double>();
}

std::string encodeSteps(const std::vector<std::int64_t>& steps) {
  return encodeBase64(packSteps(steps));
}

std::vector<std::int64_t> decodeSteps(std::string_view text,
                                      std::int64_t first,
                                      std::size_t count) {
  const std::optional<std::string> bytes = decodeBase64(text);
  return bytes ? unpackSteps(*bytes, first, count) : std::vector<std::int64_t>();
}

}  // namespace spindle::runs
