#include "inference/engines/engine_errors.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace spindle::inference {
namespace {

using std::chrono::seconds;

/// After this time a running request may have finished.
constexpr seconds kBusyPause{1};
constexpr seconds kFetchPause{10};

std::string sizeText(std::uint64_t bytes) {
  constexpr double kMiB = 1024.0 * 1024.0;
  const double mebibytes = static_cast<double>(bytes) / kMiB;
  const bool large = mebibytes >= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", large ? mebibytes / 1024 : mebibytes,
                large ? "GiB" : "MiB");
  return text;
}

Error laterUnavailable(std::string_view message, std::chrono::milliseconds pause) {
  const std::int64_t whole = std::chrono::ceil<seconds>(pause).count();
  return Error::unavailable(message).with("retry_after",
                                          std::to_string(std::max<std::int64_t>(1, whole)));
}

}  // namespace

Error tooLarge(const std::string& model, std::uint64_t need, std::uint64_t memory) {
  return Error::unavailable("The model " + model + " needs " + sizeText(need) +
                            " of memory; all models together may use " + sizeText(memory) +
                            " (inference.memory).")
      .because("model_too_large");
}

Error noMemory(const std::string& model,
               std::uint64_t need,
               std::uint64_t free,
               std::uint64_t memory) {
  return laterUnavailable("The model " + model + " needs " + sizeText(need) + " of memory; " +
                              sizeText(free) + " of " + sizeText(memory) +
                              " (inference.memory) can be freed while other models are answering.",
                          kBusyPause)
      .because("no_memory");
}

Error engineDown(const std::string& model,
                 const std::string& how,
                 std::chrono::milliseconds pause) {
  return laterUnavailable("The engine of the model " + model + " " + how + ".", pause)
      .because("engine_down");
}

Error adaptersInUse(const std::string& model, std::size_t most) {
  return laterUnavailable("The model " + model + " already uses " + std::to_string(most) +
                              " adapters, its maximum.",
                          kBusyPause)
      .because("adapters_in_use");
}

Error adapterQuarantined() {
  return Error::invalidArgument(
             "This adapter is quarantined because an engine crashed while it used the adapter. An "
             "admin can release it (spindle engine release).")
      .because("adapter_quarantined");
}

Error fileBeingFetched(const std::string& model) {
  return laterUnavailable("The file of the model " + model +
                              " is being fetched to this server, try again later.",
                          kFetchPause)
      .because("model_being_fetched");
}

Error serverStopping() { return Error::unavailable("The server is stopping."); }

}  // namespace spindle::inference
