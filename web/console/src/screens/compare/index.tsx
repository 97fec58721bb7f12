// Two to four traces, or calls with all below them, beside each other, with aligned steps.

import { useMemo, useRef } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { href, paths } from "../../app/location";
import { Hidden } from "../../app/not_found";
import { Segments } from "../../app/segments";
import { useHeading, useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCost } from "../../format/money";
import { formatDuration } from "../../format/durations";
import { formatChange, formatCount, formatPercent, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty, ErrorNote, Skeleton } from "../../ui/feedback";
import type { GridColumn } from "../../ui/list/columns";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { SafeText } from "../../ui/safe_text";
import { SplitPane } from "../../ui/split_pane";
import { Status } from "../../ui/status";
import { opName } from "../shared_calls/call_facts";
import { listSearch } from "../shared_calls/neighbours";
import { type Outline, makeOutline } from "../shared_calls/outline";
import { readTrace } from "../shared_calls/read_trace";
import { subtreeOf } from "../shared_calls/subtree";
import { type AlignedStep, alignSteps, isDifferent } from "./align";
import { type Side, StepDiff } from "./step_diff";

const MOST = 4;
const LETTERS = ["A", "B", "C", "D"];
const IDS = codecs.list();
const STEP = codecs.text();
const OTHER = codecs.number(1);
const SIDE = codecs.oneOf<Side>("output", "inputs", "attributes");
const CHANGED = codecs.flag();

interface Compared {
  /** The id in the address: of a trace, or of a call in it. */
  id: string;
  trace: string;
  outline: Outline;
}

function lengthOf(outline: Outline, node: number): number {
  return Number.isNaN(outline.end[node]!) ? outline.now - outline.start[node]! : outline.end[node]! - outline.start[node]!;
}

/** A change against the base, such as `+1.2 s` or `−12 %`. */
function Change({ base, value }: { base: number | null; value: number | null }) {
  if (base === null || value === null || base === 0 || base === value) return null;
  const share = (value - base) / base;
  if (Math.abs(share) < 0.005) return null;
  return <span class={share > 0 ? "ui-tone-error" : "ui-tone-ok"}>{share > 0 ? "+" : "−"}{formatPercent(Math.abs(share))}</span>;
}

function TraceCard({ project, compared, base, letter, onRemove }: { project: string; compared: Compared; base: Outline | null; letter: string; onRemove: (() => void) | null }) {
  const { id, trace, outline } = compared;
  return (
    <article class="compare-card">
      <header>
        <span class="compare-letter">{letter}</span>
        <a class="truncate" href={href(paths.trace(project, trace), id === trace ? {} : { span: id })}><SafeText text={opName(outline.name(outline.root))} line /></a>
        <Status state={outline.running > 0 ? "running" : outline.status(outline.root)} />
        <span class="ui-grow" />
        {onRemove && <Button kind="quiet" small icon="close" label={`Remove trace ${letter}`} onClick={onRemove} />}
      </header>
      <dl class="compare-facts">
        <div><dt>Duration</dt><dd>{formatDuration(outline.duration)} <Change base={base?.duration ?? null} value={outline.duration} /></dd></div>
        <div><dt>Tokens</dt><dd>{formatCount(outline.totalTokens)} <Change base={base?.totalTokens ?? null} value={outline.totalTokens} /></dd></div>
        <div><dt>Cost</dt><dd>{formatCost(outline.totalCost)} <Change base={base?.totalCost ?? null} value={outline.totalCost} /></dd></div>
        <div><dt>Steps</dt><dd>{formatCount(outline.count)}{base && base.count !== outline.count && <span class="soft"> {formatChange(outline.count - base.count)}</span>}</dd></div>
        <div><dt>Errors</dt><dd class={outline.errors > 0 ? "ui-tone-error" : undefined}>{formatCount(outline.errors)}</dd></div>
      </dl>
    </article>
  );
}

