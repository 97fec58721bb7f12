// The document reader must agree with simdjson on which bytes are JSON, and accepted JSON must
// survive being written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>

#include <simdjson.h>

#include "json/document.h"
#include "json/escape.h"
#include "json/stored.h"
#include "json/writer.h"

namespace {

using spindle::json::Document;
using spindle::json::Node;

constexpr std::size_t kDepth = 1000;  // limits.json_depth at its maximum

void require(bool condition) {
  if (!condition) std::abort();
}

void visit(const Node& node) {
  if (node.isString()) {
    const std::string quoted = spindle::json::quoted(node.text());
    const auto again = Document::parse(quoted);
    require(std::get<Document>(again).root().text() == node.text());
  }
  if (node.isNumber()) (void)node.number();
  if (node.kind() == spindle::json::Kind::kInteger) (void)node.integer();
  if (!node.isArray() && !node.isObject()) return;
  std::size_t count = 0;
  for (const Node item : node) {
    visit(item);
    ++count;
  }
  require(count == node.size() * (node.isObject() ? 2 : 1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto outcome = Document::parse(text, kDepth);
  const auto* document = std::get_if<Document>(&outcome);

  simdjson::dom::parser parser;
  require(parser.allocate(size + 64, kDepth + 1) == simdjson::SUCCESS);
  const simdjson::error_code reference = parser.parse(simdjson::padded_string(text)).error();
  if (reference == simdjson::SUCCESS) require(document != nullptr || size == 0);
  if (document == nullptr) return 0;
  // The document reader also accepts numbers beyond 64 bits, unpaired surrogates and one more level
  // of depth.
  const bool explained = reference == simdjson::SUCCESS || reference == simdjson::NUMBER_ERROR ||
                         reference == simdjson::STRING_ERROR || reference == simdjson::DEPTH_ERROR;
  require(explained);
  visit(document->root());
  const std::string compacted = spindle::json::compact(document->root().raw());
  const auto again = Document::parse(compacted, kDepth);
  require(std::holds_alternative<Document>(again));
  // Stored as a member of another object, it must be readable again.
  (void)spindle::json::parseStored("{\"a\":[" + compacted + "]}");
  return 0;
}
