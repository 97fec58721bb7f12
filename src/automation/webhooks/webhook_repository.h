#pragma once

#include <optional>
#include <string_view>

#include "automation/webhooks/webhook.h"
#include "base/core/result.h"
#include "identity/store/page.h"
#include "identity/store/row_version.h"
#include "storage/database/forward.h"

namespace spindle::automation {

/// Identifies a webhook of a team. Borrows its texts.
struct WebhookKey {
  std::string_view team_id;
  std::string_view id;
};

/// Repository of the webhooks of teams. Thread-safe; calls block on the database and may also
/// return kUnavailable. `if_version` as in identity::TeamRepository.
class WebhookRepository {
 public:
  WebhookRepository(storage::Database& database, const Clock& clock)
      : database_(database), clock_(clock) {}

  /// Inserts a webhook.
  /// @return kConflict (`webhook_name_taken`); kInvalidSchema (`unknown_reference`) for a secret
  /// that the team does not have.
  Result<Webhook> insert(std::string_view team_id, const WebhookSettings& settings);

  /// @return kNotFound.
  Result<Webhook> find(const WebhookKey& key);
  /// Finds a webhook of any team. The caller of this function checks permissions.
  /// @return kNotFound.
  Result<Webhook> findAnywhere(std::string_view id);

  Result<identity::Page<Webhook>> list(std::string_view team_id,
                                       const std::optional<WebhookStatus>& status,
                                       const identity::PageRequest& page);

  /// @return kNotFound, kPreconditionFailed, and as insert().
  Result<Webhook> update(const WebhookKey& key,
                         const WebhookChange& change,
                         identity::IfVersion if_version = {});

  /// @return kNotFound, kPreconditionFailed, kConflict (`webhook_in_use`) with the automations.
  Result<void> remove(const WebhookKey& key, identity::IfVersion if_version = {});

  /// @return kInvalidSchema if the settings refer to a secret that the team does not have.
  Result<void> checkReferences(std::string_view team_id, const WebhookSettings& settings);

 private:
  storage::Database& database_;
  const Clock& clock_;
};

}  // namespace spindle::automation
