#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "inference/traced_completion.h"
#include "objects/ref_conversion.h"
#include "tracing/call_store.h"
#include "tracing/payload_json.h"

namespace spindle::inference {

/// What completions need on their way into the store of calls: the ports of tracing.
struct CallPorts {
  tracing::CallStore& calls;
  std::function<std::unique_ptr<objects::RefProjects>(std::string_view user_id)> ref_projects;
  std::function<std::unique_ptr<tracing::MediaKeeper>(std::string_view user_id,
                                                      const tracing::ProjectScope& project)>
      media_keeper;
  std::function<Result<std::optional<std::int64_t>>(std::string_view project_id)> retention_days;
  const Clock& clock;
};

/// Writes completions as calls, those of a project together. Thread-safe; blocks on disk.
class CompletionCalls {
 public:
  explicit CompletionCalls(CallPorts ports) : ports_(std::move(ports)) {}

  /// @return the first error; the calls of other projects are written all the same.
  Result<void> write(std::vector<TracedCompletion> completions);

 private:
  Result<void> writeProject(const std::vector<TracedCompletion>& completions);

  const CallPorts ports_;
};

}  // namespace spindle::inference
