// Reads any bytes as both encodings of OTLP: accepted spans must become trees and rows or have a
// reason for the rejection, their dump must be JSON, and neither may be far larger than the
// request.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <variant>
#include <vector>

#include "agents/ingest/span_to_row.h"
#include "agents/ingest/span_to_row_custom.h"
#include "agents/store/span_column.h"
#include "json/document.h"
#include "otlp/decode.h"
#include "otlp/span_tree.h"

namespace {

using spindle::agents::AgentSpan;
using spindle::agents::SpanMessage;
using spindle::otlp::ExportRequest;

// Deeper than the keys and values of an attribute together can nest.
constexpr std::size_t kDepth = 1000;

// A byte becomes at most six in JSON, and each dot in a key nests a map.
constexpr std::size_t kDumpGrowth = 8;
// Names of members, ids, times and empty list items, for each one sent.
constexpr std::size_t kSpanDump = 1024;
constexpr std::size_t kEventDump = 512;
// An attribute may be stored in several columns, as ASCII each time.
constexpr std::size_t kRowGrowth = 64;
constexpr std::size_t kSpanRow = 2048 + spindle::agents::kMaxCustomKeys;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Returns the size of the strings of a row.
struct TextBytes {
  const AgentSpan& row;

  std::size_t operator()(std::string AgentSpan::*member) const { return (row.*member).size(); }
  std::size_t operator()(std::vector<std::string> AgentSpan::*member) const {
    std::size_t bytes = 0;
    for (const std::string& text : row.*member) bytes += text.size();
    return bytes;
  }
  std::size_t operator()(std::vector<SpanMessage> AgentSpan::*member) const {
    std::size_t bytes = 0;
    for (const SpanMessage& message : row.*member)
      bytes += message.role.size() + message.content.size() + message.finish_reason.size();
    return bytes;
  }
  template <class T>
  std::size_t operator()(T AgentSpan::* /*member*/) const {
    return 0;
  }
};

std::size_t bytesOf(const AgentSpan& row) {
  std::size_t bytes = 0;
  for (const auto& column : spindle::agents::kSpanColumns)
    bytes += std::visit(TextBytes{row}, column.member);
  for (const auto& [key, value] : row.custom.strings) bytes += key.size() + value.size();
  for (const auto& [key, value] : row.custom.integers) bytes += key.size();
  for (const auto& [key, value] : row.custom.reals) bytes += key.size();
  for (const auto& [key, value] : row.custom.booleans) bytes += key.size();
  return bytes;
}

void visit(const spindle::Result<ExportRequest>& request, std::size_t size) {
  if (!request) {
    require(!request.error().message().empty());
    return;
  }
  require(request->body_bytes == size);
  std::size_t dumped = 0;
  std::size_t dump_allowance = kDumpGrowth * size;
  std::size_t stored = 0;
  std::size_t row_allowance = kRowGrowth * size;
  for (const auto& from : request->resource_spans) {
    const auto resource = spindle::otlp::treeOf(from, *request->texts);
    if (!resource) continue;
    const std::string resource_dump = spindle::otlp::dumpResource(*resource);
    require(std::holds_alternative<spindle::json::Document>(
        spindle::json::Document::parse(resource_dump, kDepth)));
    dumped += resource_dump.size();
    dump_allowance += kEventDump;
    for (const auto& scope : from.scope_spans) {
      for (const auto& span : scope.spans) {
        const auto tree = spindle::otlp::treeOf(span, *request->texts);
        if (!tree) continue;
        (void)tree->attributes.find("gen_ai.input.messages.0.role");
        (void)spindle::otlp::withLists(tree->attributes.root());
        std::string dump = spindle::otlp::dumpSpan(*tree, {});
        dumped += dump.size();
        dump_allowance += kSpanDump + kEventDump * (span.events.size() + span.links.size());
        require(std::holds_alternative<spindle::json::Document>(
            spindle::json::Document::parse(std::move(dump), kDepth)));
        const auto row = spindle::agents::rowOf(*tree);
        if (!row) continue;
        stored += bytesOf(*row);
        row_allowance += kSpanRow;
      }
    }
  }
  require(dumped <= dump_allowance);
  require(stored <= row_allowance);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  visit(spindle::otlp::decodeProtobuf(body), size);
  visit(spindle::otlp::decodeJson(body), size);
  return 0;
}