function CompareView({ project, traces, onIds }: { project: string; traces: readonly Compared[]; onIds: (ids: string[]) => void }) {
  const [stepKey, setStep] = useUrlState("step", STEP);
  const [other, setOther] = useUrlState("with", OTHER);
  const [side, setSide] = useUrlState("side", SIDE);
  const [changedOnly, setChangedOnly] = useUrlState("changed", CHANGED);
  const grid = useRef<GridHandle>(null);
  const outlines = traces.map(({ outline }) => outline);
  const all = useMemo(() => alignSteps(outlines), outlines);
  const changed = useMemo(
    () => new Set(all.filter((step) => isDifferent(step, (trace, node) => outlines[trace]!.status(node), (trace, node) => lengthOf(outlines[trace]!, node)))),
    [all],
  );
  const steps = useMemo(() => (changedOnly ? all.filter((step) => changed.has(step)) : all), [all, changed, changedOnly]);
  const chosen = Math.max(0, steps.findIndex(({ key }) => key === stepKey));
  const step = steps[chosen];
  const second = Math.max(1, Math.min(traces.length - 1, other));
  const columns = useMemo<GridColumn<AlignedStep>[]>(() => [
    { key: "step", title: "Step", width: 190, grow: true, fixed: true, cell: (row) => (
      <span class="compare-step" style={{ paddingInlineStart: `${Math.min(row.depth, 12) * 14}px` }}>
        {changed.has(row) && <span class="compare-dot" title="Differs from A" />}<SafeText text={row.name} line />
      </span>
    ) },
    ...outlines.map((outline, index): GridColumn<AlignedStep> => ({
      key: LETTERS[index]!, title: LETTERS[index]!, width: index === 0 ? 92 : 132, cell: (row) => {
        const node = row.nodes[index]!;
        if (node < 0) return <span class="faint">not there</span>;
        const base = index === 0 || row.nodes[0]! < 0 ? null : lengthOf(outlines[0]!, row.nodes[0]!);
        return (
          <span class="compare-cell">
            <Status state={outline.status(node)} signOnly />{formatDuration(lengthOf(outline, node))}<Change base={base} value={lengthOf(outline, node)} />
          </span>
        );
      },
    })),
  ], [all]);
  const group = "Compare";
  useShortcut({ keys: "j", label: "Next step", group }, () => grid.current?.move(1));
  useShortcut({ keys: "k", label: "Previous step", group }, () => grid.current?.move(-1));
  useShortcut({ keys: "d", label: "Only steps that differ", group }, () => setChangedOnly(!changedOnly, { replace: true }));
  const select = (index: number) => setStep(steps[index]?.key ?? "", { replace: true });
  return (
    <div class="compare">
      <h1 class="visually-hidden">Compare traces</h1>
      <div class="compare-cards">
        {traces.map((compared, index) => (
          <TraceCard
            key={compared.id} project={project} compared={compared} base={index === 0 ? null : outlines[0]!} letter={LETTERS[index]!}
            onRemove={traces.length > 2 ? () => onIds(traces.filter((_, at) => at !== index).map(({ id }) => id)) : null}
          />
        ))}
      </div>
      <div class="compare-bar">
        <Button kind="quiet" pressed={changedOnly} onClick={() => setChangedOnly(!changedOnly, { replace: true })}>{`${plural(changed.size, "step differs", "steps differ")} in state or time`}</Button>
        <span class="ui-grow" />
        {traces.length > 2 && (
          <Segments label="Compare A with" value={String(second)} onChange={(value) => setOther(Number(value), { replace: true })}
            options={traces.slice(1).map((_, index) => [String(index + 1), `A – ${LETTERS[index + 1]!}`] as const)} />
        )}
        <Segments<Side> label="What is compared" value={side} onChange={(value) => setSide(value, { replace: true })}
          options={[["output", "Output"], ["inputs", "Inputs"], ["attributes", "Attributes"]]} />
      </div>
      <div class="compare-body">
        <SplitPane
          name="compare" label="Width of the steps" initial={52}
          first={steps.length === 0
            ? <Empty title="No step differs" icon="check"><p>All steps are there in each trace, with the same state and a similar duration.</p></Empty>
            : (
              <DataGrid
                label="Steps" columns={columns} count={steps.length} rowAt={(index) => steps[index]} rowKey={(row) => row.key} handle={grid}
                active={chosen} onActive={select} onOpen={(_, index) => select(index)}
              />
            )}
          second={step ? (
            <div class="compare-diff">
              <h2><SafeText text={step.name} line /></h2>
              <StepDiff
                project={project} side={side} wide={matchMedia("(min-width: 1500px)").matches}
                traces={[traces[0]!.trace, traces[second]!.trace]} outlines={[outlines[0]!, outlines[second]!]}
                nodes={[step.nodes[0]!, step.nodes[second]!]} labels={["A", LETTERS[second]!]}
              />
            </div>
          ) : null}
        />
      </div>
    </div>
  );
}

export default function Compare() {
  const { id: project } = useProject();
  const [listed, setIds] = useUrlState("ids", IDS);
  const ids = [...new Set(listed)].slice(0, MOST);
  useHeading("Compare", [{ label: "Compare" }]);
  const traces = useQuery<Compared[]>({
    key: ["compare", project, ids],
    enabled: ids.length >= 2,
    staleTime: 30_000,
    keep: false,
    read: (signal) => Promise.all(ids.map(async (id) => {
      const { outline, at } = await readTrace(project, id, signal);
      return { id, trace: outline.trace_id, outline: makeOutline(subtreeOf(outline, id), at) };
    })),
  });
  if (ids.length < 2) {
    const back = listSearch(project);
    return (
      <div class="page">
        <h1 class="visually-hidden">Compare traces</h1>
        <Empty title="Pick two traces" icon="compare" actions={<Button kind="primary" href={`${href(paths.traces(project))}${back}`}>Go to the traces</Button>}>
          <p>Select two to four traces with <kbd>x</kbd>, then choose Compare below the list.</p>
        </Empty>
      </div>
    );
  }
  if (traces.error?.missing) return <Hidden what="trace" />;
  if (traces.error) {
    return <div class="page"><ErrorNote title="The traces could not be read" message={traces.error.message} requestId={traces.error.requestId} onRetry={traces.refetch} retrying={traces.refetching} /></div>;
  }
  if (!traces.data) return <Skeleton lines={12} label="Loading the traces" />;
  return <CompareView project={project} traces={traces.data} onIds={(next) => setIds(next)} />;
}
