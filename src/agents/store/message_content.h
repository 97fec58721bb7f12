#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/store/span.h"

namespace spindle::agents {

/// Returns the text of a message: its plain content, or the texts of its parts. Reasoning and media
/// parts are not text.
std::string textOf(const SpanMessage& message);

/// Returns the files of a message, each once: the span's references that a part of the message
/// names, then every internal reference inside the message.
std::vector<std::string> refsOf(const SpanMessage& message,
                                const std::vector<std::string>& span_refs);

/// Appends the references that `refs` does not contain yet.
void addUnique(std::vector<std::string>& refs, std::vector<std::string> more);

/// The result of a tool that started another agent without waiting for it.
struct AsyncLaunch {
  std::optional<std::string> description;
};
/// Parses the result of such a tool. Returns nothing for another text.
std::optional<AsyncLaunch> asyncLaunchOf(std::string_view text);

}  // namespace spindle::agents
