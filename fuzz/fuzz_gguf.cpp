// Reads any bytes as a GGUF model and as a LoRA adapter of a small model. All data of an opened
// file must lie inside the file. An adapter that passes the check must still pass it after it was
// copied.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "weights/adapters/lora_adapter.h"
#include "weights/formats/gguf_file.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/model_tensors.h"

namespace {

using spindle::Result;
using namespace spindle::weights;  // NOLINT(google-build-using-namespace): a program of one file

void require(bool condition) {
  if (!condition) std::abort();
}

/// An anonymous file with a path through which it can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, 0)) {
    require(descriptor_ >= 0);
  }
  void set(const void* data, std::size_t size) const {
    require(::ftruncate(descriptor_, 0) == 0);
    require(::pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  const int descriptor_;
};

/// A model with two matrices, one of which has a slice for each of three experts.
std::string baseFile() {
  const std::string path = "/tmp/spindle-fuzz-base-" + std::to_string(::getpid()) + ".gguf";
  GgufWriter writer;
  writer.addText("general.architecture", "llama");
  const auto zeros = [&writer](TensorInfo info) {
    const std::string bytes(bytesOf(info).value_or(0), '\0');
    writer.addTensor(std::move(info), [bytes](const ByteSink& sink) { return sink(bytes); });
  };
  zeros({"blk.0.attn_q.weight", {8, 4}, TensorType::kF32});
  zeros({"blk.0.ffn_up_exps.weight", {3, 2, 4}, TensorType::kF32});
  zeros({"token_embd.weight", {6, 4}, TensorType::kF32});
  require(writer.writeTo(path).has_value());
  return path;
}

void visit(const GgufFile& file, std::size_t size) {
  std::size_t bytes = 0;
  for (const StoredTensor& tensor : file.tensors()) {
    require(file.find(tensor.info.name) == &tensor);
    require(bytesOf(tensor.info) == tensor.data.size());
    bytes += tensor.data.size();
    volatile char last = tensor.data.empty() ? '\0' : tensor.data.back();
    (void)last;
  }
  require(bytes <= size);
  for (const char* key : {"general.architecture", "general.alignment", "adapter.lora.alpha",
                          "tokenizer.ggml.tokens", "x"}) {
    (void)file.integer(key);
    (void)file.number(key);
    (void)file.boolean(key);
    (void)file.text(key);
    (void)file.texts(key);
    (void)file.integers(key);
    (void)file.numbers(key);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string base = baseFile();
  static const MemoryFile input("input");
  static const std::string copy = base + ".copy";
  input.set(data, size);
  const Result<GgufFile> file = GgufFile::open(input.path());
  if (!file) {
    require(!file.error().message().empty());
    // A message may quote the file, and the fuzzer learns the path: then it comes from the input.
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    require(file.error().message().find(input.path()) == std::string::npos ||
            bytes.find(input.path()) != std::string_view::npos);
  } else {
    visit(*file, size);
  }
  const Result<AdapterSummary> taken = importLoraFile(input.path(), base, copy);
  if (!taken) {
    require(taken.error().code() == spindle::ErrorCode::kInvalidArgument);
    return 0;
  }
  const Result<AdapterSummary> again = checkLoraFile(copy, base);
  require(again && again->matrices == taken->matrices && again->rank == taken->rank);
  return 0;
}
