#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inference/usage.h"

namespace spindle::inference {

/// The longest encoded record that decodeUsage() accepts.
inline constexpr std::size_t kMostUsageRecordBytes = 64UL * 1024;

/// Appends the binary form of a record: length-prefixed texts and little-endian integers. Texts
/// longer than 4 KiB are cut, so that every record fits kMostUsageRecordBytes.
void encodeUsage(const UsageRecord& record, std::string& out);

/// Decodes what encodeUsage() wrote, record after record. Returns nothing when the bytes are
/// anything else.
std::optional<std::vector<UsageRecord>> decodeUsage(std::string_view bytes);

}  // namespace spindle::inference
