// The automations of a team, and one of them.

import { type Automation, changeAutomation } from "../../api/automation";
import { useMutation } from "../../api/cache";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import type { ScreenProps } from "../../app/screen";
import { toastError } from "../../app/toasts";
import { codecs, setUrlState, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { Icon } from "../../ui/icons";
import { Switch, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { conditionText, eventText, scopeText } from "../shared_automation/events";
import { useAutomations, useWebhooks } from "../shared_automation/use_team_rules";
import { Ago, useNow } from "../shared_parts/ago";
import { AutomationDialog } from "./automation_dialog";
import { AutomationDetail } from "./detail";
import type { AutomationDraft } from "./draft";

/** Starting points: what people want most often, ready to be completed. */
const EXAMPLES: { name: string; text: string; draft: Partial<AutomationDraft> }[] = [
  {
    name: "production", text: "Deploy when a model gets the alias production",
    draft: { name: "deploy production", type: "ADD_ARTIFACT_ALIAS", aliasRegex: "^production$", preset: "repository_dispatch" },
  },
  {
    name: "training", text: "Tell a channel when training fails",
    draft: { name: "training failed", type: "TRAINING_JOB_FAILED", preset: "message_card" },
  },
  {
    name: "errors", text: "Warn when more than 10 % of the traces fail",
    draft: { name: "errors rise", type: "TRACE_METRIC_THRESHOLD", metricName: "error_rate", comparison: "gt", threshold: 0.1, preset: "incoming_webhook" },
  },
  {
    name: "evaluation", text: "Tell when an evaluation scores below 90 %",
    draft: { name: "score too low", type: "EVALUATION_FINISHED", scoreName: "right.passed", comparison: "lt", threshold: 0.9, preset: "incoming_webhook" },
  },
];

function Examples({ team }: { team: string }) {
  return (
    <ul class="examples">
      {EXAMPLES.map(({ name, text }) => (
        <li key={name}>
          <a class="example card" href={href(paths.automations(team), { new: name })}><Icon name="workflow" /><span>{text}</span><Icon name="arrowRight" /></a>
        </li>
      ))}
    </ul>
  );
}

function AutomationList({ team }: { team: string }) {
  const webhooks = useWebhooks(team);
  const automations = useAutomations(team, webhooks.data);
  const rights = useRights(team);
  const now = useNow();
  const [fresh] = useUrlState("new", codecs.text());
  const [webhook] = useUrlState("webhook", codecs.text());
  const [find, setFind] = useUrlState("find", codecs.text());
  const close = () => setUrlState({ new: null, webhook: null }, { replace: true });
  const toggle = useMutation({
    change: ({ id, enabled }: Automation) => changeAutomation(id, { enabled: !enabled }),
    invalidates: [["automations"]],
  });
  const names = new Map(webhooks.data?.map(({ id, name }) => [id, name]));
  const wanted = find.trim().toLowerCase();
  const add = rights.administer && <Button icon="add" kind="primary" href={href(paths.automations(team), { new: "1" })}>New automation</Button>;
  const example = EXAMPLES.find(({ name }) => name === fresh)?.draft;
  return (
    <Page
      title="Automations"
      lead="Rules: when something happens, a webhook is called with a payload."
      actions={automations.data && automations.data.length > 0 && add}
    >
      <Loaded state={automations} what="list of automations">
        {(data) => data.length === 0 ? (
          <div class="automation-none">
            <Icon name="workflow" size={24} />
            <h2>No automations yet</h2>
            <p class="soft">{rights.administer ? "Begin with one of these, or from nothing." : "An admin of the team can add one."}</p>
            {rights.administer && <><Examples team={team} />{add}</>}
          </div>
        ) : (
          <>
            {data.length > 8 && (
              <div class="filters">
                <TextInput type="search" icon="search" label="Find an automation" placeholder="Find an automation" value={find}
                  onInput={(text) => setFind(text, { replace: true })} />
              </div>
            )}
            <div class="card">
              <Table
                label="Automations"
                rows={data.filter(({ name, event }) => `${name} ${eventText(event.type)}`.toLowerCase().includes(wanted))}
                rowKey={({ id }) => id}
                rowHref={({ id }) => href(paths.automations(team, id))}
                empty="No automation matches."
                columns={[
                  { key: "name", title: "Name", cell: ({ name }) => <span class="cut"><SafeText text={name} line /></span> },
                  {
                    key: "on", title: "Enabled",
                    cell: (row) => rights.administer ? (
                      <span class="automation-switch">
                        <Switch label={`${row.name} is enabled`} checked={row.enabled} disabled={toggle.pending}
                          onChange={() => void toggle.run(row).catch((error: unknown) => toastError("The automation was not changed", error))} />
                      </span>
                    ) : <Status state={row.enabled ? "enabled" : "disabled"} />,
                  },
                  {
                    key: "when", title: "When", wide: true,
                    cell: ({ event }) => <span class="automation-when">{eventText(event.type)}<span class="faint"><SafeText text={conditionText(event)} line /></span></span>,
                  },
                  { key: "where", title: "Where", cell: ({ scope }) => <span class="nowrap"><SafeText text={scopeText(scope)} line /></span> },
                  {
                    key: "calls", title: "Calls",
                    cell: ({ action }) => action.webhook_id
                      ? <a class="nowrap" href={href(paths.webhooks(team, action.webhook_id))}><SafeText text={names.get(action.webhook_id) ?? "webhook of another team"} line /></a>
                      : <span class="faint">nothing</span>,
                  },
                  { key: "ran", title: "Last ran", cell: ({ last_executed_at }) => <Ago time={last_executed_at} now={now} none="never" /> },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
      {fresh !== "" && rights.administer && (
        <AutomationDialog
          team={team}
          initial={{ ...example, ...(webhook ? { webhook } : {}) }}
          onClose={close}
          onSaved={({ id }) => navigate(paths.automations(team, id))}
        />
      )}
    </Page>
  );
}

export default function Automations({ params }: ScreenProps) {
  const { team = "", id } = params;
  return id ? <AutomationDetail key={id} team={team} id={id} /> : <AutomationList team={team} />;
}
