// The events of a job: read once each, then as series for plots.

import { useRef } from "preact/hooks";

import { type QueryState, useQuery } from "../../api/cache";
import { type TrainingJobEvent, listTrainingEvents } from "../../api/training";

const PAGE = 100;
/** Further steps are not plotted: the run of the model has all of them. */
export const MOST_EVENTS = 20_000;
const EVERY_MS = 2000;

/** Reads the events and, while the job is open, those that follow. Events never change. */
export function useJobEvents(id: string, open: boolean): QueryState<TrainingJobEvent[]> {
  const known = useRef<TrainingJobEvent[]>([]);
  return useQuery({
    key: ["training events", id],
    read: async (signal) => {
      let events = known.current;
      for (let more = true; more && events.length < MOST_EVENTS; ) {
        const after = events.at(-1)?.id;
        const page = await listTrainingEvents(id, { limit: PAGE, ...(after ? { after } : {}) }, signal);
        if (page.data.length > 0) events = [...events, ...page.data];
        more = page.has_more && page.data.length > 0;
      }
      known.current = events;
      return events;
    },
    every: open ? EVERY_MS : false,
    staleTime: 0,
  });
}

/** Returns the time of an event: ids begin with milliseconds since 1970. */
export function timeOfId(id: string): number | null {
  const digits = id.replaceAll("-", "").slice(0, 12);
  return /^[0-9a-f]{12}$/i.test(digits) && id[14] === "7" ? Number.parseInt(digits, 16) : null;
}

/** Metrics that are shown first, in this order. */
const FIRST = ["loss", "reward", "grad_norm", "learning_rate", "tokens_per_second", "entropy", "kl_div", "policy_loss"];
const NEVER = new Set(["gradient_step"]);

export interface Series {
  name: string;
  values: (number | null)[];
}

/** Returns the numbers of all gradient steps by name, with the steps as x. */
export function seriesOf(events: readonly TrainingJobEvent[]): { x: number[]; series: Series[] } {
  const steps = events.filter(({ type }) => type === "gradient_step");
  const names = new Set<string>();
  for (const { data } of steps) for (const [name, value] of Object.entries(data)) if (typeof value === "number" && !NEVER.has(name)) names.add(name);
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const sorted = [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  const x = steps.map(({ data }, index) => (typeof data.gradient_step === "number" ? data.gradient_step : index + 1));
  return {
    x,
    series: sorted.map((name) => ({ name, values: steps.map(({ data }) => (typeof data[name] === "number" ? (data[name] as number) : null)) })),
  };
}

/** Says what an event means, in a few words. */
export function eventDetail({ type, data }: TrainingJobEvent): string {
  const number = (name: string, digits = 4) => (typeof data[name] === "number" ? `${name.replaceAll("_", " ")} ${Number((data[name] as number).toPrecision(digits))}` : null);
  if (type === "gradient_step") return [`${String(data.gradient_step ?? "")}`, number("loss"), number("reward")].filter(Boolean).join(" · ");
  if (type === "training_started") return [typeof data.num_sequences === "number" ? `${data.num_sequences} sequences` : null, data.note].filter(Boolean).join(" · ");
  if (type === "training_failed") return String(data.error_message ?? data.message ?? "");
  return "";
}
