#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/server_flags.h"

namespace spindle::app {

/// Stores the value of a secret and replaces the previous value.
struct SetSecret {
  std::string team;
  std::string name;
  std::optional<std::string> file = {};  ///< file with the value; not set: standard input
};

struct ListWebhooks {
  std::string team;
};
struct CreateWebhook {
  std::string team;
  std::string name;
  std::string endpoint;
  std::optional<std::string> token = {};   ///< name of a secret
  std::optional<std::string> secret = {};  ///< name of a secret
};
struct TestWebhook {
  std::string team;
  std::string webhook;         ///< name or id
  std::string payload = "{}";  ///< JSON, or `@` and a file name
};

struct ListAutomations {
  std::optional<std::string> team = {};
  std::optional<std::string> project = {};  ///< team/project
  std::optional<std::string> registry = {};
};
struct CreateAutomation {
  std::string name;
  /// `organization`, `team`, `team/project`, `team/project/collection`, `svc-registry-name` or
  /// `svc-registry-name/collection`.
  std::string scope;
  std::string event;
  std::optional<std::string> alias = {};   ///< regular expression
  std::optional<std::string> tag = {};     ///< regular expression
  std::optional<std::string> metric = {};  ///< condition, as JSON
  std::vector<std::string> states = {};
  std::optional<std::string> webhook = {};  ///< team/name, or id; not set: no webhook is called
  std::optional<std::string> preset = {};
  std::optional<std::string> payload = {};  ///< template, or `@` and a file name
};
struct SwitchAutomation {
  std::string automation;  ///< name or id
  bool enabled = true;
};
struct RemoveAutomation {
  std::string automation;  ///< name or id
};
struct RenderAutomation {
  std::string automation;                 ///< name or id
  std::optional<std::string> event = {};  ///< id of a recorded event
};

struct ListDeliveries {
  std::optional<std::string> automation = {};  ///< name or id
  std::optional<std::string> status = {};
};
struct ShowDelivery {
  std::string id;
};
struct ReplayDelivery {
  std::string id;
  bool current = false;
};

/// `spindle secret | webhook | automation | deliveries`.
using AutomationCommand = ManagementCommand<SetSecret,
                                            ListWebhooks,
                                            CreateWebhook,
                                            TestWebhook,
                                            ListAutomations,
                                            CreateAutomation,
                                            SwitchAutomation,
                                            RemoveAutomation,
                                            RenderAutomation,
                                            ListDeliveries,
                                            ShowDelivery,
                                            ReplayDelivery>;

}  // namespace spindle::app
