// One webhook: health, settings, deliveries, automations; test, recover, disable, delete.

import { useState } from "preact/hooks";

import {
  type DeliveryStatus, type Webhook, changeWebhook, deleteWebhook, getWebhook, listWebhookDeliveries,
} from "../../api/automation";
import { useMutation, usePages, useQuery } from "../../api/cache";
import { useLive } from "../../api/live";
import { href, navigate, paths } from "../../app/location";
import { useRights } from "../../app/me";
import { Loaded, Page } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { useHeading } from "../../app/screen";
import { toast, toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatDuration } from "../../format/durations";
import { formatCount, formatPercent } from "../../format/numbers";
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { Select } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Definitions, Table } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { Status } from "../../ui/status";
import { DeliveryTable } from "../shared_automation/delivery_table";
import { DELIVERY_STATES, conditionText, eventText, scopeText } from "../shared_automation/events";
import { DISABLED_REASONS, healthOf } from "../shared_automation/health";
import { useAutomations } from "../shared_automation/use_team_rules";
import { Ago, useNow } from "../shared_parts/ago";
import { Figures } from "../shared_parts/figures";
import { TestDialog } from "./probe";
import { RecoverDialog } from "./recover_dialog";
import { WebhookStatus, useHealth } from "./state";
import { WebhookDialog } from "./webhook_dialog";

type Layer = "test" | "recover" | "edit" | "delete" | null;

function Deliveries({ team, webhook, now }: { team: string; webhook: Webhook; now: number }) {
  const [status, setStatus] = useUrlState("status", codecs.oneOf<DeliveryStatus | "">("", ...(Object.keys(DELIVERY_STATES) as DeliveryStatus[])));
  const pages = usePages({
    key: ["deliveries", "webhook", webhook.id, status],
    read: (cursor, signal) => listWebhookDeliveries(team, webhook.id, { cursor, limit: 50, ...(status ? { status } : {}) }, signal),
  });
  useLive("deliveries", team, () => pages.refetch());
  return (
    <div class="tab-content">
      <div class="filters">
        <Select
          label="Status" value={status} onChange={(value) => setStatus(value)}
          options={[{ value: "", text: "All states" }, ...Object.entries(DELIVERY_STATES).map(([value, { word }]) => ({ value: value as DeliveryStatus, text: word }))]}
        />
      </div>
      <DeliveryTable
        state={pages} now={now} without="webhook"
        empty={<Empty title={status ? "No such deliveries" : "Nothing was sent yet"} icon="send"><p>Deliveries appear here when an automation calls this webhook.</p></Empty>}
      />
    </div>
  );
}

function UsedBy({ team, webhook, now }: { team: string; webhook: Webhook; now: number }) {
  const automations = useAutomations(team, [webhook]);
  return (
    <div class="tab-content">
      <Loaded state={automations} what="list of automations">
        {(data) => {
          const mine = data.filter(({ action }) => action.webhook_id === webhook.id);
          if (mine.length === 0) {
            return (
              <Empty title="No automation calls this webhook" icon="workflow"
                actions={<Button icon="add" href={href(paths.automations(team), { new: "1", webhook: webhook.id })}>New automation</Button>}>
                <p>An automation says when the webhook is called, and with what.</p>
              </Empty>
            );
          }
          return (
            <div class="card">
              <Table
                label="Automations" rows={mine} rowKey={({ id }) => id} rowHref={({ id }) => href(paths.automations(team, id))}
                columns={[
                  { key: "name", title: "Name", cell: ({ name }) => <span class="cut"><SafeText text={name} line /></span> },
                  { key: "enabled", title: "Status", cell: ({ enabled }) => <Status state={enabled ? "enabled" : "disabled"} /> },
                  {
                    key: "event", title: "When", wide: true,
                    cell: ({ event }) => <>{eventText(event.type)} <span class="faint"><SafeText text={conditionText(event)} line /></span></>,
                  },
                  { key: "scope", title: "Where", cell: ({ scope }) => <span class="nowrap"><SafeText text={scopeText(scope)} line /></span> },
                  { key: "ran", title: "Last ran", cell: ({ last_executed_at }) => <Ago time={last_executed_at} now={now} none="never" /> },
                ]}
              />
            </div>
          );
        }}
      </Loaded>
    </div>
  );
}

