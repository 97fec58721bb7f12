#include "agents/ingest/op_placeholders.h"

#include <utility>

#include "agents/store/text_characters.h"
#include "base/core/utf8.h"
#include "base/crypto/crypto.h"
#include "objects/values/object_id.h"
#include "objects/values/ref.h"

namespace spindle::agents {
namespace {

constexpr std::string_view kNameless = "op";
constexpr std::string_view kDelimiters = ",;| /?.";
constexpr std::size_t kMarkDigits = 4;

}  // namespace

Result<std::string> OpPlaceholders::refFor(std::string_view project_id,
                                           std::string_view name,
                                           std::string_view user_id) {
  std::string id = objects::idFromName(name);
  if (id.empty()) id = kNameless;
  const std::string key = std::string(project_id) + "/" + id;
  {
    const MutexLock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  std::string digest = TRY(publish_(project_id, id, user_id));
  objects::Ref ref;
  ref.project = project_id;
  ref.kind = objects::RefKind::kOp;
  ref.name = std::move(id);
  ref.version = std::move(digest);
  std::string text = objects::printRef(ref);
  const MutexLock lock(mutex_);
  if (known_.size() >= kMaxKnown) known_.clear();
  known_.emplace(key, text);
  return text;
}

std::string shortenedName(std::string_view name, std::size_t limit) {
  if (charactersIn(name) < limit) return std::string(name);
  const std::string mark = ":" + toHex(sha256(name)).substr(0, kMarkDigits);
  std::string_view kept = firstCharacters(name, limit - mark.size());
  const std::size_t cut = kept.find_last_of(kDelimiters);
  if (cut != std::string_view::npos && cut > 0) kept = kept.substr(0, cut);
  return std::string(kept) + mark;
}

}  // namespace spindle::agents
