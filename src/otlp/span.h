#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "otlp/value.h"

namespace spindle::otlp {

/// Unchanged keys and values, in the order of arrival.
using Attributes = std::vector<Member>;

enum class SpanKind { kUnspecified, kInternal, kServer, kClient, kProducer, kConsumer };
enum class StatusCode { kUnset, kOk, kError };

/// Return `UNSPECIFIED` … `CONSUMER`, and `UNSET`, `OK` or `ERROR`.
std::string_view nameOf(SpanKind kind);
std::string_view nameOf(StatusCode code);

struct Event {
  std::string_view name;
  std::uint64_t time_unix_nano = 0;
  Attributes attributes = {};
  std::uint32_t dropped_attributes_count = 0;
};

struct Link {
  std::string_view trace_id;  ///< bytes
  std::string_view span_id;   ///< bytes
  std::string_view trace_state;
  Attributes attributes = {};
  std::uint32_t dropped_attributes_count = 0;
};

/// One span of a request. Texts are views; see ExportRequest.
struct Span {
  std::string_view trace_id;        ///< bytes
  std::string_view span_id;         ///< bytes
  std::string_view parent_span_id;  ///< bytes; empty or zeros for a root
  std::string_view trace_state;
  std::string_view name;
  SpanKind kind = SpanKind::kUnspecified;
  std::uint64_t start_time_unix_nano = 0;
  std::uint64_t end_time_unix_nano = 0;  ///< 0: not ended
  Attributes attributes = {};
  std::vector<Event> events = {};
  std::vector<Link> links = {};
  StatusCode status = StatusCode::kUnset;
  std::string_view status_message = {};
};

struct ScopeSpans {
  std::string_view scope_name;
  std::string_view scope_version;
  std::vector<Span> spans = {};
};

struct ResourceSpans {
  Attributes attributes = {};
  std::uint32_t dropped_attributes_count = 0;
  std::vector<ScopeSpans> scope_spans = {};
};

/// A decoded ExportTraceServiceRequest. All its texts are views into `source` and `texts`, so it
/// can only be moved as a whole. Use it from one thread at a time.
struct ExportRequest {
  std::vector<ResourceSpans> resource_spans = {};
  std::unique_ptr<TextArena> texts = std::make_unique<TextArena>();
  std::shared_ptr<const void> source = {};  ///< owns the body; a shared_ptr only to erase its type
  std::size_t body_bytes = 0;

  std::size_t spanCount() const;
};

}  // namespace spindle::otlp
