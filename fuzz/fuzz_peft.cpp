// A PEFT folder: the first line is adapter_config.json, the rest adapter_model.safetensors. An
// imported folder must become an adapter that passes the check of all adapters.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "weights/adapters/adapter_config.h"
#include "weights/adapters/adapter_import.h"
#include "weights/adapters/lora_adapter.h"
#include "weights/formats/gguf_writer.h"
#include "weights/formats/safetensors.h"

namespace {

using spindle::Result;
using namespace spindle::weights;  // NOLINT(google-build-using-namespace): a program of one file

void require(bool condition) {
  if (!condition) std::abort();
}

std::string makeFolder() {
  const std::string folder = "/tmp/spindle-fuzz-peft-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  GgufWriter writer;
  writer.addText("general.architecture", "llama");
  writer.addU32("llama.attention.head_count", 2);
  writer.addU32("llama.embedding_length", 4);
  for (const char* name : {"blk.0.attn_q.weight", "blk.0.ffn_down.weight"}) {
    writer.addTensor({name, {8, 4}, TensorType::kF32},
                     [](const ByteSink& sink) { return sink(std::string(128, '\0')); });
  }
  require(writer.writeTo(folder + "/base.gguf").has_value());
  return folder;
}

void write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string folder = makeFolder();
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const std::size_t line = all.find('\n');
  const std::string weights = folder + "/adapter_model.safetensors";
  write(folder + "/adapter_config.json", all.substr(0, line));
  write(weights, line == std::string_view::npos ? "" : all.substr(line + 1));
  if (const Result<SafeTensors> tensors = SafeTensors::open(weights)) {
    for (const StoredTensor& tensor : tensors->tensors()) {
      require(bytesOf(tensor.info) == tensor.data.size());
      volatile char last = tensor.data.empty() ? '\0' : tensor.data.back();
      (void)last;
    }
  }
  const Result<AdapterImportResult> imported = importAdapter({.folder = folder,
                                                              .base_file = folder + "/base.gguf",
                                                              .file = folder + "/adapter.gguf",
                                                              .largest_rank = 0});
  if (!imported) {
    require(imported.error().code() == spindle::ErrorCode::kInvalidArgument);
    require(imported.error().message().find(folder) == std::string::npos);
    return 0;
  }
  const Result<AdapterSummary> checked =
      checkLoraFile(folder + "/adapter.gguf", folder + "/base.gguf");
  require(checked && checked->matrices == imported->matrices);
  return 0;
}
