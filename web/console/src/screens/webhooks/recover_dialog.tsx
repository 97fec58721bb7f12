// Sends the missed deliveries of a span of time again.

import { useState } from "preact/hooks";

import { type Webhook, deliveryStats, recoverWebhook } from "../../api/automation";
import { useMutation, useQuery } from "../../api/cache";
import { timeZone } from "../../app/preferences";
import { toast } from "../../app/toasts";
import { plural } from "../../format/numbers";
import { type TimeRange, boundsOf, inputTime, spanFromTexts } from "../../format/time_range";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { Segments } from "../../app/segments";
import { recoverable } from "../shared_automation/health";
import { FormDialog } from "../shared_parts/form_dialog";

const HOUR_MS = 3_600_000;
const SPANS = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 168 * HOUR_MS } as const;
type Span = keyof typeof SPANS | "custom";

export function RecoverDialog({ team, webhook, onClose }: { team: string; webhook: Webhook; onClose: () => void }) {
  const zone = timeZone.value;
  const [now] = useState(Date.now);
  const [span, setSpan] = useState<Span>("24h");
  const [start, setStart] = useState(() => inputTime(now - 24 * HOUR_MS, zone));
  const [end, setEnd] = useState("");
  const range: TimeRange | string = span === "custom" ? spanFromTexts(start, end, zone) : { kind: "span", from: now - SPANS[span], to: null };
  const bounds = typeof range === "string" ? null : boundsOf(range, now);
  const since = bounds?.from ? new Date(bounds.from).toISOString() : null;
  const until = bounds?.to ? new Date(bounds.to).toISOString() : null;
  const missed = useQuery({
    key: ["missed deliveries", team, webhook.id, since],
    read: async (signal) => (await deliveryStats({ team, since: since ?? "" }, signal)).items.find(({ webhook_id }) => webhook_id === webhook.id) ?? null,
    enabled: since !== null,
  });
  const recover = useMutation({
    change: () => recoverWebhook(team, webhook.id, { since: since ?? "", ...(until ? { until } : {}) }),
    invalidates: [["deliveries"], ["delivery stats"]],
    done: ({ requeued }) => {
      toast({ kind: "ok", text: requeued === 0 ? "Nothing was missed in this time." : `${plural(requeued, "delivery", "deliveries")} will be sent again.` });
      onClose();
    },
  });
  const count = missed.data ? recoverable(missed.data) : 0;
  return (
    <FormDialog
      title={`Send again what ${webhook.name} missed`}
      action="Send again"
      onClose={onClose}
      onSubmit={() => void recover.run().catch(() => undefined)}
      valid={since !== null}
      typed={false}
      state={recover}
    >
      <p>Sends every delivery of this time that failed or was skipped, and those that were cancelled while the webhook was disabled.</p>
      <Segments label="Time" value={span} onChange={setSpan} options={[["1h", "Last hour"], ["24h", "24 hours"], ["7d", "7 days"], ["custom", "Other"]]} />
      {span === "custom" && (
        <div class="pair">
          <Field label={`From (${zone === "utc" ? "UTC" : "local time"})`} error={typeof range === "string" ? range : null}>
            <TextInput value={start} mono onInput={setStart} placeholder="2026-11-18 08:30" />
          </Field>
          <Field label="To" hint="Empty: until now"><TextInput value={end} mono onInput={setEnd} placeholder="2026-11-18 09:30" /></Field>
        </div>
      )}
      {since !== null && missed.data !== undefined && (
        <p role="status" class="soft">
          {count === 0
            ? "No delivery failed, was skipped or cancelled since then."
            : `${plural(count, "delivery", "deliveries")} failed, ${count === 1 ? "was" : "were"} skipped or cancelled since then.`}
        </p>
      )}
    </FormDialog>
  );
}
