#include "tracing/routes/call_preview.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/utf8.h"
#include "json/document.h"
#include "json/writer.h"
#include "tracing/ingest/stored_payload.h"

namespace spindle::tracing {
namespace {

/// Longer than the scheme and the project of a reference.
constexpr std::int64_t kMoreCharacters = 256;

/// Returns the first bytes of a text, without a part of a character at the end.
std::string_view firstBytes(std::string_view text, std::int64_t bytes) {
  auto end = static_cast<std::size_t>(bytes);
  if (text.size() <= end) return text;
  while (end > 0 && !beginsCharacter(text[end])) --end;
  return text.substr(0, end);
}

/// Returns the object that stands for a text of `whole` bytes, of which `begin` is known.
std::string previewObject(std::string_view begin,
                          std::int64_t bytes,
                          std::int64_t whole,
                          const std::optional<Payload>& usage = std::nullopt) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("preview").string(firstBytes(begin, bytes));
  out.key("bytes").integer(whole);
  if (usage) out.key("usage").raw(*usage);
  out.endObject();
  return text;
}

/// Returns the usage of a summary that was read completely, though it is larger than its preview.
std::optional<Payload> usageOfWhole(const Payload& summary) {
  if (summary.find("\"usage\"") == std::string::npos) return std::nullopt;
  auto parsed = json::Document::parse(summary, kMaxBodyDepth);
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr || !document->root().isObject()) return std::nullopt;
  const std::optional<json::Node> usage = document->root().find("usage");
  return usage ? std::optional<Payload>(usage->raw()) : std::nullopt;
}

}  // namespace

std::int64_t previewCharacters(std::int64_t bytes) { return bytes + kMoreCharacters; }

Result<void> showPreviews(Call& call,
                          CallExtras& extras,
                          std::int64_t bytes,
                          objects::RefProjects& projects,
                          wire::Spelling spelling) {
  if (!call.preview) return {};
  const CallPreview& known = *call.preview;
  const std::initializer_list<std::pair<std::optional<Payload>*, std::int64_t>> payloads = {
      {&call.attributes, known.attributes_bytes},
      {&call.inputs, known.inputs_bytes},
      {&call.output, known.output_bytes},
      {&call.summary, known.summary_bytes}};
  for (const auto& [payload, whole] : payloads) {
    if (!*payload || whole <= bytes) continue;
    std::optional<Payload> usage = payload == &call.summary ? known.usage : std::nullopt;
    if (payload == &call.summary && !usage) usage = usageOfWhole(**payload);
    TRY(objects::externalizeFragment(**payload, projects, spelling));
    *payload = previewObject(**payload, bytes, whole, usage);
  }
  if (call.exception && known.exception_bytes > bytes)
    extras.exception_preview = previewObject(*call.exception, bytes, known.exception_bytes);
  return {};
}

}  // namespace spindle::tracing
