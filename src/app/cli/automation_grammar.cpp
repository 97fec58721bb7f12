#include "app/cli/automation_grammar.h"

#include <CLI/CLI.hpp>

namespace spindle::app {

struct AutomationGrammar::Actions {
  SetSecret set_secret;
  ListWebhooks list_webhooks;
  CreateWebhook create_webhook;
  TestWebhook test_webhook;
  ListAutomations list_automations;
  CreateAutomation create_automation;
  SwitchAutomation enable{.automation = {}, .enabled = true};
  SwitchAutomation disable{.automation = {}, .enabled = false};
  RemoveAutomation remove;
  RenderAutomation render;
  ListDeliveries list_deliveries;
  ShowDelivery show_delivery;
  ReplayDelivery replay_delivery;
  bool json = false;
};

AutomationGrammar::AutomationGrammar() : actions_(std::make_unique<Actions>()) {}
AutomationGrammar::~AutomationGrammar() = default;

void AutomationGrammar::addTo(const CommandBuilder<AutomationCommand>& builder) {
  Actions& all = *actions_;
  const auto leaf = [&](CLI::App* group, const std::string& name, const std::string& text,
                        auto& action) {
    CLI::App* app = builder.leaf(group, name, text, [&all, &action, server = builder.server] {
      return AutomationCommand{action, server(), all.json};
    });
    app->add_flag("--json", all.json, "Print JSON");
    return app;
  };

  CLI::App* secret = builder.group("secret", "Store the tokens and signing keys of webhooks.");
  CLI::App* set = leaf(secret, "set", "Create a secret, or replace its value.", all.set_secret);
  addPositional(set, "TEAM", all.set_secret.team, "Team that owns the secret");
  addPositional(set, "NAME", all.set_secret.name, "Name of the secret: letters, digits and _");
  set->add_option("--file", all.set_secret.file, "File with the value; standard input if omitted")
      ->type_name("FILE");

  CLI::App* webhook = builder.group("webhook", "Manage the endpoints that automations call.");
  CLI::App* hooks = leaf(webhook, "ls", "List the webhooks of a team.", all.list_webhooks);
  addPositional(hooks, "TEAM", all.list_webhooks.team, "Name of the team");
  CLI::App* hook = leaf(webhook, "create", "Create a webhook.", all.create_webhook);
  addPositional(hook, "TEAM", all.create_webhook.team, "Name of the team");
  addPositional(hook, "NAME", all.create_webhook.name, "Name of the webhook");
  addPositional(hook, "URL", all.create_webhook.endpoint, "Endpoint URL");
  hook->add_option("--token", all.create_webhook.token,
                   "Name of the secret that is sent as a Bearer token")
      ->type_name("SECRET");
  hook->add_option("--secret", all.create_webhook.secret, "Name of the secret that signs requests")
      ->type_name("SECRET");
  CLI::App* test =
      leaf(webhook, "test", "Send a test delivery and print the response.", all.test_webhook);
  addPositional(test, "TEAM", all.test_webhook.team, "Name of the team");
  addPositional(test, "WEBHOOK", all.test_webhook.webhook, "Name or id");
  test->add_option("--payload", all.test_webhook.payload, "JSON payload, or @FILE")
      ->type_name("JSON");

  CLI::App* automation =
      builder.group("automation", "Manage automations: run a webhook when an event matches.");
  CLI::App* list = leaf(automation, "ls", "List automations.", all.list_automations);
  list->add_option("--team", all.list_automations.team, "Only automations of this team")
      ->type_name("TEAM");
  list->add_option("--project", all.list_automations.project, "Only automations of this project")
      ->type_name("TEAM/PROJECT");
  list->add_option("--registry", all.list_automations.registry, "Only automations of this registry")
      ->type_name("NAME");
  CreateAutomation& made = all.create_automation;
  CLI::App* create = leaf(automation, "create", "Create an automation.", made);
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
  for (SwitchAutomation* action : {&all.enable, &all.disable}) {
    CLI::App* app =
        leaf(automation, action->enabled ? "enable" : "disable",
             action->enabled ? "Enable an automation." : "Disable an automation.", *action);
    addPositional(app, "AUTOMATION", action->automation, "Name or id");
  }
  addPositional(leaf(automation, "rm", "Delete an automation.", all.remove), "AUTOMATION",
                all.remove.automation, "Name or id");
  CLI::App* render =
      leaf(automation, "render", "Print the payload that an automation would send.", all.render);
  addPositional(render, "AUTOMATION", all.render.automation, "Name or id");
  render->add_option("--event", all.render.event, "Id of a recorded event")->type_name("ID");

  CLI::App* deliveries =
      builder.group("deliveries", "List and show webhook deliveries; send one again.");
  CLI::App* log = leaf(deliveries, "ls", "List deliveries, newest first.", all.list_deliveries);
  log->add_option("--automation", all.list_deliveries.automation,
                  "Only deliveries of this automation")
      ->type_name("AUTOMATION");
  log->add_option("--status", all.list_deliveries.status, "Only deliveries with this status")
      ->type_name("STATUS");
  addPositional(leaf(deliveries, "show", "Show a delivery with its attempts.", all.show_delivery),
                "ID", all.show_delivery.id, "Id of the delivery");
  CLI::App* replay = leaf(deliveries, "replay", "Send a delivery again.", all.replay_delivery);
  addPositional(replay, "ID", all.replay_delivery.id, "Id of the delivery");
  replay->add_flag("--current", all.replay_delivery.current,
                   "Use the current automation and webhook instead of the stored ones");
}

}  // namespace spindle::app
