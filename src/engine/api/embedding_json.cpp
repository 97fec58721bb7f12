#include "engine/api/embedding_json.h"

#include <bit>
#include <charconv>

#include "base/crypto/crypto.h"
#include "json/writer.h"

namespace spindle::engine {
namespace {

std::string littleEndian(const std::vector<float>& row) {
  std::string bytes;
  for (const float number : row) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}

/// Writes the shortest text that parses to the same 32-bit float.
void writeNumber(float number, json::Writer& out) {
  char text[32];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, number);
  out.raw({text, static_cast<std::size_t>(end.ptr - text)});
}

}  // namespace

std::string embeddingsJson(const std::string& model,
                           const std::vector<std::vector<float>>& rows,
                           EmbeddingEncoding encoding,
                           std::int64_t tokens) {
  std::string text;
  json::Writer out(text);
  out.beginObject();
  out.key("object").string("list");
  out.key("data").beginArray();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.beginObject();
    out.key("object").string("embedding");
    out.key("index").integer(static_cast<std::int64_t>(i));
    out.key("embedding");
    if (encoding == EmbeddingEncoding::kBase64) {
      out.string(encodeBase64(littleEndian(rows[i])));
    } else {
      out.beginArray();
      for (const float number : rows[i]) writeNumber(number, out);
      out.endArray();
    }
    out.endObject();
  }
  out.endArray();
  out.key("model").string(model);
  out.key("usage").beginObject();
  out.key("prompt_tokens").integer(tokens);
  out.key("total_tokens").integer(tokens);
  out.endObject().endObject();
  return text;
}

}  // namespace spindle::engine
