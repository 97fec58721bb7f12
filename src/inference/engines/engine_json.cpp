#include "inference/engines/engine_json.h"

#include <optional>
#include <utility>

#include "inference/catalogue/json_object.h"
#include "json/escape.h"

namespace spindle::inference {
namespace {

Error notAnEngine() {
  return {ErrorCode::kUpstream, "The engine sent an invalid response to a health check."};
}

}  // namespace

Result<EngineHealth> engineHealthOf(int status, std::string body) {
  const std::optional<json::Document> document = parseObject(std::move(body));
  if (!document) return notAnEngine();
  const std::optional<json::Node> word = document->root().find("status");
  if (!word || !word->isString()) return notAnEngine();
  EngineHealth health;
  health.ready = status == 200 && word->textEquals("ok");
  if (!health.ready && !word->textEquals("loading")) return notAnEngine();
  const std::optional<json::Node> progress = document->root().find("progress");
  if (progress && progress->isNumber()) health.progress = progress->number();
  const std::optional<json::Node> memory = document->root().find("memory_bytes");
  if (memory && memory->kind() == json::Kind::kInteger) {
    health.memory_bytes = static_cast<std::uint64_t>(memory->integer().value_or(0));
  }
  return health;
}

std::string adapterRequest(const AdapterFile& adapter) {
  return R"({"file":)" + json::quoted(adapter.path) + "}";
}

Error refusalOf(int status, std::string body) {
  std::string message = "The engine refused an adapter.";
  if (const std::optional<json::Document> document = parseObject(std::move(body))) {
    const std::optional<json::Node> error = document->root().find("error");
    const std::optional<json::Node> text =
        error && error->isObject() ? error->find("message") : std::nullopt;
    if (text && text->isString()) message = text->text();
  }
  return status >= 400 && status < 500 ? Error::invalidArgument(std::move(message))
                                       : Error::unavailable(std::move(message));
}

}  // namespace spindle::inference
