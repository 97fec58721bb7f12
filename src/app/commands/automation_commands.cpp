#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/cli/given_file.h"
#include "app/commands/command_groups.h"
#include "app/commands/command_output.h"
#include "app/commands/json_object.h"
#include "app/commands/server_command.h"
#include "app/commands/standard_input.h"
#include "app/commands/table.h"
#include "http/message/uri.h"

namespace spindle::app {
namespace {

using http::Method, http::percentEncode;
using json::Document, json::Node;

constexpr std::string_view kRegistry = "svc-registry-";

std::optional<std::string> textOrFile(const std::optional<std::string>& given) {
  return given && given->starts_with('@') ? fileText(given->substr(1)) : given;
}

std::vector<std::string> partsOf(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '/') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// Converts the value of --scope to the `scope` object of the API.
json::Text scopeJson(const std::string& place) {
  if (place == "organization") return {jsonObject({{"type", "organization"}})};
  const std::vector<std::string> parts = partsOf(place);
  const auto part = [&parts](std::size_t index) {
    return index < parts.size() ? std::optional(parts[index]) : std::nullopt;
  };
  if (parts[0].starts_with(kRegistry)) {
    return {jsonObject({{"type", parts.size() > 1 ? "collection" : "registry"},
                        {"registry", parts[0].substr(kRegistry.size())},
                        {"collection", part(1)}})};
  }
  return {jsonObject({{"type", parts.size() == 1   ? "team"
                               : parts.size() == 2 ? "project"
                                                   : "collection"},
                      {"team", parts[0]},
                      {"project", part(1)},
                      {"collection", part(2)}})};
}

std::string placeOf(const Node& scope) {
  std::string place;
  if (const std::string registry = memberText(scope, "registry"); !registry.empty()) {
    place = std::string(kRegistry) + registry;
  }
  for (const char* member : {"team", "project", "collection"}) {
    const std::string name = memberText(scope, member);
    if (!name.empty()) place += (place.empty() ? "" : "/") + name;
  }
  return place.empty() ? "organization" : place;
}

/// Executes one command on the server.
class AutomationCommandRunner : public ManagementRunner {
 public:
  using ManagementRunner::ManagementRunner;

  CommandOutput operator()(const SetSecret& command) {
    const std::string value =
        withoutLineEnd(command.file ? fileText(*command.file) : standardInput());
    const std::string path = "/teams/" + percentEncode(command.team) + "/secrets";
    const http::Response made =
        api_.send(Method::kPost, path, jsonObject({{"name", command.name}, {"value", value}}));
    if (made.status != 409) {
      requireSuccess(made);
      return {.text = command.name + " is stored.\n"};
    }
    api_.ask(Method::kPut, path + "/" + percentEncode(command.name),
             jsonObject({{"value", value}}));
    return {
        .text =
            command.name +
            " has a new value. For 24 hours, webhooks sign with both the new and the old value.\n"};
  }

  CommandOutput operator()(const ListWebhooks& command) {
    CommandOutput outcome;
    outcome.table.headings = {"id", "name", "url_endpoint", "status"};
    api_.each("/teams/" + percentEncode(command.team) + "/webhooks", [&](const Node& hook) {
      const std::string reason = memberText(hook, "disabled_reason");
      outcome.table.rows.push_back(
          {memberText(hook, "id"), memberText(hook, "name"), memberText(hook, "url_endpoint"),
           memberText(hook, "status") + (reason.empty() ? "" : ": " + reason)});
    });
    return outcome;
  }

  CommandOutput operator()(const CreateWebhook& command) {
    return shownId(api_.ask(Method::kPost, "/teams/" + percentEncode(command.team) + "/webhooks",
                            jsonObject({{"name", command.name},
                                        {"url_endpoint", command.endpoint},
                                        {"access_token_ref", command.token},
                                        {"secret_ref", command.secret}})));
  }

  CommandOutput operator()(const TestWebhook& command) {
    const std::string id = webhookId(command.team, command.webhook);
    const Document report = api_.ask(
        Method::kPost,
        "/teams/" + percentEncode(command.team) + "/webhooks/" + percentEncode(id) + "/test",
        jsonObject({{"payload", textOrFile(command.payload)}}));
    if (json_) return jsonOutput(report);
    const Node root = report.root();
    const std::optional<Node> response = root.find("response");
    if (!response || response->isNull()) {
      throw std::runtime_error("no response: " + memberText(*root.find("error"), "message"));
    }
    return {.text = fmt::format("{} in {} ms\n{}\n", memberText(*response, "status"),
                                memberText(root, "duration_ms"), memberText(*response, "body"))};
  }

  CommandOutput operator()(const ListAutomations& command) {
    std::string query = "?";
    const auto ask = [&](const char* name, const std::string& value) {
      query += std::string(name) + "=" + percentEncode(value) + "&";
    };
    if (command.team) ask("team", *command.team);
    if (command.registry) ask("registry", *command.registry);
    if (command.project) {
      const std::vector<std::string> parts = partsOf(*command.project);
      if (parts.size() != 2) throw std::runtime_error("--project: expected TEAM/PROJECT");
      ask("team", parts[0]);
      ask("project", parts[1]);
    }
    CommandOutput outcome;
    outcome.table.headings = {"id", "name", "scope", "event", "enabled", "last_executed_at"};
    api_.each("/automations" + query, [&](const Node& automation) {
      const std::optional<Node> enabled = automation.find("enabled");
      outcome.table.rows.push_back({memberText(automation, "id"), memberText(automation, "name"),
                                    placeOf(*automation.find("scope")),
                                    memberText(*automation.find("event"), "type"),
                                    Cell::boolean(enabled && enabled->boolean()),
                                    memberText(automation, "last_executed_at")});
    });
    return outcome;
  }

