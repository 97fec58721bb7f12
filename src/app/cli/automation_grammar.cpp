#include <CLI/CLI.hpp>

#include "app/cli/grammars.h"

namespace spindle::app {
namespace {

void addSecrets(CommandBuilder& builder) {
  CLI::App* group = builder.group("secret", "Store the tokens and signing keys of webhooks.");
  const auto [set, secret] = builder.add<AutomationCommand>(
      group, "set", "Create a secret, or replace its value.", SetSecret());
  addPositional(set, "TEAM", secret.team, "Team that owns the secret");
  addPositional(set, "NAME", secret.name, "Name of the secret: letters, digits and _");
  set->add_option("--file", secret.file, "File with the value; standard input if omitted")
      ->type_name("FILE");
}

void addWebhooks(CommandBuilder& builder) {
  CLI::App* group = builder.group("webhook", "Manage the endpoints that automations call.");
  const auto [list, listed] =
      builder.add<AutomationCommand>(group, "ls", "List the webhooks of a team.", ListWebhooks());
  addPositional(list, "TEAM", listed.team, "Name of the team");
  const auto [create, made] =
      builder.add<AutomationCommand>(group, "create", "Create a webhook.", CreateWebhook());
  addPositional(create, "TEAM", made.team, "Name of the team");
  addPositional(create, "NAME", made.name, "Name of the webhook");
  addPositional(create, "URL", made.endpoint, "Endpoint URL");
  create->add_option("--token", made.token, "Name of the secret that is sent as a Bearer token")
      ->type_name("SECRET");
  create->add_option("--secret", made.secret, "Name of the secret that signs requests")
      ->type_name("SECRET");
  const auto [test, tested] = builder.add<AutomationCommand>(
      group, "test", "Send a test delivery and print the response.", TestWebhook());
  addPositional(test, "TEAM", tested.team, "Name of the team");
  addPositional(test, "WEBHOOK", tested.webhook, "Name or id");
  test->add_option("--payload", tested.payload, "JSON payload, or @FILE")->type_name("JSON");
}

void addCreation(CommandBuilder& builder, CLI::App* group) {
  const auto [create, made] =
      builder.add<AutomationCommand>(group, "create", "Create an automation.", CreateAutomation());
  addPositional(create, "NAME", made.name, "Name of the automation");
  create
      ->add_option("--scope", made.scope,
                   "Scope: organization, TEAM, TEAM/PROJECT[/COLLECTION] or "
                   "svc-registry-NAME[/COLLECTION]")
      ->required()
      ->type_name("PLACE");
  create->add_option("--event", made.event, "Event type, such as ADD_ARTIFACT_ALIAS")
      ->required()
      ->type_name("TYPE");
  create->add_option("--alias", made.alias, "Regular expression that the alias must match")
      ->type_name("REGEX");
  create->add_option("--tag", made.tag, "Regular expression that the tag must match")
      ->type_name("REGEX");
  create->add_option("--metric", made.metric, "Condition on a metric")->type_name("JSON");
  create->add_option("--state", made.states, "State of a run; repeatable")->type_name("STATE");
  create->add_option("--webhook", made.webhook, "Webhook to call; none if omitted")
      ->type_name("TEAM/NAME");
  create->add_option("--preset", made.preset, "Payload preset, such as repository_dispatch")
      ->type_name("NAME");
  create->add_option("--payload", made.payload, "Payload template, or @FILE")->type_name("JSON");
}

void addAutomations(CommandBuilder& builder) {
  CLI::App* group =
      builder.group("automation", "Manage automations: run a webhook when an event matches.");
  const auto [list, listed] =
      builder.add<AutomationCommand>(group, "ls", "List automations.", ListAutomations());
  list->add_option("--team", listed.team, "Only automations of this team")->type_name("TEAM");
  list->add_option("--project", listed.project, "Only automations of this project")
      ->type_name("TEAM/PROJECT");
  list->add_option("--registry", listed.registry, "Only automations of this registry")
      ->type_name("NAME");
  addCreation(builder, group);
  for (const bool enabled : {true, false}) {
    const auto [change, changed] =
        builder.add<AutomationCommand>(group, enabled ? "enable" : "disable",
                                       enabled ? "Enable an automation." : "Disable an automation.",
                                       SwitchAutomation{.automation = {}, .enabled = enabled});
    addPositional(change, "AUTOMATION", changed.automation, "Name or id");
  }
  const auto [remove, removed] =
      builder.add<AutomationCommand>(group, "rm", "Delete an automation.", RemoveAutomation());
  addPositional(remove, "AUTOMATION", removed.automation, "Name or id");
  const auto [render, rendered] = builder.add<AutomationCommand>(
      group, "render", "Print the payload that an automation would send.", RenderAutomation());
  addPositional(render, "AUTOMATION", rendered.automation, "Name or id");
  render->add_option("--event", rendered.event, "Id of a recorded event")->type_name("ID");
}

void addDeliveries(CommandBuilder& builder) {
  CLI::App* group =
      builder.group("deliveries", "List and show webhook deliveries; send one again.");
  const auto [list, listed] = builder.add<AutomationCommand>(
      group, "ls", "List deliveries, newest first.", ListDeliveries());
  list->add_option("--automation", listed.automation, "Only deliveries of this automation")
      ->type_name("AUTOMATION");
  list->add_option("--status", listed.status, "Only deliveries with this status")
      ->type_name("STATUS");
  const auto [show, shown] = builder.add<AutomationCommand>(
      group, "show", "Show a delivery with its attempts.", ShowDelivery());
  addPositional(show, "ID", shown.id, "Id of the delivery");
  const auto [replay, replayed] =
      builder.add<AutomationCommand>(group, "replay", "Send a delivery again.", ReplayDelivery());
  addPositional(replay, "ID", replayed.id, "Id of the delivery");
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
