// Any bytes as both encodings of OTLP: whatever is taken must make trees or say why not, and its
// dump must be JSON.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "json/document.h"
#include "otlp/decode.h"
#include "otlp/span_tree.h"

namespace {

using spindle::otlp::ExportRequest;

// Deeper than keys and values of an attribute together can make it.
constexpr std::size_t kDepth = 1000;

void require(bool condition) {
  if (!condition) std::abort();
}

void visit(const spindle::Result<ExportRequest>& request) {
  if (!request) {
    require(!request.error().message().empty());
    return;
  }
  for (const auto& from : request->resource_spans) {
    const auto resource = spindle::otlp::treeOf(from, *request->texts);
    if (!resource) continue;
    const std::string resource_dump = spindle::otlp::dumpResource(*resource);
    for (const auto& scope : from.scope_spans) {
      for (const auto& span : scope.spans) {
        const auto tree = spindle::otlp::treeOf(span, *request->texts);
        if (!tree) continue;
        (void)tree->attributes.find("gen_ai.input.messages.0.role");
        (void)spindle::otlp::withLists(tree->attributes.root());
        const auto dump =
            spindle::json::Document::parse(spindle::otlp::dumpSpan(*tree, resource_dump), kDepth);
        require(std::holds_alternative<spindle::json::Document>(dump));
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  visit(spindle::otlp::decodeProtobuf(body));
  visit(spindle::otlp::decodeJson(body));
  return 0;
}
