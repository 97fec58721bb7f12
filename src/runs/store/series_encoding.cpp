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

std::string encodeValues(const std::vector<double>& values) {
  const auto* bytes = reinterpret_cast<const char*>(values.data());
  return encodeBase64({bytes, values.size() * sizeof(double)});
}

std::vector<double> decodeValues(std::string_view text) {
  const std::optional<std::string> bytes = decodeBase64(text);
  if (!bytes || bytes->size() % sizeof(double) != 0) return {};
  std::vector<double> values(bytes->size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes->data(), bytes->size());
  return values;
}

std::string encodeSteps(const std::vector<std::int64_t>& steps) {
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
  return encodeBase64(bytes);
}

std::vector<std::int64_t> decodeSteps(std::string_view text,
                                      std::int64_t first,
                                      std::size_t count) {
  std::vector<std::int64_t> steps;
  steps.reserve(count);
  if (text.empty()) {
    for (std::size_t i = 0; i < count; ++i) steps.push_back(first + static_cast<std::int64_t>(i));
    return steps;
  }
  const std::optional<std::string> bytes = decodeBase64(text);
  if (!bytes || count == 0) return {};
  steps.push_back(first);
  std::uint64_t gap = 0;
  unsigned shift = 0;
  for (const char byte : *bytes) {
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

}  // namespace spindle::runs
