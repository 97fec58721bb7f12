// Deliveries as a table: the list of a team, of a webhook, of an automation.

import type { Delivery } from "../../api/automation";
import type { PagesState } from "../../api/cache";
import { href, paths } from "../../app/location";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import type { TableColumn } from "../../ui/table";
import { Ago } from "../shared_parts/ago";
import { PagedTable } from "../shared_parts/paged_table";
import { DELIVERY_STATES, eventText } from "./events";

export function DeliveryStatus({ delivery }: { delivery: Pick<Delivery, "status"> }) {
  const known = DELIVERY_STATES[delivery.status];
  return known ? <Status state={delivery.status} tone={known.tone} word={known.word} /> : <Status state={delivery.status} />;
}

export interface DeliveryTableProps {
  state: PagesState<Delivery>;
  now: number;
  /** Leaves out what all rows have in common. */
  without?: "automation" | "webhook";
  /** Names of webhooks by id. */
  webhooks?: ReadonlyMap<string, string>;
  empty: preact.ComponentChildren;
}

export function DeliveryTable({ state, now, without, webhooks, empty }: DeliveryTableProps) {
  const columns: TableColumn<Delivery>[] = [
    { key: "status", title: "Status", cell: (row) => <DeliveryStatus delivery={row} /> },
    { key: "created", title: "Created", cell: (row) => <Ago time={row.created_at} now={now} /> },
    { key: "event", title: "Event", wide: true, cell: (row) => <span class="nowrap">{eventText(row.event_type)}</span> },
    { key: "automation", title: "Automation", cell: (row) => <span class="cut"><SafeText text={row.automation_name} line /></span> },
    {
      key: "webhook",
      title: "Webhook",
      cell: ({ webhook_id, url }) => {
        const name = (webhook_id && webhooks?.get(webhook_id)) || url;
        return name ? <span class="cut"><SafeText text={name} line /></span> : <span class="faint">nothing sent</span>;
      },
    },
    { key: "attempts", title: "Attempts", number: true, cell: (row) => row.attempt_count },
    {
      key: "error",
      title: "Last error",
      cell: ({ last_error, next_attempt_at, status }) => (
        <span class="two-lines">
          {last_error && <span class="cut"><SafeText text={last_error.message} line /></span>}
          {status === "retrying" && next_attempt_at && <span class="faint">again <Ago time={next_attempt_at} now={now} /></span>}
        </span>
      ),
    },
  ];
  return (
    <PagedTable
      state={state}
      what="deliveries"
      label="Deliveries"
      columns={columns.filter(({ key }) => key !== without)}
      rowKey={({ id }) => id}
      rowHref={({ id }) => href(paths.delivery(id))}
      empty={empty}
    />
  );
}
