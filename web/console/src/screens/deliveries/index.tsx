// The deliveries of a team, and one of them.

import { type Delivery, type DeliveryStatus, listDeliveries } from "../../api/automation";
import { usePages } from "../../api/cache";
import { useLive } from "../../api/live";
import { href, paths } from "../../app/location";
import { Page } from "../../app/page";
import { timeZone } from "../../app/preferences";
import type { ScreenProps } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { ALL_TIME, type TimeRange, boundsOf, parseTimeRange, printTimeRange } from "../../format/time_range";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Select } from "../../ui/inputs";
import { TimeRangePicker } from "../../ui/time_range";
import { DeliveryTable } from "../shared_automation/delivery_table";
import { DELIVERY_STATES } from "../shared_automation/events";
import { useAutomations, useWebhooks } from "../shared_automation/use_team_rules";
import { useNow } from "../shared_parts/ago";
import { DeliveryDetail } from "./detail";

const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? ALL_TIME : (parseTimeRange(text) ?? ALL_TIME)),
  write: (range: TimeRange) => (range.kind === "all" ? null : printTimeRange(range)),
};

const STATES = Object.keys(DELIVERY_STATES) as DeliveryStatus[];

function DeliveryList({ team }: { team: string }) {
  const [status, setStatus] = useUrlState("status", codecs.oneOf<DeliveryStatus | "">("", ...STATES));
  const [webhook, setWebhook] = useUrlState("webhook", codecs.text());
  const [automation, setAutomation] = useUrlState("automation", codecs.text());
  const [range, setRange] = useUrlState("time", RANGE);
  const webhooks = useWebhooks(team);
  const automations = useAutomations(team, webhooks.data);
  const now = useNow();
  const key = printTimeRange(range);
  const pages = usePages<Delivery>({
    key: ["deliveries", "team", team, status, webhook, automation, key],
    read: (cursor, signal) => {
      const { from, to } = boundsOf(range, Date.now());
      return listDeliveries({
        team, cursor, limit: 100,
        ...(status ? { status } : {}),
        ...(webhook ? { webhook_id: webhook } : {}),
        ...(automation ? { automation_id: automation } : {}),
        ...(from === null ? {} : { since: new Date(from).toISOString() }),
        ...(to === null ? {} : { until: new Date(to).toISOString() }),
      }, signal);
    },
  });
  useLive("deliveries", team, () => pages.refetch());
  const filtered = status !== "" || webhook !== "" || automation !== "" || range.kind !== "all";
  const names = new Map(webhooks.data?.map(({ id, name }) => [id, name]));
  return (
    <Page title="Deliveries" lead="Each message to a webhook, with its attempts. They are kept for 30 days."
      actions={<Button icon="refresh" busy={pages.refetching} onClick={pages.refetch}>Read again</Button>}>
      <div class="filters">
        <Select label="Status" value={status} onChange={(value) => setStatus(value)}
          options={[{ value: "", text: "All states" }, ...STATES.map((value) => ({ value, text: DELIVERY_STATES[value]?.word ?? value }))]} />
        <Select label="Webhook" value={webhook} onChange={(value) => setWebhook(value)}
          options={[{ value: "", text: "All webhooks" }, ...(webhooks.data ?? []).map(({ id, name }) => ({ value: id, text: name }))]} />
        <Select label="Automation" value={automation} onChange={(value) => setAutomation(value)}
          options={[{ value: "", text: "All automations" }, ...(automations.data ?? []).map(({ id, name }) => ({ value: id, text: name }))]} />
        <TimeRangePicker value={range} onChange={(value) => setRange(value)} zone={timeZone.value} />
      </div>
      <DeliveryTable
        state={pages} now={now} webhooks={names}
        empty={filtered ? (
          <Empty title="No delivery matches" actions={<Button href={href(paths.deliveries(team))}>Show all deliveries</Button>} />
        ) : (
          <Empty title="Nothing was sent yet" icon="send"
            actions={<Button href={href(paths.automations(team))}>Automations</Button>}
            snippets={[{ title: "List them by command", text: "spindle deliveries ls" }]}>
            <p>A delivery appears here when an automation reacts to an event.</p>
          </Empty>
        )}
      />
    </Page>
  );
}

export default function Deliveries({ params }: ScreenProps) {
  const { team = "", id } = params;
  return id ? <DeliveryDetail key={id} id={id} /> : <DeliveryList team={team} />;
}
