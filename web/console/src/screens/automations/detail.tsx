// One automation: what it does, the body it sends, its deliveries.

import { useState } from "preact/hooks";

import {
  type Automation, changeAutomation, deleteAutomation, getAutomation, listAutomationDeliveries, listEvents, renderAutomation,
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
import { formatTime } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Definitions } from "../../ui/table";
import { Tabs } from "../../ui/tabs";
import { DeliveryTable } from "../shared_automation/delivery_table";
import { conditionText, eventText, scopeText } from "../shared_automation/events";
import { BodyView } from "../shared_automation/exchange";
import { useWebhooks } from "../shared_automation/use_team_rules";
import { Ago, useNow } from "../shared_parts/ago";
import { AutomationDialog } from "./automation_dialog";
import { prettyTemplate } from "./template";

function Deliveries({ automation, team, now }: { automation: Automation; team: string; now: number }) {
  const pages = usePages({
    key: ["deliveries", "automation", automation.id],
    read: (cursor, signal) => listAutomationDeliveries(automation.id, { cursor, limit: 50 }, signal),
  });
  useLive("deliveries", team, () => pages.refetch());
  return (
    <div class="tab-content">
      <DeliveryTable
        state={pages} now={now} without="automation"
        empty={
          <Empty title="It has not run yet" icon="clock">
            <p>Waits for: {eventText(automation.event.type)}. The automation sees events since it was created, enabled or last changed.</p>
          </Empty>
        }
      />
    </div>
  );
}

/** The server's own rendering, with the newest event of the kind. */
function Payload({ automation, team }: { automation: Automation; team: string }) {
  const { type } = automation.event;
  const rendered = useQuery({
    key: ["rendered payload", automation.id, automation.updated_at],
    read: async (signal) => {
      const events = await listEvents({ team, type: type as never, limit: 1 }, signal);
      const event = events.items[0];
      const payload = await renderAutomation(automation.id, event ? { event_id: event.id } : {}, signal);
      return { ...payload, event };
    },
  });
  return (
    <div class="tab-content">
      <Loaded state={rendered} what="payload">
        {({ body, warnings, event }) => (
          <div class="stack">
            <p class="soft">
              {event
                ? `Rendered by the server with the event of ${formatTime(event.time, timeZone.value)}.`
                : "Rendered by the server with example values: no such event has happened yet."}
            </p>
            {warnings.map(({ message }) => <p key={message} class="preview-warning"><Icon name="alert" size={14} /> <SafeText text={message} /></p>)}
            <div class="exchange">
              <section class="message card">
                <div class="message-head"><h2>Template</h2><span class="faint">{automation.action.preset?.replaceAll("_", " ") ?? (automation.action.payload === null ? "default" : "own")}</span></div>
                {automation.action.payload === null
                  ? <p class="message-none">The default: all common values of the event.</p>
                  : <pre class="body-text" tabIndex={0} aria-label="template"><SafeText text={prettyTemplate(automation.action.payload)} /></pre>}
              </section>
              <section class="message card">
                <div class="message-head"><h2>Sent body</h2></div>
                <BodyView text={prettyTemplate(body)} label="sent body" />
              </section>
            </div>
          </div>
        )}
      </Loaded>
    </div>
  );
}

function Body({ team, automation }: { team: string; automation: Automation }) {
  const now = useNow();
  const webhooks = useWebhooks(team);
  const [tab, setTab] = useUrlState("tab", codecs.oneOf("deliveries", "payload"));
  const webhook = webhooks.data?.find(({ id }) => id === automation.action.webhook_id);
  const condition = conditionText(automation.event);
  return (
    <>
      <div class="card card-pad automation-about">
        <Definitions
          items={[
            ["When", <>{eventText(automation.event.type)}{condition && <> · <code><SafeText text={condition} line /></code></>}</>],
            ["Where", <SafeText text={scopeText(automation.scope)} line />],
            [
              "Calls",
              automation.action.webhook_id
                ? (
                  <>
                    <a href={href(paths.webhooks(team, automation.action.webhook_id))}><SafeText text={webhook?.name ?? automation.action.webhook_id} line /></a>
                    {webhook?.status === "disabled" && <> <Status state="disabled" tone="error" word="disabled: deliveries are cancelled" /></>}
                  </>
                )
                : <span class="faint">nothing: events are only recorded</span>,
            ],
            ["Last ran", <Ago time={automation.last_executed_at} now={now} none="never" />],
            ["Created", <>{formatTime(automation.created_at, timeZone.value)}{automation.created_by && <> by <SafeText text={automation.created_by} line /></>}</>],
          ]}
        />
      </div>
      <Tabs
        label="Parts of the automation" open={tab} onOpen={(name) => setTab(name, { replace: true })}
        tabs={[{ name: "deliveries", text: "Deliveries" }, { name: "payload", text: "Payload" }]}
      >
        {tab === "deliveries" ? <Deliveries automation={automation} team={team} now={now} /> : <Payload automation={automation} team={team} />}
      </Tabs>
    </>
  );
}

export function AutomationDetail({ team, id }: { team: string; id: string }) {
  const automation = useQuery({ key: ["automations", id], read: (signal) => getAutomation(id, signal) });
  const { data } = automation;
  const rights = useRights(team);
  const [layer, setLayer] = useState<"edit" | "delete" | null>(null);
  const close = () => setLayer(null);
  useHeading(data?.name ?? "Automation");
  const toggle = useMutation({
    change: (enabled: boolean) => changeAutomation(id, { enabled }),
    invalidates: [["automations"]],
    done: ({ enabled }) => toast({ kind: "ok", text: enabled ? "The automation is enabled. It sees events from now on." : "The automation is disabled." }),
  });
  const remove = useMutation({
    change: () => deleteAutomation(id),
    invalidates: [["automations"]],
    done: () => {
      toast({ kind: "ok", text: `The automation ${data?.name ?? ""} is deleted.` });
      navigate(paths.automations(team), { replace: true });
    },
  });
  return (
    <Page
      title={data ? <SafeText text={data.name} line /> : "Automation"}
      lead={data && <><Status state={data.enabled ? "enabled" : "disabled"} />{data.description && <> · <SafeText text={data.description} line /></>}</>}
      actions={data && rights.administer && (
        <>
          <Button icon={data.enabled ? "pause" : "play"} busy={toggle.pending}
            onClick={() => void toggle.run(!data.enabled).catch((error: unknown) => toastError("The automation was not changed", error))}>
            {data.enabled ? "Disable" : "Enable"}
          </Button>
          <Button icon="edit" onClick={() => setLayer("edit")}>Change</Button>
          <Menu label="Further actions" icon="dots" align="end" items={[{ text: "Delete…", icon: "trash", danger: true, onSelect: () => setLayer("delete") }]} />
        </>
      )}
    >
      <Loaded state={automation} what="automation">{(shown) => <Body team={team} automation={shown} />}</Loaded>
      {data && layer === "edit" && <AutomationDialog team={team} automation={data} onClose={close} onSaved={close} />}
      <ConfirmDialog
        open={layer === "delete"} title={`Delete the automation ${data?.name ?? ""}?`} action="Delete" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={close} onConfirm={() => void remove.run().catch(() => undefined)}
      >
        <p>Deliveries that wait are cancelled. This cannot be undone.</p>
      </ConfirmDialog>
    </Page>
  );
}
