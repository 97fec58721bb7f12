// Line plots with one cursor for all plots of a group, zoom by drag, and the values as a table.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import { NOTHING, formatShort, formatSignificant } from "../../format/numbers.ts";
import type { Zone } from "../../format/time.ts";
import { Button } from "../button.tsx";
import { classes } from "../class_names.ts";
import { Table } from "../table.tsx";
import { colors, onThemeChange } from "./canvas.ts";

export interface PlotSeries {
  name: string;
  /** One value for each x; null where the series has none. */
  values: (number | null)[];
  /** Interrupts the line at nulls. By default it goes on, because series are logged at different steps. */
  gaps?: boolean;
  /** A colour token; by default they alternate. */
  tone?: string;
  dashed?: boolean;
}

export interface PlotProps {
  title: string;
  /** Steps or times, ascending. */
  x: number[];
  series: PlotSeries[];
  height?: number;
  /** Plots of one group share the cursor. */
  group?: string;
  /** What x counts, such as `step`: stands before it in the legend and names its column in the table. */
  nameX?: string;
  /** Formats x in the legend, the axis and the table. */
  formatX?: (x: number) => string;
  /** Formats y in the legend, the axis and the table. */
  formatY?: (y: number) => string;
  /** x are milliseconds since 1970: the axis has its marks at full hours and days of this zone. */
  times?: Zone;
  logarithmic?: boolean;
  /** The shown part of x; null shows all. */
  zoom?: [number, number] | null;
  onZoom?: (zoom: [number, number] | null) => void;
  actions?: ComponentChildren;
}

const TONES = ["accent", "tool", "ok", "agent", "info", "error"];
const TABLE_ROWS = 200;
/** Plots of fewer points show each of them. */
const MANY_POINTS = 40;
/** Least distance of marks on the x axis, in pixels, and the width of a character of their texts. */
const MIN_SPACE = 40;
const CHARACTER = 6;
/** Texts of times are of different lengths. */
const TIME_SPACE = 90;

/** Returns the shown part of x. A single point gets room at both sides: an axis needs a length. */
function shownPart(x: readonly number[], zoom: [number, number] | null, times: boolean): { min: number; max: number } {
  const [min, max] = zoom ?? [x[0] ?? 0, x.at(-1) ?? 1];
  if (max > min) return { min, max };
  const room = times ? 1_800_000 : 1;
  return { min: min - room, max: min + room };
}

/** Returns the points to mark: all of a short series, those without a neighbour of a long one. Null means all. */
function markedPoints(values: ArrayLike<number | null | undefined>, gaps: boolean): number[] | null {
  if (values.length < MANY_POINTS) return null;
  const present = Array.from(values, (value, index) => (value == null ? -1 : index)).filter((index) => index >= 0);
  if (!gaps) return present.length === 1 ? present : [];
  return present.filter((index) => values[index - 1] == null && values[index + 1] == null);
}

const toneOf = ({ tone }: PlotSeries, index: number) => tone ?? TONES[index % TONES.length]!;
/** Colours that occur again are told apart by dashes. */
const isDashed = ({ dashed, tone }: PlotSeries, index: number) => dashed ?? (tone === undefined && index >= TONES.length);

/** Returns the value at x, or the last one before it where the line goes on. */
function valueAt({ values, gaps = false }: PlotSeries, index: number): number | null {
  let at = index;
  while (!gaps && at > 0 && values[at] == null) at -= 1;
  return values[at] ?? null;
}

