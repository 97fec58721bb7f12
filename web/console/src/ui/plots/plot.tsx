// Line plots with one cursor for all plots of a group, zoom by drag, and the values as a table.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

import { NOTHING, formatShort, formatSignificant } from "../../format/numbers.ts";
import { Button } from "../button.tsx";
import { Table } from "../table.tsx";
import { colorsOf, onThemeChange } from "./canvas.ts";

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
  /** Steps or milliseconds, ascending. */
  x: number[];
  series: PlotSeries[];
  height?: number;
  /** Plots of one group share the cursor. */
  group?: string;
  /** Formats x in the legend, the axis and the table. */
  formatX?: (x: number) => string;
  formatY?: (y: number) => string;
  logarithmic?: boolean;
  /** The shown part of x; null shows all. */
  zoom?: [number, number] | null;
  onZoom?: (zoom: [number, number] | null) => void;
  actions?: ComponentChildren;
}

const TONES = ["accent", "tool", "ok", "agent", "info", "error"];
const TABLE_ROWS = 200;

export function Plot({
  title, x, series, height = 180, group, formatX = formatShort, formatY = (y) => formatSignificant(y, 4), logarithmic = false, zoom = null, onZoom, actions,
}: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
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
    const colors = colorsOf(element);
    const axis = { stroke: colors("faint"), grid: { stroke: colors("line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const chart = new uPlot({
      width: Math.max(50, element.clientWidth), height,
      legend: { show: false },
      cursor: {
        ...(group === undefined ? {} : { sync: { key: group, setSeries: false } }),
        drag: { x: true, y: false, setScale: false }, points: { size: 6 },
      },
      scales: { x: { time: false }, y: { distr: logarithmic ? 3 : 1 } },
      axes: [
        { ...axis, size: 24, values: (_: uPlot, ticks: number[]) => ticks.map(formatX) },
        { ...axis, size: 48, values: (_: uPlot, ticks: (number | null)[]) => ticks.map((tick) => (tick === null ? "" : formatShort(tick))) },
      ],
      series: [{}, ...series.map(({ name, tone, dashed, gaps = false }, index) => ({
        label: name, stroke: colors(tone ?? TONES[index % TONES.length] ?? "accent"), width: 1.5, points: { show: x.length < 40, size: 4 },
        ...(dashed ? { dash: [4, 3] } : {}), spanGaps: !gaps,
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
  }, [names, height, group, logarithmic, theme, table]);

  useEffect(() => {
    const chart = plot.current;
    if (!chart) return;
    chart.setData([x, ...series.map(({ values }) => values)] as uPlot.AlignedData, false);
    chart.setScale("x", zoom ? { min: zoom[0], max: zoom[1] } : { min: x[0] ?? 0, max: x.at(-1) ?? 1 });
  }, [x, series, zoom, names, table, theme]);

  const index = at ?? x.length - 1;
  return (
    <figure class="ui-plot" aria-labelledby={id}>
      <figcaption class="ui-plot-head">
        <span id={id} class="ui-plot-title">{title}</span>
        <span class="ui-plot-legend">
          {x.length > 0 && <span class="faint">{formatX(x[index] ?? 0)}</span>}
          {series.map(({ name, tone, values }, place) => (
            <span key={name} class={`ui-plot-key ui-tone-${tone ?? TONES[place % TONES.length]}`}>
              <span aria-hidden="true">━</span> <span class="ui-plot-name">{name}</span> {values[index] == null ? NOTHING : formatY(values[index]!)}
            </span>
          ))}
        </span>
        <span class="ui-grow" />
        {actions}
        {zoom && onZoom && <Button kind="quiet" small icon="refresh" label="Show all" onClick={() => onZoom(null)} />}
        <Button kind="quiet" small icon={table ? "chart" : "table"} label={table ? "Show as a plot" : "Show as a table"} pressed={table} onClick={() => setTable(!table)} />
      </figcaption>
      {table
        ? <PlotTable title={title} x={x} series={series} formatX={formatX} formatY={formatY} />
        : <div ref={box} class="ui-plot-box" style={{ height: `${height}px` }} aria-hidden="true" onDblClick={() => onZoom?.(null)} />}
    </figure>
  );
}

function PlotTable({ title, x, series, formatX, formatY }: Required<Pick<PlotProps, "title" | "x" | "series" | "formatX" | "formatY">>) {
  const step = Math.max(1, Math.ceil(x.length / TABLE_ROWS));
  const rows = Array.from({ length: Math.ceil(x.length / step) }, (_, index) => Math.min(x.length - 1, index * step));
  return (
    <>
      <Table
        label={`Values of ${title}`} rows={rows} rowKey={String}
        columns={[
          { key: "x", title: "x", number: true, cell: (row) => formatX(x[row] ?? 0) },
          ...series.map(({ name, values }, index) => ({
            key: `${index}`, title: name, number: true, cell: (row: number) => (values[row] == null ? NOTHING : formatY(values[row]!)),
          })),
        ]}
      />
      {step > 1 && <p class="ui-hint">Every {step}th point is shown.</p>}
    </>
  );
}
