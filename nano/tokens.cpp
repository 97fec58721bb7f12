// spindle-nano-tokens: creates the vocabulary of spindle-nano and converts its training text to
// tokens.
//
// The input is the output of nano/generate.py: documents end with a byte 0x1E, and a byte 0x1F
// precedes and follows each assistant message. Tokens are written as 16-bit little-endian numbers.
// The highest bit marks tokens of the assistant, which are the training targets.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "weights/tokenizer/byte_pair_vocabulary.h"

namespace {

using spindle::Result;
using spindle::weights::BytePairVocabulary;

constexpr char kDocumentEnd = '\x1e';
constexpr char kSpeakerChange = '\x1f';

std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::string withoutMarks(std::string text) {
  const auto is_mark = [](char c) { return c == kDocumentEnd || c == kSpeakerChange; };
  text.erase(std::remove_if(text.begin(), text.end(), is_mark), text.end());
  return text;
}

void learn(std::size_t size, const std::string& text_path, const std::string& vocabulary_path) {
  const std::string text = withoutMarks(contentOf(text_path));
  // The first token ends documents; the ids of the others follow.
  const std::vector<std::string> special = {"<|endoftext|>", "<|im_start|>",    "<|im_end|>",
                                            "<tool_call>",   "</tool_call>",    "<tools>",
                                            "</tools>",      "<tool_response>", "</tool_response>"};
  writeFile(vocabulary_path, BytePairVocabulary::learn(special, text, size).fileText());
}

struct Encoded {
  std::string tokens;
  std::string mask;
};

void encodeDocument(const BytePairVocabulary& vocabulary,
                    std::string_view document,
                    Encoded& encoded) {
  bool spoken = false;
  while (!document.empty()) {
    const std::size_t end = std::min(document.find(kSpeakerChange), document.size());
    for (const BytePairVocabulary::Id id : vocabulary.encode(document.substr(0, end))) {
      const auto number = static_cast<unsigned>(id);
      encoded.tokens += static_cast<char>(number & 0xFF);
      encoded.tokens += static_cast<char>(number >> 8);
      encoded.mask += spoken ? '\1' : '\0';
    }
    spoken = !spoken;
    document.remove_prefix(std::min(end + 1, document.size()));
  }
}

void encode(const BytePairVocabulary& vocabulary, const std::string& path) {
  const std::string text = contentOf(path);
  Encoded encoded;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find(kDocumentEnd, from), text.size());
    encodeDocument(vocabulary, std::string_view(text).substr(from, end - from), encoded);
    from = end + 1;
  }
  writeFile(path + ".tokens", encoded.tokens);
  writeFile(path + ".mask", encoded.mask);
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "learn") {
    learn(std::stoul(words[1]), words[2], words[3]);
    return 0;
  }
  if (words.size() >= 3 && words[0] == "encode") {
    const Result<BytePairVocabulary> vocabulary = BytePairVocabulary::read(contentOf(words[1]));
    if (!vocabulary) throw std::runtime_error(words[1] + ": " + vocabulary.error().message());
    std::for_each(words.begin() + 2, words.end(),
                  [&](const std::string& path) { encode(*vocabulary, path); });
    return 0;
  }
  std::fputs(
      "spindle-nano-tokens learn SIZE TEXT VOCABULARY\n"
      "spindle-nano-tokens encode VOCABULARY TEXT...    writes TEXT.tokens and TEXT.mask\n",
      stderr);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "spindle-nano-tokens: %s\n", problem.what());
    return 1;
  }
}
