#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/span.h"

namespace spindle::agents {

/// The text of a message: its content as it is, or the texts of its parts. Reasoning and media are
/// not text.
std::string textOf(const SpanMessage& message);

/// The files of a message: those of the span's references that a part of it names, then every
/// internal reference found inside it, each once.
std::vector<std::string> refsOf(const SpanMessage& message,
                                const std::vector<std::string>& span_refs);

/// Adds the references that are not there yet.
void unite(std::vector<std::string>& refs, std::vector<std::string> more);

/// What a tool says that has set another agent going and does not wait for it.
struct AsyncLaunch {
  std::optional<std::string> description;
};
std::optional<AsyncLaunch> asyncLaunchOf(std::string_view text);

}  // namespace spindle::agents
