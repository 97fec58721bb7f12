// The events of a job as a log, newest first.

import type { TrainingJobEvent } from "../../api/training";
import { timeZone } from "../../app/preferences";
import { formatClockTime, formatExactTime } from "../../format/time";
import { VirtualList } from "../../ui/list/virtual_list";
import { SafeText } from "../../ui/safe_text";
import { eventDetail, timeOfId } from "./events";

const ROW = 26;

const TONES: Record<string, string> = { training_failed: "ui-tone-error", training_ended: "ui-tone-ok" };

export function EventList({ events, open }: { events: readonly TrainingJobEvent[]; open: boolean }) {
  if (events.length === 0) return <p class="card-pad soft">{open ? "Waiting for the first event." : "No events."}</p>;
  const zone = timeZone.value;
  return (
    <div class="events" style={{ height: `${events.length * ROW}px` }}>
      <VirtualList
        label="Events of the job, newest first" role="log" count={events.length} rowHeight={ROW}
        row={(index) => {
          const event = events[events.length - 1 - index];
          if (!event) return null;
          const time = timeOfId(event.id);
          return (
            <div class="event">
              <time class="faint" title={formatExactTime(time, zone)}>{formatClockTime(time, zone)}</time>
              <span class={TONES[event.type] ?? "soft"}>{event.type.replaceAll("_", " ")}</span>
              <span class="truncate" title={eventDetail(event)}><SafeText text={eventDetail(event)} line /></span>
            </div>
          );
        }}
      />
    </div>
  );
}