  CommandOutput operator()(const CreateAutomation& command) {
    const Document made = api_.ask(
        Method::kPost, "/automations",
        jsonObject({{"name", command.name},
                    {"scope", scopeJson(command.scope)},
                    {"event", objectIfAny({{"type", command.event},
                                           {"alias_regex", command.alias},
                                           {"tag_regex", command.tag},
                                           {"metric", parsedOption("--metric", command.metric)},
                                           {"states", listIfAny(command.states)}})},
                    {"action", objectIfAny({{"type", command.webhook ? "webhook" : "noop"},
                                            {"webhook_id", chosenWebhook(command.webhook)},
                                            {"preset", command.preset},
                                            {"payload", textOrFile(command.payload)}})}}));
    CommandOutput outcome = shownId(made);
    if (const std::optional<Node> warnings = made.root().find("warnings"); warnings && !json_) {
      for (const Node warning : *warnings) {
        outcome.text += "warning: " + memberText(warning, "message") + "\n";
      }
    }
    return outcome;
  }

  CommandOutput operator()(const SwitchAutomation& command) {
    const std::string id = automationId(command.automation);
    api_.ask(Method::kPatch, "/automations/" + id,
             command.enabled ? R"({"enabled":true})" : R"({"enabled":false})");
    return {.text = id + (command.enabled ? " is enabled.\n" : " is disabled.\n")};
  }

  CommandOutput operator()(const RemoveAutomation& command) {
    const std::string id = automationId(command.automation);
    api_.ask(Method::kDelete, "/automations/" + id);
    return {.text = id + " is deleted.\n"};
  }

  CommandOutput operator()(const RenderAutomation& command) {
    const std::string id = automationId(command.automation);
    const Document rendered =
        api_.ask(Method::kPost, "/automations/" + id + "/render",
                 command.event ? jsonObject({{"event_id", *command.event}}) : R"({"event":{}})");
    return shown(rendered, memberText(rendered.root(), "body") + "\n");
  }

  CommandOutput operator()(const ListDeliveries& command) {
    std::string path = "/deliveries?limit=50";
    if (command.automation) path += "&automation_id=" + automationId(*command.automation);
    if (command.status) path += "&status=" + percentEncode(*command.status);
    const Document page = api_.ask(Method::kGet, path);
    CommandOutput outcome;
    outcome.table.headings = {"id",     "created_at", "automation", "event",
                              "status", "attempts",   "error"};
    const Node items = *page.root().find("items");
    for (const Node delivery : items) {
      const std::optional<Node> error = delivery.find("last_error");
      outcome.table.rows.push_back(
          {memberText(delivery, "id"), memberText(delivery, "created_at"),
           memberText(delivery, "automation_name"), memberText(delivery, "event_type"),
           memberText(delivery, "status"), memberText(delivery, "attempt_count"),
           error && error->isObject() ? memberText(*error, "code") : std::string()});
    }
    return outcome;
  }

  CommandOutput operator()(const ShowDelivery& command) {
    const Document delivery = api_.ask(Method::kGet, "/deliveries/" + percentEncode(command.id));
    return jsonOutput(delivery);
  }

  CommandOutput operator()(const ReplayDelivery& command) {
    return shownId(api_.ask(Method::kPost, "/deliveries/" + percentEncode(command.id) + "/replay",
                            jsonObject({{"mode", command.current ? "current" : "same"}})));
  }

 private:
  static std::optional<json::Text> parsedOption(const char* flag,
                                                const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    const auto parsed = Document::parse(*text);
    if (const auto* document = std::get_if<Document>(&parsed)) {
      return json::Text{std::string(document->root().raw())};
    }
    throw std::runtime_error(std::string(flag) + ": expected valid JSON");
  }

  CommandOutput shownId(const Document& made) const {
    return shown(made, memberText(made.root(), "id") + "\n");
  }

  std::string automationId(const std::string& given) {
    if (given.starts_with("auto_")) return given;
    std::vector<std::string> found;
    api_.each("/automations?name=" + percentEncode(given),
              [&](const Node& automation) { found.push_back(memberText(automation, "id")); });
    if (found.size() == 1) return found.front();
    throw std::runtime_error(found.empty()
                                 ? "there is no automation " + given
                                 : given + " is the name of several automations: use an id");
  }

  std::string webhookId(const std::string& team, const std::string& given) {
    if (given.starts_with("wh_")) return given;
    std::string id;
    api_.each("/teams/" + percentEncode(team) + "/webhooks", [&](const Node& hook) {
      if (memberText(hook, "name") == given) id = memberText(hook, "id");
    });
    if (id.empty()) throw std::runtime_error("the team " + team + " has no webhook " + given);
    return id;
  }

  std::optional<std::string> chosenWebhook(const std::optional<std::string>& given) {
    if (!given || given->starts_with("wh_")) return given;
    const std::vector<std::string> parts = partsOf(*given);
    if (parts.size() != 2) throw std::runtime_error("--webhook: expected TEAM/NAME or an id");
    return webhookId(parts[0], parts[1]);
  }
};

}  // namespace

int runGroup(const config::Loaded& loaded, const AutomationCommand& command) {
  return runOnServer<AutomationCommandRunner>(loaded, command);
}

}  // namespace spindle::app