export function Plot({
  title, x, series, height = 180, group, nameX, formatX = formatShort, formatY, times, logarithmic = false, zoom = null, onZoom, actions,
}: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const formatValue = formatY ?? ((y: number) => formatSignificant(y, 4));
  const [theme, setTheme] = useState(0);
  const [table, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const id = useId();
  const zoomed = useRef(onZoom);
  zoomed.current = onZoom;
  useEffect(() => onThemeChange(() => setTheme((value) => value + 1)), []);

  const names = series.map(({ name, tone, dashed, gaps }) => [name, tone, dashed, gaps].join("|")).join("\n");
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || table) return undefined;
    const axis = { stroke: colors("faint"), grid: { stroke: colors("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const widest = formatX(x.at(-1) ?? 0).length;
    const spaceX = times ? TIME_SPACE : Math.max(MIN_SPACE, widest * CHARACTER + 16);
    const chart = new uPlot({
      width: Math.max(50, element.clientWidth), height,
      legend: { show: false },
      cursor: {
        ...(group === undefined ? {} : { sync: { key: group, setSeries: false } }),
        drag: { x: true, y: false, setScale: false }, points: { size: 6 },
      },
      ms: 1,
      ...(times === "utc" ? { tzDate: (at: number) => uPlot.tzDate(new Date(at), "Etc/UTC") } : {}),
      scales: { x: { time: times !== undefined }, y: { distr: logarithmic ? 3 : 1 } },
      axes: [
        { ...axis, size: 24, space: spaceX, values: (_: uPlot, ticks: number[]) => ticks.map(formatX) },
        { ...axis, size: 52, values: (_: uPlot, ticks: (number | null)[]) => ticks.map((tick) => (tick === null ? "" : (formatY ?? formatShort)(tick))) },
      ],
      series: [{}, ...series.map((entry, index) => ({
        label: entry.name, stroke: colors(toneOf(entry, index)), width: 1.5,
        points: { show: true, size: 4, filter: (chart: uPlot, place: number) => markedPoints(chart.data[place] ?? [], entry.gaps ?? false) },
        ...(isDashed(entry, index) ? { dash: [4, 3] } : {}), spanGaps: !entry.gaps,
      }))],
      hooks: {
        setCursor: [(chart: uPlot) => setAt(chart.cursor.idx ?? null)],
        setSelect: [(chart: uPlot) => {
          const { left, width } = chart.select;
          if (width > 4) zoomed.current?.([chart.posToVal(left, "x"), chart.posToVal(left + width, "x")]);
          chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        }],
      },
    }, [x, ...series.map(({ values }) => values)] as uPlot.AlignedData, element);
    plot.current = chart;
    const observer = new ResizeObserver(() => chart.setSize({ width: Math.max(50, element.clientWidth), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
      plot.current = null;
    };
    // Data has its own effect: a live plot must not be built again for each point.
  }, [names, height, group, logarithmic, theme, table, times]);

  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    chart.setData([x, ...series.map(({ values }) => values)] as uPlot.AlignedData, false);
    chart.setScale("x", shownPart(x, zoom, times !== undefined));
  }, [x, series, zoom, names, table, theme, times]);

  const index = at ?? x.length - 1;
  return (
    <figure class="ui-plot" aria-labelledby={id}>
      <figcaption class={classes("ui-plot-head", series.length > 1 && "ui-plot-many")}>
        <span id={id} class="ui-plot-title" title={title}>{title}</span>
        <span class="ui-plot-legend">
          {x.length > 0 && <span class="faint ui-plot-x">{nameX && `${nameX} `}{formatX(x[index] ?? 0)}</span>}
          {series.map((entry, place) => {
            const value = valueAt(entry, index);
            return (
              <span key={entry.name} class={`ui-plot-key ui-tone-${toneOf(entry, place)}`}>
                {series.length > 1 && <><span aria-hidden="true">{isDashed(entry, place) ? "╍" : "━"}</span><span class="ui-plot-name" title={entry.name}>{entry.name}</span></>}
                <span>{value === null ? NOTHING : formatValue(value)}</span>
              </span>
            );
          })}
        </span>
        <span class="ui-plot-actions">
          {actions}
          {zoom && onZoom && <Button kind="quiet" small icon="refresh" label="Show all" onClick={() => onZoom(null)} />}
          <Button kind="quiet" small icon={table ? "chart" : "table"} label={table ? "Show as a plot" : "Show as a table"} pressed={table} onClick={() => setTable(!table)} />
        </span>
      </figcaption>
      {table
        ? <PlotTable title={title} x={x} series={series} nameX={nameX ?? "x"} formatX={formatX} formatY={formatValue} />
        : <div ref={box} class="ui-plot-box" style={{ height: `${height}px` }} aria-hidden="true" onDblClick={() => onZoom?.(null)} />}
    </figure>
  );
}

function PlotTable({ title, x, series, nameX, formatX, formatY }: Required<Pick<PlotProps, "title" | "x" | "series" | "nameX" | "formatX" | "formatY">>) {
  const step = Math.max(1, Math.ceil(x.length / TABLE_ROWS));
  const rows = Array.from({ length: Math.ceil(x.length / step) }, (_, index) => Math.min(x.length - 1, index * step));
  return (
    <>
      <Table
        label={`Values of ${title}`} rows={rows} rowKey={String}
        columns={[
          { key: "x", title: nameX, number: true, cell: (row) => formatX(x[row] ?? 0) },
          ...series.map(({ name, values }, index) => ({
            key: `${index}`, title: name, number: true, cell: (row: number) => (values[row] == null ? NOTHING : formatY(values[row]!)),
          })),
        ]}
      />
      {step > 1 && <p class="ui-hint">Every {step}th point is shown.</p>}
    </>
  );
}
