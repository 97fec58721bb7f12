#pragma once

#include <cstdint>
#include <string>

namespace spindle::bench {

/// ExportTraceServiceRequests with the spans [from, to) of a synthetic agent: ten per trace, an
/// agent, chats with messages of some hundred bytes, and tools. The same spans in both encodings.
std::string protobufRequest(std::uint64_t from, std::uint64_t to);
std::string jsonRequest(std::uint64_t from, std::uint64_t to);

}  // namespace spindle::bench
