// Writes a model of the Llama architecture with about 100 million random parameters from a seed, in
// blocks of 8-bit numbers: about 100 MB. Its output is meaningless, but its cost is that of a model
// of this size.
//
//   engine_model FILE

#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "weights/formats/gguf_writer.h"
#include "weights/formats/number_format.h"

namespace {

using namespace spindle;  // NOLINT(google-build-using-namespace): the program itself

constexpr std::uint64_t kVocabulary = 32'000;
constexpr std::uint64_t kWidth = 640;
constexpr std::uint64_t kInner = 1'792;
constexpr std::uint64_t kLayers = 12;
constexpr std::uint64_t kHeads = 10;
constexpr std::uint64_t kKvHeads = 5;
constexpr std::uint64_t kHeadWidth = 64;
constexpr std::uint64_t kRowsAtOnce = 256;

/// Returns the printable character for each byte in byte-level vocabularies, in UTF-8.
std::string byteToken(int byte, int& next) {
  const bool itself = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  const int point = itself ? byte : next++;
  if (point < 0x80) return {static_cast<char>(point)};
  return {static_cast<char>(0xc0 | point >> 6), static_cast<char>(0x80 | (point & 0x3f))};
}

void addVocabulary(weights::GgufWriter& writer) {
  std::vector<std::string> tokens;
  int next = 0x100;
  for (int byte = 0; byte < 256; ++byte) tokens.push_back(byteToken(byte, next));
  tokens.emplace_back("<|end|>");
  while (tokens.size() < kVocabulary) tokens.push_back("w" + std::to_string(tokens.size()));
  std::vector<std::int32_t> types(tokens.size(), 1);
  types[256] = 3;
  writer.addText("tokenizer.ggml.model", "gpt2");
  writer.addText("tokenizer.ggml.pre", "smollm");
  writer.addTexts("tokenizer.ggml.tokens", tokens);
  writer.addI32s("tokenizer.ggml.token_type", types);
  writer.addTexts("tokenizer.ggml.merges", {"a b"});
  writer.addU32("tokenizer.ggml.eos_token_id", 256);
  writer.addBool("tokenizer.ggml.add_bos_token", false);
}

void addShape(weights::GgufWriter& writer) {
  writer.addText("general.architecture", "llama");
  writer.addText("general.name", "bench");
  writer.addU32("general.file_type", 7);
  const auto size = [&writer](const std::string& name, std::uint64_t value) {
    writer.addU32("llama." + name, static_cast<std::uint32_t>(value));
  };
  size("vocab_size", kVocabulary);
  size("block_count", kLayers);
  size("context_length", 8'192);
  size("embedding_length", kWidth);
  size("feed_forward_length", kInner);
  size("attention.head_count", kHeads);
  size("attention.head_count_kv", kKvHeads);
  size("rope.dimension_count", kHeadWidth);
  writer.addF32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
  writer.addF32("llama.rope.freq_base", 10'000);
}

class Weights {
 public:
  explicit Weights(weights::GgufWriter& writer) : writer_(writer) {}

  void add(const std::string& name, std::uint64_t rows, std::uint64_t columns) {
    const std::uint32_t seed = ++seed_;
    writer_.addTensor({name, {rows, columns}, weights::TensorType::kQ8_0},
                      [seed, rows, columns](const weights::ByteSink& sink) -> Result<void> {
                        std::minstd_rand random(seed);
                        for (std::uint64_t row = 0; row < rows; row += kRowsAtOnce) {
                          const std::uint64_t count = std::min(kRowsAtOnce, rows - row) * columns;
                          std::vector<float> numbers;
                          numbers.reserve(count);
                          for (std::uint64_t i = 0; i < count; ++i)
                            numbers.push_back(static_cast<float>(random() % 2001) * 4e-5F - 0.04F);
                          const std::string bytes =
                              weights::encoded(weights::TensorType::kQ8_0, numbers);
                          TRY(sink(bytes));
                        }
                        return {};
                      });
  }
  void addOnes(const std::string& name) {
    writer_.addTensor(
        {name, {kWidth}, weights::TensorType::kF32}, [](const weights::ByteSink& sink) {
          return sink(weights::encoded(weights::TensorType::kF32, std::vector<float>(kWidth, 1)));
        });
  }

 private:
  weights::GgufWriter& writer_;
  std::uint32_t seed_ = 0;
};

void addTensors(weights::GgufWriter& writer) {
  Weights all(writer);
  all.add("token_embd.weight", kVocabulary, kWidth);
  all.addOnes("output_norm.weight");
  all.add("output.weight", kVocabulary, kWidth);
  for (std::uint64_t layer = 0; layer < kLayers; ++layer) {
    const std::string at = "blk." + std::to_string(layer) + ".";
    all.addOnes(at + "attn_norm.weight");
    all.add(at + "attn_q.weight", kHeads * kHeadWidth, kWidth);
    all.add(at + "attn_k.weight", kKvHeads * kHeadWidth, kWidth);
    all.add(at + "attn_v.weight", kKvHeads * kHeadWidth, kWidth);
    all.add(at + "attn_output.weight", kWidth, kHeads * kHeadWidth);
    all.addOnes(at + "ffn_norm.weight");
    all.add(at + "ffn_gate.weight", kInner, kWidth);
    all.add(at + "ffn_up.weight", kInner, kWidth);
    all.add(at + "ffn_down.weight", kWidth, kInner);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "engine_model FILE\n");
    return 2;
  }
  weights::GgufWriter writer;
  addShape(writer);
  addVocabulary(writer);
  addTensors(writer);
  const Result<void> written = writer.writeTo(argv[1]);
  if (written) return 0;
  std::fprintf(stderr, "engine_model: %s\n", written.error().message().c_str());
  return 1;
}
