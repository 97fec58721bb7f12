#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/core/result.h"
#include "objects/values/ref_conversion.h"
#include "pricing/project_prices.h"
#include "tracing/calls/call.h"
#include "tracing/calls/call_query.h"
#include "tracing/routes/call_json.h"
#include "tracing/store/ref_values.h"

namespace spindle::tracing {

class CallStore;
class CallView;

/// Options for reading calls: members beyond the stored ones.
struct CallReadOptions {
  CallMembers members = {};
  bool costs = false;
  bool feedback = false;
  bool storage_size = false;
  bool total_storage_size = false;
  bool usernames = false;
  std::optional<std::int64_t> preview_bytes = {};  ///< longer payloads become previews
  std::vector<std::string> expand_columns = {};    ///< columns whose references are replaced by
                                                   ///< values
};

/// Dependencies of the presenter. Everything must outlive it.
struct PresenterPorts {
  CallStore& calls;
  RefValues& ref_values;
  /// Returns the name of a user that the reader may see; empty if unknown.
  std::function<Result<std::optional<std::string>>(std::string_view user_id)> username = {};
  std::function<Result<std::shared_ptr<const pricing::ProjectPrices>>(std::string_view project_id)>
      prices = {};
  /// Returns the feedback of calls as JSON lists, by call id, with internal references.
  std::function<Result<std::unordered_map<std::string, std::string>>(
      const ProjectScope& project,
      const std::vector<std::string>& call_ids,
      wire::Spelling spelling)>
      feedback = {};
};

/// Converts stored calls to the JSON of one response. For one request and one thread at a time.
class CallPresenter {
 public:
  CallPresenter(PresenterPorts ports,
                ProjectScope project,
                CallReadOptions options,
                wire::Spelling spelling,
                std::unique_ptr<objects::RefProjects> projects);
  ~CallPresenter();

  /// Returns the part of the calls that must be read.
  CallProjection projection() const;

  /// Returns the calls as JSON, in the same order.
  Result<std::vector<std::string>> present(std::vector<Call> calls);

 private:
  Result<void> addCosts(const std::vector<Call>& calls, std::vector<CallExtras>& extras);
  Result<void> addFeedback(const std::vector<Call>& calls, std::vector<CallExtras>& extras);
  Result<void> addSizes(const std::vector<Call>& calls, std::vector<CallExtras>& extras);
  Result<void> addUsernames(const std::vector<Call>& calls, std::vector<CallExtras>& extras);
  Result<void> expand(std::vector<Call>& calls);

  const PresenterPorts ports_;
  const ProjectScope project_;
  const CallReadOptions options_;
  const wire::Spelling spelling_;
  const std::unique_ptr<objects::RefProjects> projects_;
  std::shared_ptr<const pricing::ProjectPrices> prices_;
  std::unordered_map<std::string, std::optional<std::string>> usernames_;
};

}  // namespace spindle::tracing
