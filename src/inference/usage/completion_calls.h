#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/time.h"
#include "inference/usage/traced_completion.h"
#include "objects/values/ref_conversion.h"
#include "tracing/ingest/stored_payload.h"
#include "tracing/store/call_store.h"

namespace spindle::inference {

/// The interfaces of tracing that are needed to store completions as calls.
struct CallPorts {
  tracing::CallStore& calls;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  std::function<std::unique_ptr<tracing::MediaStore>(std::string_view user_id,
                                                     const tracing::ProjectScope& project)>
      media_store;
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  const Clock& clock;
};

/// Writes completions as calls, one batch per project. Thread-safe; blocks on disk.
class CompletionCalls {
 public:
  explicit CompletionCalls(CallPorts ports) : ports_(std::move(ports)) {}

  /// Writes the completions. @return the first error; the calls of other projects are still
  /// written.
  Result<void> write(std::vector<TracedCompletion> completions);

 private:
  Result<void> writeProject(const std::vector<TracedCompletion>& completions);

  const CallPorts ports_;
};

}  // namespace spindle::inference
