// The body that the automation would send, rendered by the server while the form is filled.

import { useEffect, useState } from "preact/hooks";

import { type Event, type NewAutomation, listEvents, previewAutomation } from "../../api/automation";
import { useQuery } from "../../api/cache";
import { timeZone } from "../../app/preferences";
import { formatTime } from "../../format/time";
import { Skeleton } from "../../ui/feedback";
import { Icon } from "../../ui/icons";
import { Select } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { BodyView } from "../shared_automation/exchange";
import { prettyTemplate } from "./template";

const TYPING_MS = 200;
const EVENTS = 10;
const EXAMPLE = "(example)";

/** Returns the value when it has not changed for a moment. */
function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The newest events of the kind: one of them gives the values. */
function useNewestEvents(team: string, type: string) {
  return useQuery<Event[]>({
    key: ["newest events", team, type],
    read: async (signal) => (await listEvents({ team, type: type as NonNullable<Parameters<typeof listEvents>[0]>["type"] & string, limit: EVENTS }, signal)).items,
    keep: false,
  });
}

export interface PreviewProps {
  team: string;
  body: NewAutomation;
  /** What the condition still misses, in words, or null. */
  incomplete: string | null;
}

export function Preview({ team, body, incomplete }: PreviewProps) {
  const events = useNewestEvents(team, body.event.type);
  const [chosen, setChosen] = useState("");
  const event = chosen === EXAMPLE ? null : (events.data?.find(({ id }) => id === chosen) ?? events.data?.[0] ?? null);
  const asked = useSettled(JSON.stringify({ ...body, ...(event ? { event_id: event.id } : {}) }));
  const preview = useQuery({
    key: ["automation preview", asked],
    read: (signal) => previewAutomation(JSON.parse(asked) as Parameters<typeof previewAutomation>[0], signal),
    staleTime: 60_000,
    enabled: incomplete === null && events.data !== undefined,
  });
  const { data, error } = preview;
  return (
    <section class="preview" aria-label="Preview">
      <div class="preview-head">
        <h3>Preview</h3>
        <Select
          label="Values of the preview" value={event?.id ?? EXAMPLE} onChange={setChosen}
          options={[
            ...(events.data ?? []).map(({ id, time }, index) => ({ value: id, text: `with the ${index === 0 ? "newest event" : "event"} of ${formatTime(time, timeZone.value)}` })),
            { value: EXAMPLE, text: events.data?.length === 0 ? "with example values: no such event has happened yet" : "with example values" },
          ]}
        />
      </div>
      {incomplete !== null && <p class="soft">{incomplete} Then the body is shown here.</p>}
      {incomplete === null && error && <p class="ui-field-error" role="alert"><Icon name="alert" size={14} /> <SafeText text={error.fields[0]?.message ?? error.message} /></p>}
      {incomplete === null && preview.loading && <Skeleton lines={4} label="Rendering the body" />}
      {incomplete === null && !error && data && (
        <>
          {event && data.matches !== null && (
            <p class={data.matches ? "preview-match" : "preview-warning"} role="status">
              <Icon name={data.matches ? "check" : "alert"} size={14} /> {data.matches ? "The automation would react to this event." : "The automation would not react to this event: another place, or the condition is not met."}
            </p>
          )}
          {data.warnings.map(({ message }) => <p key={message} class="preview-warning" role="status"><Icon name="alert" size={14} /> <SafeText text={message} /></p>)}
          {data.body === null
            ? <p class="soft">Nothing is sent: choose a webhook to see the body.</p>
            : <div class="card"><BodyView text={prettyTemplate(data.body)} label="rendered body" /></div>}
        </>
      )}
    </section>
  );
}
