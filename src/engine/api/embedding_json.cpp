#include "engine/api/embedding_json.h"

#include <bit>
#include <charconv>

#include "base/crypto/crypto.h"
#include "json/escape.h"
#include "schema/compound.h"
#include "schema/record.h"
#include "schema/scalar.h"

namespace spindle::engine {
namespace {

struct Embedding {
  std::string object = "embedding";
  std::int64_t index = 0;
  json::Text embedding = {};
};
struct EmbeddingUsage {
  std::int64_t prompt_tokens = 0;
  std::int64_t total_tokens = 0;
};
struct EmbeddingList {
  std::string object = "list";
  std::vector<Embedding> data = {};
  std::string model = {};
  EmbeddingUsage usage = {};
};

schema::Codec<EmbeddingList> embeddingListCodec() {
  using schema::integer, schema::list, schema::Record, schema::string;
  const auto embedding = Record<Embedding>("Embedding")
                             .required("object", &Embedding::object, string(), "`embedding`")
                             .required("index", &Embedding::index, integer(), "Number of the text.")
                             .required("embedding", &Embedding::embedding, schema::anyJson(),
                                       "Numbers, or the bytes of 32-bit floats as Base64.")
                             .codec();
  const auto usage =
      Record<EmbeddingUsage>("EmbeddingUsage")
          .required("prompt_tokens", &EmbeddingUsage::prompt_tokens, integer(), "Tokens.")
          .required("total_tokens", &EmbeddingUsage::total_tokens, integer(), "The same.")
          .codec();
  return Record<EmbeddingList>("EmbeddingList")
      .required("object", &EmbeddingList::object, string(), "`list`")
      .required("data", &EmbeddingList::data, list(embedding), "One item per text.")
      .required("model", &EmbeddingList::model, string(), "Name of the model.")
      .required("usage", &EmbeddingList::usage, usage, "Number of tokens.")
      .codec();
}

std::string littleEndian(const std::vector<float>& row) {
  std::string bytes;
  for (const float number : row) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    for (unsigned shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(bits >> shift & 0xFFU);
  }
  return bytes;
}

/// Returns a JSON list with, per number, the shortest text that parses to the same 32-bit float.
std::string listOf(const std::vector<float>& row) {
  constexpr std::size_t kTypicalNumber = 12;
  std::string text = "[";
  text.reserve(row.size() * kTypicalNumber);
  for (const float number : row) {
    char digits[32];
    const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number);
    if (text.size() > 1) text += ',';
    text.append(digits, end.ptr);
  }
  return text += ']';
}

}  // namespace

std::string embeddingsJson(const std::string& model,
                           const std::vector<std::vector<float>>& rows,
                           EmbeddingEncoding encoding,
                           std::int64_t tokens) {
  static const schema::Codec<EmbeddingList> codec = embeddingListCodec();
  EmbeddingList all{.model = model, .usage = {tokens, tokens}};
  all.data.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.data[i].index = static_cast<std::int64_t>(i);
    all.data[i].embedding.json = encoding == EmbeddingEncoding::kBase64
                                     ? json::quoted(encodeBase64(littleEndian(rows[i])))
                                     : listOf(rows[i]);
  }
  return codec.toJson(all);
}

}  // namespace spindle::engine