function Body({ team, webhook }: { team: string; webhook: Webhook }) {
  const now = useNow();
  const health = useHealth(team).data?.get(webhook.id);
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("deliveries", "automations", "settings"));
  const counts = health && healthOf(health);
  const reason = webhook.status === "disabled" ? DISABLED_REASONS[webhook.disabled_reason ?? ""] : undefined;
  return (
    <>
      {reason && (
        <div class="note" role="note"><Icon name="alert" /><div><strong>This webhook is disabled: {reason.word}.</strong><p>{reason.help}</p></div></div>
      )}
      <Figures
        label="The last 7 days"
        items={[
          { name: "Accepted, 7 days", value: formatPercent(health?.success_rate), ...(health?.success_rate !== null && (health?.success_rate ?? 1) < 0.95 ? { tone: "error" as const } : {}) },
          { name: "Deliveries", value: formatCount(counts?.total) },
          { name: "Failed", value: formatCount(counts?.failed), ...(counts && counts.failed > 0 ? { tone: "error" as const } : {}) },
          { name: "p50", value: formatDuration(health?.latency_p50_ms) },
          { name: "p95", value: formatDuration(health?.latency_p95_ms) },
          { name: "Last success", value: <Ago time={health?.last_success_at} now={now} /> },
          {
            name: "Last failure",
            value: health?.last_failure ? <a href={href(paths.delivery(health.last_failure.delivery_id))}><Ago time={health.last_failure.at} now={now} /></a> : <Ago time={null} now={now} />,
          },
        ]}
      />
      <Tabs
        label="Parts of the webhook" open={tab} onOpen={(name) => setTab(name, { replace: true })}
        tabs={[{ name: "deliveries", text: "Deliveries" }, { name: "automations", text: "Automations" }, { name: "settings", text: "Settings" }]}
      >
        {tab === "deliveries" && <Deliveries team={team} webhook={webhook} now={now} />}
        {tab === "automations" && <UsedBy team={team} webhook={webhook} now={now} />}
        {tab === "settings" && (
          <div class="tab-content">
            <div class="card card-pad">
              <Definitions
                items={[
                  ["Endpoint", <code class="wrap"><SafeText text={webhook.url_endpoint} line /></code>],
                  ["Access token", webhook.access_token_ref ? <code>{webhook.access_token_ref}</code> : <span class="faint">none</span>],
                  ["Signing secret", webhook.secret_ref ? <code>{webhook.secret_ref}</code> : <span class="faint">none: requests are not signed</span>],
                  ["Requests at the same time", String(webhook.max_concurrency)],
                  ["Created", formatTime(webhook.created_at, timeZone.value)],
                  ["Changed", formatTime(webhook.updated_at, timeZone.value)],
                  ["Id", <code>{webhook.id}</code>],
                ]}
              />
            </div>
          </div>
        )}
      </Tabs>
    </>
  );
}

export function WebhookDetail({ team, id }: { team: string; id: string }) {
  const webhook = useQuery({ key: ["webhooks", team, id], read: (signal) => getWebhook(team, id, signal) });
  const { data } = webhook;
  const rights = useRights(team);
  const [layer, setLayer] = useState<Layer>(null);
  const close = () => setLayer(null);
  useHeading(data?.name ?? "Webhook");
  const toggle = useMutation({
    change: (status: Webhook["status"]) => changeWebhook(team, id, { status }),
    invalidates: [["webhooks", team], ["delivery stats", team]],
    done: ({ status }) => toast({ kind: "ok", text: status === "active" ? "The webhook is enabled." : "The webhook is disabled. New deliveries are cancelled; they can be recovered." }),
  });
  const remove = useMutation({
    change: () => deleteWebhook(team, id),
    done: () => {
      toast({ kind: "ok", text: `The webhook ${data?.name ?? ""} is deleted.` });
      navigate(paths.webhooks(team), { replace: true });
    },
    invalidates: [["webhooks", team]],
  });
  const active = data?.status === "active";
  return (
    <Page
      title={data ? <SafeText text={data.name} line /> : "Webhook"}
      lead={data && <><WebhookStatus webhook={data} /> · <code class="wrap"><SafeText text={data.url_endpoint} line /></code></>}
      actions={data && rights.administer && (
        <>
          <Button icon="send" onClick={() => setLayer("test")}>Test</Button>
          <Button icon="refresh" onClick={() => setLayer("recover")} disabled={!active}>Recover</Button>
          <Button
            icon={active ? "pause" : "play"} busy={toggle.pending}
            onClick={() => void toggle.run(active ? "disabled" : "active").catch((error: unknown) => toastError("The webhook was not changed", error))}
          >
            {active ? "Disable" : "Enable"}
          </Button>
          <Menu
            label="Further actions" icon="dots" align="end"
            items={[
              { text: "Change…", icon: "edit", onSelect: () => setLayer("edit") },
              { kind: "line" },
              { text: "Delete…", icon: "trash", danger: true, onSelect: () => setLayer("delete") },
            ]}
          />
        </>
      )}
    >
      <Loaded state={webhook} what="webhook">{(shown) => <Body team={team} webhook={shown} />}</Loaded>
      {data && layer === "test" && <TestDialog team={team} webhook={data} onClose={close} />}
      {data && layer === "recover" && <RecoverDialog team={team} webhook={data} onClose={close} />}
      {data && layer === "edit" && <WebhookDialog team={team} webhook={data} onClose={close} onSaved={close} />}
      <ConfirmDialog
        open={layer === "delete"} title={`Delete the webhook ${data?.name ?? ""}?`} action="Delete" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={close} onConfirm={() => void remove.run().catch(() => undefined)}
      >
        <p>Deliveries that wait are cancelled. The list of past deliveries stays for 30 days. This cannot be undone.</p>
      </ConfirmDialog>
    </Page>
  );
}
