#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/usage/usage.h"

namespace spindle::inference {

/// The maximum size of an encoded record that decodeUsage() accepts.
inline constexpr std::size_t kMostUsageRecordBytes = 64UL * 1024;

/// Appends the binary form of a record: length-prefixed texts and little-endian integers. Texts
/// longer than 4 KiB are cut, so that every record fits kMostUsageRecordBytes.
void encodeUsage(const UsageRecord& record, std::string& out);

/// Decodes the records that encodeUsage() wrote. Returns nothing if the bytes are invalid.
std::optional<std::vector<UsageRecord>> decodeUsage(std::string_view bytes);

}  // namespace spindle::inference
