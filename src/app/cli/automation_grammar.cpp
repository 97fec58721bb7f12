#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"
#include "app/cli/options.h"

namespace spindle::app {
namespace {

void addSecrets(CommandBuilder& builder) {
  CLI::App* group = builder.group("secret", "Store the tokens and signing keys of webhooks.");
  const auto [set, secret] = builder.add<AutomationCommand>(
      group, {"set", "Create a secret, or replace its value."}, SetSecret(),
      {{"TEAM", &SetSecret::team, "Team that owns the secret"},
       {"NAME", &SetSecret::name, "Name of the secret: letters, digits and _"}});
  addOption(set, "--file", secret.file, "FILE", "File with the value; standard input if omitted");
}

void addWebhooks(CommandBuilder& builder) {
  CLI::App* group = builder.group("webhook", "Manage the endpoints that automations call.");
  builder.add<AutomationCommand>(group, {"ls", "List the webhooks of a team."}, ListWebhooks(),
                                 {{"TEAM", &ListWebhooks::team, "Name of the team"}});
  const auto [create, made] =
      builder.add<AutomationCommand>(group, {"create", "Create a webhook."}, CreateWebhook(),
                                     {{"TEAM", &CreateWebhook::team, "Name of the team"},
                                      {"NAME", &CreateWebhook::name, "Name of the webhook"},
                                      {"URL", &CreateWebhook::endpoint, "Endpoint URL"}});
  addOption(create, "--token", made.token, "SECRET",
            "Name of the secret that is sent as a Bearer token");
  addOption(create, "--secret", made.secret, "SECRET", "Name of the secret that signs requests");
  const auto [test, tested] = builder.add<AutomationCommand>(
      group, {"test", "Send a test delivery and print the response."}, TestWebhook(),
      {{"TEAM", &TestWebhook::team, "Name of the team"},
       {"WEBHOOK", &TestWebhook::webhook, "Name or id"}});
  addOption(test, "--payload", tested.payload, "JSON", "JSON payload, or @FILE");
}

void addCreation(CommandBuilder& builder, CLI::App* group) {
  const auto [create, made] =
      builder.add<AutomationCommand>(group, {"create", "Create an automation."}, CreateAutomation(),
                                     {{"NAME", &CreateAutomation::name, "Name of the automation"}});
  addOption(create, "--scope", made.scope, "PLACE",
            "Scope: organization, TEAM, TEAM/PROJECT[/COLLECTION] or "
            "svc-registry-NAME[/COLLECTION]")
      ->required();
  addOption(create, "--event", made.event, "TYPE", "Event type, such as ADD_ARTIFACT_ALIAS")
      ->required();
  addOption(create, "--alias", made.alias, "REGEX", "Regular expression that the alias must match");
  addOption(create, "--tag", made.tag, "REGEX", "Regular expression that the tag must match");
  addOption(create, "--metric", made.metric, "JSON", "Condition on a metric");
  addOption(create, "--state", made.states, "STATE", "State of a run; repeatable");
  addOption(create, "--webhook", made.webhook, "TEAM/NAME", "Webhook to call; none if omitted");
  addOption(create, "--preset", made.preset, "NAME", "Payload preset, such as repository_dispatch");
  addOption(create, "--payload", made.payload, "JSON", "Payload template, or @FILE");
}

void addAutomations(CommandBuilder& builder) {
  CLI::App* group =
      builder.group("automation", "Manage automations: run a webhook when an event matches.");
  const auto [list, listed] =
      builder.add<AutomationCommand>(group, {"ls", "List automations."}, ListAutomations());
  addOption(list, "--team", listed.team, "TEAM", "Only automations of this team");
  addOption(list, "--project", listed.project, "TEAM/PROJECT", "Only automations of this project");
  addOption(list, "--registry", listed.registry, "NAME", "Only automations of this registry");
  addCreation(builder, group);
  for (const bool enabled : {true, false}) {
    builder.add<AutomationCommand>(group,
                                   {enabled ? "enable" : "disable",
                                    enabled ? "Enable an automation." : "Disable an automation."},
                                   SwitchAutomation{.automation = {}, .enabled = enabled},
                                   {{"AUTOMATION", &SwitchAutomation::automation, "Name or id"}});
  }
  builder.add<AutomationCommand>(group, {"rm", "Delete an automation."}, RemoveAutomation(),
                                 {{"AUTOMATION", &RemoveAutomation::automation, "Name or id"}});
  const auto [render, rendered] = builder.add<AutomationCommand>(
      group, {"render", "Print the payload that an automation would send."}, RenderAutomation(),
      {{"AUTOMATION", &RenderAutomation::automation, "Name or id"}});
  addOption(render, "--event", rendered.event, "ID", "Id of a recorded event");
}

void addDeliveries(CommandBuilder& builder) {
  CLI::App* group =
      builder.group("deliveries", "List and show webhook deliveries; send one again.");
  const auto [list, listed] = builder.add<AutomationCommand>(
      group, {"ls", "List deliveries, newest first."}, ListDeliveries());
  addOption(list, "--automation", listed.automation, "AUTOMATION",
            "Only deliveries of this automation");
  addOption(list, "--status", listed.status, "STATUS", "Only deliveries with this status");
  builder.add<AutomationCommand>(group, {"show", "Show a delivery with its attempts."},
                                 ShowDelivery(), {{"ID", &ShowDelivery::id, "Id of the delivery"}});
  const auto [replay, replayed] =
      builder.add<AutomationCommand>(group, {"replay", "Send a delivery again."}, ReplayDelivery(),
                                     {{"ID", &ReplayDelivery::id, "Id of the delivery"}});
  replay->add_flag("--current", replayed.current,
                   "Use the current automation and webhook instead of the stored ones");
}

}  // namespace

void addAutomationCommands(CommandBuilder& builder) {
  addSecrets(builder);
  addWebhooks(builder);
  addAutomations(builder);
  addDeliveries(builder);
}

}  // namespace spindle::app
