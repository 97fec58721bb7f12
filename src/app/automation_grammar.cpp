#include "app/automation_grammar.h"

#include <CLI/CLI.hpp>

namespace spindle::app {
namespace {

void word(CLI::App* app, const std::string& name, std::string& target, const std::string& text) {
  app->add_option(name, target, text)->required()->type_name("");
}

}  // namespace

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

void AutomationGrammar::addTo(const Words<AutomationCommand>& words) {
  Actions& all = *actions_;
  const auto leaf = [&](CLI::App* group, const std::string& name, const std::string& text,
                        auto& action) {
    CLI::App* app = words.leaf(group, name, text, [&all, &action, server = words.server] {
      return AutomationCommand{action, server(), all.json};
    });
    app->add_flag("--json", all.json, "Print JSON");
    return app;
  };

  CLI::App* secret = words.group("secret", "Keep tokens and keys that webhooks use.");
  CLI::App* set = leaf(secret, "set", "Keep a value, in place of the one before.", all.set_secret);
  word(set, "TEAM", all.set_secret.team, "Whose it is");
  word(set, "NAME", all.set_secret.name, "Letters, digits and _");
  set->add_option("--file", all.set_secret.file, "Where the value is; standard input when left out")
      ->type_name("FILE");

  CLI::App* webhook = words.group("webhook", "Manage the endpoints that automations call.");
  CLI::App* hooks = leaf(webhook, "ls", "List the webhooks of a team.", all.list_webhooks);
  word(hooks, "TEAM", all.list_webhooks.team, "Name of the team");
  CLI::App* hook = leaf(webhook, "create", "Add a webhook.", all.create_webhook);
  word(hook, "TEAM", all.create_webhook.team, "Name of the team");
  word(hook, "NAME", all.create_webhook.name, "Name of the webhook");
  word(hook, "URL", all.create_webhook.endpoint, "Where requests go");
  hook->add_option("--token", all.create_webhook.token, "Secret that is sent as a Bearer token")
      ->type_name("SECRET");
  hook->add_option("--secret", all.create_webhook.secret, "Secret that signs")->type_name("SECRET");
  CLI::App* test =
      leaf(webhook, "test", "Send a test delivery and show the answer.", all.test_webhook);
  word(test, "TEAM", all.test_webhook.team, "Name of the team");
  word(test, "WEBHOOK", all.test_webhook.webhook, "Name or id");
  test->add_option("--payload", all.test_webhook.payload, "What to send, or @FILE")
      ->type_name("JSON");

  CLI::App* automation = words.group("automation", "Manage what happens when something happens.");
  CLI::App* list = leaf(automation, "ls", "List automations.", all.list_automations);
  list->add_option("--team", all.list_automations.team, "Only of this team")->type_name("TEAM");
  list->add_option("--project", all.list_automations.project, "Only of this project")
      ->type_name("TEAM/PROJECT");
  list->add_option("--registry", all.list_automations.registry, "Only of this registry")
      ->type_name("NAME");
  CreateAutomation& made = all.create_automation;
  CLI::App* create = leaf(automation, "create", "Add an automation.", made);
  word(create, "NAME", made.name, "Name of the automation");
  create
      ->add_option("--scope", made.scope,
                   "organization, TEAM, TEAM/PROJECT[/COLLECTION] or "
                   "svc-registry-NAME[/COLLECTION]")
      ->required()
      ->type_name("PLACE");
  create->add_option("--event", made.event, "What to wait for, as in ADD_ARTIFACT_ALIAS")
      ->required()
      ->type_name("TYPE");
  create->add_option("--alias", made.alias, "Regular expression for aliases")->type_name("REGEX");
  create->add_option("--tag", made.tag, "Regular expression for tags")->type_name("REGEX");
  create->add_option("--metric", made.metric, "Condition of a metric")->type_name("JSON");
  create->add_option("--state", made.states, "State of a run; may be repeated")->type_name("STATE");
  create->add_option("--webhook", made.webhook, "Whom to call; nobody when left out")
      ->type_name("TEAM/NAME");
  create->add_option("--preset", made.preset, "Named payload, as in repository_dispatch")
      ->type_name("NAME");
  create->add_option("--payload", made.payload, "Template of the payload, or @FILE")
      ->type_name("JSON");
  for (SwitchAutomation* action : {&all.enable, &all.disable}) {
    CLI::App* app = leaf(automation, action->enabled ? "enable" : "disable",
                         action->enabled ? "Switch an automation on." : "Switch it off.", *action);
    word(app, "AUTOMATION", action->automation, "Name or id");
  }
  word(leaf(automation, "rm", "Remove an automation.", all.remove), "AUTOMATION",
       all.remove.automation, "Name or id");
  CLI::App* render = leaf(automation, "render", "Show what an automation would send.", all.render);
  word(render, "AUTOMATION", all.render.automation, "Name or id");
  render->add_option("--event", all.render.event, "Id of an event that happened")->type_name("ID");

  CLI::App* deliveries = words.group("deliveries", "Look at what was sent, and send it again.");
  CLI::App* log = leaf(deliveries, "ls", "List deliveries, the newest first.", all.list_deliveries);
  log->add_option("--automation", all.list_deliveries.automation, "Only of this one")
      ->type_name("AUTOMATION");
  log->add_option("--status", all.list_deliveries.status, "Only in this state")
      ->type_name("STATUS");
  word(leaf(deliveries, "show", "Show a delivery with its attempts.", all.show_delivery), "ID",
       all.show_delivery.id, "Id of the delivery");
  CLI::App* replay = leaf(deliveries, "replay", "Send a delivery again.", all.replay_delivery);
  word(replay, "ID", all.replay_delivery.id, "Id of the delivery");
  replay->add_flag("--current", all.replay_delivery.current,
                   "By the automation and to the webhook as they are now");
}

}  // namespace spindle::app
