#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "objects/values/ref_conversion.h"

namespace spindle::identity {
class Access;
class ProjectRepository;
}  // namespace spindle::identity

namespace spindle::objects {

/// The projects that one caller can read, by name and by id, for one request. Looks up each project
/// once. For one thread at a time. Lookups block on the database and may return kUnavailable.
class CallerProjects final : public RefProjects {
 public:
  /// All references must outlive this object; `user_id` is copied.
  CallerProjects(identity::Access& access,
                 identity::ProjectRepository& projects,
                 std::string_view user_id)
      : access_(access), projects_(projects), user_id_(user_id) {}

  /// Adds a project that is known to be readable, usually the project of the request.
  void addReadable(std::string_view external, std::string_view internal);

  Result<std::optional<std::string>> internalOf(std::string_view external) override;
  Result<std::optional<std::string>> externalOf(std::string_view internal) override;

 private:
  using Known = std::map<std::string, std::optional<std::string>, std::less<>>;

  identity::Access& access_;
  identity::ProjectRepository& projects_;
  std::string user_id_;
  Known internal_;  ///< by external name
  Known external_;  ///< by internal id
};

}  // namespace spindle::objects
