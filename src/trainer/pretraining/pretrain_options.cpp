#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "trainer/pretraining/pretrain.h"

namespace spindle::trainer {
namespace {

/// An option of the command line.
struct Option {
  std::string_view name;
  std::string_view help;
  /// Stores the value. Returns false if it is invalid.
  std::function<bool(const std::string& text)> take;
};

template <class T>
std::function<bool(const std::string&)> number(T& place) {
  return [&place](const std::string& text) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), place);
    return problem == std::errc() && end == text.data() + text.size();
  };
}

std::function<bool(const std::string&)> text(std::string& place) {
  return [&place](const std::string& value) {
    place = value;
    return !value.empty();
  };
}

std::function<bool(const std::string&)> more(std::vector<std::string>& place) {
  return [&place](const std::string& value) {
    place.push_back(value);
    return !value.empty();
  };
}

std::function<bool(const std::string&)> yes(bool& place) {
  return [&place](const std::string& value) {
    place = value == "yes";
    return value == "yes" || value == "no";
  };
}

bool takeFamily(PretrainOptions& options, const std::string& name) {
  if (name == "llama") {
    options.shape.family = weights::Family::kLlama;
  } else if (name == "qwen3") {
    options.shape.family = weights::Family::kQwen3;
  } else {
    return false;
  }
  return true;
}

std::vector<Option> optionsFor(PretrainOptions& options) {
  ModelShape& shape = options.shape;
  return {
      {"family", "llama or qwen3",
       [&options](const std::string& name) { return takeFamily(options, name); }},
      {"vocabulary", "tokens", number(shape.vocabulary)},
      {"width", "hidden size", number(shape.width)},
      {"inner", "hidden size of the MLP", number(shape.inner_width)},
      {"layers", "", number(shape.layers)},
      {"heads", "query heads", number(shape.heads)},
      {"kv-heads", "key and value heads; heads must be a multiple", number(shape.kv_heads)},
      {"head-width", "even", number(shape.head_width)},
      {"context", "maximum tokens per document", number(shape.context)},
      {"rope-base", "", number(shape.rope_base)},
      {"norm-epsilon", "", number(shape.norm_epsilon)},
      {"tied", "yes: the output layer is the embedding", yes(shape.tied)},
      {"tokens", "file of 16-bit tokens; repeatable", more(options.token_files)},
      {"mask", "mask with a byte per token; one for each --tokens", more(options.mask_files)},
      {"held-out", "file of tokens for evaluation", text(options.held_out_file)},
      {"document-end", "the token that ends a document", number(options.document_end)},
      {"begin-token", "for config.json", number(options.begin_token)},
      {"end-token", "for config.json", number(options.end_token)},
      {"out", "output folder", text(options.out)},
      {"state", "state file: saved to, and resumed from if it exists", text(options.state)},
      {"save-every", "steps", number(options.save_every)},
      {"seed", "", number(options.seed)},
      {"steps", "", number(options.steps)},
      {"seconds", "time limit in seconds", number(options.seconds)},
      {"batch", "tokens per step", number(options.batch_tokens)},
      {"micro-batch", "tokens per forward pass", number(options.micro_tokens)},
      {"rate", "peak learning rate", number(options.schedule.peak)},
      {"lowest-rate", "", number(options.schedule.floor)},
      {"warmup", "share of steps in which the rate grows", number(options.schedule.warmup_ratio)},
      {"weight-decay", "", number(options.weight_decay)},
      {"clip", "maximum gradient norm", number(options.clip)},
      {"measure-every", "steps", number(options.measure_every)},
      {"threads", "0: one per core", number(options.compute.threads)},
      {"cuda", "yes or no", yes(options.compute.cuda)},
      {"half", "yes: multiply in bfloat16", yes(options.compute.half)},
      {"recompute", "yes: less memory, more time", yes(options.compute.recompute)},
  };
}

}  // namespace

Result<PretrainOptions> pretrainOptionsOf(const std::vector<std::string>& arguments) {
  PretrainOptions options;
  options.shape.norm_epsilon = 1e-6;
  options.shape.rope_base = 10000;
  options.compute = defaultCompute();
  options.compute.recompute = false;
  const std::vector<Option> known = optionsFor(options);
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const Option* found = nullptr;
    for (const Option& option : known) {
      if (arguments[i] == "--" + std::string(option.name)) found = &option;
    }
    if (found == nullptr) return Error::invalidArgument("There is no option " + arguments[i] + ".");
    if (i + 1 == arguments.size() || !found->take(arguments[i + 1]))
      return Error::invalidArgument(arguments[i] + " needs a valid value.");
  }
  if (options.out.empty()) return Error::invalidArgument("--out is missing.");
  if (options.token_files.empty()) return Error::invalidArgument("--tokens is missing.");
  if (const std::string problem = problemOf(options.shape); !problem.empty())
    return Error::invalidArgument("The model's shape is invalid: " + problem + ".");
  return options;
}

std::string pretrainHelp() {
  PretrainOptions options;
  std::string help;
  for (const Option& option : optionsFor(options)) {
    std::string line = "  --" + std::string(option.name) + " ";
    line.resize(std::max<std::size_t>(line.size(), 20), ' ');
    help += line + std::string(option.help) + "\n";
  }
  return help;
}

}  // namespace spindle::trainer
