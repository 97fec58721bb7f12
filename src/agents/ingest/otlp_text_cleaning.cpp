#include "agents/ingest/otlp_text_cleaning.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "json/document.h"
#include "json/escape.h"
#include "tracing/ingest/media.h"
#include "tracing/ingest/redaction.h"
#include "wire/spelling.h"

namespace spindle::agents {
namespace {

using otlp::Value;

/// Returns true if the text can be JSON with references: without a URI scheme it contains none.
bool mayHoldRefs(std::string_view text) {
  return (text.starts_with('{') || text.starts_with('[') || text.starts_with('"')) &&
         text.find(":///") != std::string_view::npos;
}

/// Returns the JSON text with its references converted to internal ones.
Result<std::string> withInternalRefs(std::string_view text, objects::RefProjects& projects) {
  std::string quoted = json::quoted(text);
  TRY(objects::internalizeRefs(quoted, projects));
  const auto parsed = json::Document::parse(std::move(quoted));
  const auto* document = std::get_if<json::Document>(&parsed);
  if (document == nullptr) return Error::internal("A converted text is not JSON.");
  return document->root().text();
}

class Cleaner {
 public:
  explicit Cleaner(const TextPorts& ports) : ports_(ports) {}

  /// Cleans a value. `member` is the name of the nearest member around it; list items have the name
  /// of their list.
  Result<void> clean(Value& value, std::string_view member) {
    if (const std::string_view* held = value.asText()) return text(*held, member, value);
    if (otlp::List* list = value.asList()) {
      for (Value& item : *list) {
        TRY(clean(item, member));
      }
    } else if (otlp::Map* map = value.asMap()) {
      for (otlp::Member& each : *map) {
        TRY(clean(each.value, each.name));
      }
    }
    return {};
  }

 private:
  Result<void> text(std::string_view held, std::string_view member, Value& place) {
    if (held.empty()) return {};
    if (tracing::namesCredential(member)) {
      place = Value(tracing::kRedacted);
      return {};
    }
    if (held.size() > tracing::kMediaThreshold) {
      if (const std::optional<tracing::Media> media = tracing::findMedia(held)) {
        Result<std::string> ref = ports_.media.keep(media->bytes, media->type);
        if (ref) place = Value(ports_.texts.keep(*std::move(ref)));
        return {};
      }
    }
    const bool is_ref = wire::splitRef(held).scheme != wire::RefScheme::kNone;
    if (!is_ref && !mayHoldRefs(held)) return {};
    std::string internal = TRY(is_ref ? objects::internalRef(held, ports_.projects)
                                      : withInternalRefs(held, ports_.projects));
    if (internal != held) place = Value(ports_.texts.keep(std::move(internal)));
    return {};
  }

  const TextPorts& ports_;
};

}  // namespace

Result<void> cleanTexts(Value& value, const TextPorts& ports) {
  return Cleaner(ports).clean(value, {});
}

}  // namespace spindle::agents
