// Chooses a time range: the last hours or days, or a span between two moments.

import { useRef, useState } from "preact/hooks";

import type { Zone } from "../format/time.ts";
import { PRESETS, type TimeRange, boundsOf, formatTimeRange, inputTime, printTimeRange, spanFromTexts } from "../format/time_range.ts";
import { Button } from "./button.tsx";
import { Field } from "./field.tsx";
import { Icon } from "./icons.tsx";
import { TextInput } from "./inputs.tsx";
import { Popover } from "./popover.tsx";

export interface TimeRangePickerProps {
  value: TimeRange;
  onChange: (range: TimeRange) => void;
  zone?: Zone;
  /** Shows a control for the zone. */
  onZone?: (zone: Zone) => void;
  /** The current time, for the texts of a relative range. */
  now?: number;
}

export function TimeRangePicker({ value, onChange, zone = "utc", onZone, now = Date.now() }: TimeRangePickerProps) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLElement>(null);
  const choose = (range: TimeRange) => {
    setOpen(false);
    onChange(range);
    button.current?.focus();
  };
  return (
    <>
      <Button
        buttonRef={button} icon="clock" label={`Time range: ${formatTimeRange(value, zone)}`} onClick={() => setOpen(!open)}
        attributes={{ "aria-haspopup": "dialog", "aria-expanded": open }}
      >
        {formatTimeRange(value, zone)}<Icon name="chevronDown" size={12} />
      </Button>
      <Popover open={open} onClose={() => setOpen(false)} anchor={button} align="end" label="Time range">
        <RangeForm value={value} choose={choose} zone={zone} onZone={onZone} now={now} />
      </Popover>
    </>
  );
}

interface RangeFormProps {
  value: TimeRange;
  choose: (range: TimeRange) => void;
  zone: Zone;
  onZone: ((zone: Zone) => void) | undefined;
  now: number;
}

function RangeForm({ value, choose, zone, onZone, now }: RangeFormProps) {
  const bounds = boundsOf(value, now);
  const [start, setStart] = useState(bounds.from === null ? "" : inputTime(bounds.from, zone));
  const [end, setEnd] = useState(bounds.to === null ? "" : inputTime(bounds.to, zone));
  const [error, setError] = useState<string | null>(null);
  const submit = () => {
    const range = spanFromTexts(start, end, zone);
    if (typeof range === "string") setError(range);
    else choose(range);
  };
  return (
    <form
      class="ui-range"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div class="ui-range-presets" role="group" aria-label="Last">
        {PRESETS.map((preset) => (
          <Button key={printTimeRange(preset)} kind="quiet" pressed={printTimeRange(preset) === printTimeRange(value)} onClick={() => choose(preset)}>
            {formatTimeRange(preset)}
          </Button>
        ))}
      </div>
      <div class="ui-range-span">
        <Field label="From" error={error}><TextInput value={start} onInput={setStart} placeholder="2026-11-18 08:30" mono /></Field>
        <Field label="To" hint="Empty: until now"><TextInput value={end} onInput={setEnd} placeholder="2026-11-18 09:30" mono /></Field>
        <div class="ui-range-foot">
          {onZone ? (
            <Button kind="quiet" onClick={() => onZone(zone === "utc" ? "local" : "utc")}>
              {zone === "utc" ? "Zone: UTC" : "Zone: local"}
            </Button>
          ) : <span class="ui-hint">{zone === "utc" ? "UTC" : "Local time"}</span>}
          <Button type="submit" kind="primary">Apply</Button>
        </div>
      </div>
    </form>
  );
}
