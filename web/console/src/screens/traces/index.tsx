// The explorer of traces: filter, strip, facets, list, peek, selection.

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";

import { invalidate, useQuery } from "../../api/cache";
import { type CallRow, callAttributes } from "../../api/calls";
import { href, navigateTo, paths } from "../../app/location";
import { Hidden } from "../../app/not_found";
import { density, timeZone } from "../../app/preferences";
import { useProject } from "../../app/screen";
import { useShortcut } from "../../app/shortcuts";
import { codecs, useUrlState } from "../../app/url_state";
import { includeValue } from "../../query/edit";
import { useAfterPaint } from "../../ui/after_paint";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { lazyView } from "../../ui/lazy";
import { visibleColumns } from "../../ui/list/columns";
import { DataGrid, type GridHandle } from "../../ui/list/data_grid";
import { SplitPane } from "../../ui/split_pane";
import { BulkJobs } from "../shared_calls/bulk_jobs";
import { attributeName, callColumns, usefulAttributes, withAttributes } from "./columns";
import { useExplorer } from "./explorer_state";
import type { FacetField } from "./facet_data";
import { Facets } from "./facets";
import { placeOf, useCallList } from "./list_data";
import { Nothing } from "./nothing";
import type { PeekProps } from "./peek";
import { SelectionBar } from "./selection_bar";
import { ExplorerStrip } from "./strip";
import { Toolbar } from "./toolbar";

const ROW_HEIGHTS = { dense: 24, normal: 28, tall: 36 };
const MOST_ATTRIBUTES = 24;
const ATTRIBUTE_FACETS = 4;
/** Longer selections are kept by the page alone: addresses have limits. */
const SELECTED_IN_URL = 40;

const Peek = lazyView<PeekProps>(() => import("./peek").then((part) => part.Peek), () => <Skeleton lines={8} label="Loading the call" />);

/** The row that was active when the list was left, by address. */
const activeRows = new Map<string, number>();

const SELECTION = codecs.list();
const PEEK = codecs.text();
const FACETS = codecs.flag(true);

function useSelection(): [ReadonlySet<string>, (next: Set<string>) => void] {
  const [stored, store] = useUrlState("sel", SELECTION);
  const [selection, setSelection] = useState<ReadonlySet<string>>(() => new Set(stored));
  const text = stored.join(",");
  useEffect(() => {
    // Back and forward change the address; a selection that is too long for it is not in there.
    if (text !== "" || selection.size <= SELECTED_IN_URL) setSelection(new Set(stored));
  }, [text]);
  return [selection, (next) => {
    setSelection(next);
    store(next.size <= SELECTED_IN_URL ? [...next] : [], { replace: true });
  }];
}

export default function Traces() {
  const { id: project } = useProject();
  const explorer = useExplorer(project);
  const [peeked, setPeeked] = useUrlState("peek", PEEK);
  const [facetsOpen, setFacetsOpen] = useUrlState("facets", FACETS);
  const [narrowFacets, setNarrowFacets] = useState(false);
  const [selection, setSelection] = useSelection();
  const input = useRef<HTMLInputElement>(null);
  const grid = useRef<GridHandle>(null);
  const address = `${project}?${explorer.text} ${explorer.scope} ${explorer.sort.key}`;
  // Not a state: nothing is rendered when the cursor moves.
  const active = useRef(activeRows.get(address) ?? 0);

  const [rowsRead, setRowsRead] = useState(false);
  // Everything else waits until the rows are painted: they come first.
  const rowsPainted = useAfterPaint(rowsRead);
  const attributes = useQuery({
    enabled: rowsPainted,
    key: ["attributes", project, explorer.callsFilter],
    read: (signal) => callAttributes({ project_id: project, filter: explorer.callsFilter, limit: 100 }, signal),
    staleTime: 300_000,
  });
  const useful = useMemo(() => usefulAttributes(attributes.data?.attributes ?? []).slice(0, MOST_ATTRIBUTES), [attributes.data]);
  const attributeFacets = useMemo<FacetField[]>(() => useful.filter(({ type }) => type !== "number").slice(0, ATTRIBUTE_FACETS)
    .map(({ path }) => ({ field: path, name: attributeName(path), title: attributeName(path) })), [useful]);
  const zone = timeZone.value;
  const usual = useMemo(() => callColumns(zone, explorer.now), [zone, explorer.now]);
  const columns = useMemo(() => withAttributes(usual, useful), [usual, useful]);
  const keys = visibleColumns(columns, explorer.layout).map(({ key }) => key);
  const list = useCallList(explorer, keys, rowsPainted);
  const { pages } = list;
  useEffect(() => {
    if (!pages.loading) setRowsRead(true);
  }, [pages.loading]);

  const rowHref = useCallback((call: CallRow) => {
    const { trace, span } = placeOf(call);
    return href(paths.trace(project, trace), { span: span ?? undefined });
  }, [project]);
  const latest = useRef({ peeked, rowAt: list.rowAt });
  latest.current = { peeked, rowAt: list.rowAt };
  const activate = useCallback((index: number) => {
    active.current = index;
    activeRows.set(address, index);
    // The panel follows the cursor.
    const row = latest.current.peeked === "" ? undefined : latest.current.rowAt(index);
    if (row && row.id !== latest.current.peeked) setPeeked(row.id, { replace: true });
  }, [address]);
  useEffect(() => {
    const remembered = activeRows.get(address) ?? 0;
    if (remembered > 0 && pages.items.length > remembered) grid.current?.move(0);
  }, []);

  const keysGroup = "Traces";
  useShortcut({ keys: "/", label: "Filter", group: keysGroup }, () => input.current?.focus());
  useShortcut({ keys: "j", label: "Next row", group: keysGroup }, () => { grid.current?.focus(); grid.current?.move(1); });
  useShortcut({ keys: "k", label: "Previous row", group: keysGroup }, () => { grid.current?.focus(); grid.current?.move(-1); });
  useShortcut({ keys: "Enter", label: "Open the trace", group: keysGroup }, () => {
    const row = list.rowAt(active.current);
    if (row) navigateTo(rowHref(row));
  });
  useShortcut({ keys: " ", label: "Peek (Space)", group: keysGroup }, () => grid.current?.peek());
  useShortcut({ keys: "x", label: "Select the row", group: keysGroup }, () => grid.current?.toggle());
  useShortcut({ keys: "Escape", label: "Close the peek", group: keysGroup }, () => setPeeked("", { replace: true }), peeked !== "");
  useShortcut({ keys: "r", label: "Read again", group: keysGroup }, explorer.refresh);

  if (pages.error?.missing && pages.items.length === 0) return <Hidden what="project" />;
  const narrow = matchMedia("(max-width: 900px)").matches;
  const facetsShown = narrow ? narrowFacets : facetsOpen;
  const empty = !pages.loading && !pages.error && pages.items.length === 0 && !explorer.error;
  const unfiltered = empty && explorer.text === "";
  const body = (
    <div class="traces-list" aria-busy={pages.loading || pages.refetching}>
      {pages.error && (
        <ErrorNote
          title="The traces could not be read" message={pages.error.message} requestId={pages.error.requestId}
          onRetry={pages.refetch} retrying={pages.refetching}
        />
      )}
      {pages.loading && <Skeleton lines={14} label="Loading traces" />}
      {empty && <Nothing explorer={explorer} />}
      {pages.items.length > 0 && (
        <DataGrid<CallRow>
          label="Traces" columns={columns} count={list.count} rowAt={list.rowAt} rowKey={(call) => call.id} rowHref={rowHref}
          rowHeight={ROW_HEIGHTS[density.value]} layout={explorer.layout} onLayout={explorer.setLayout} sort={explorer.sort} onSort={explorer.setSort}
          selection={selection} onSelect={setSelection} startAt={active.current} onActive={activate} onRange={list.onRange} handle={grid}
          onPeek={(call) => setPeeked(call.id === peeked ? "" : call.id, { replace: true })}
        />
      )}
    </div>
  );
  return (
    <div class="traces">
      <h1 class="visually-hidden">Traces</h1>
      <Toolbar
        explorer={explorer} attributes={useful} columns={columns} input={input} empty={empty} rowsPainted={rowsPainted} facetsOpen={facetsShown}
        onFacets={() => {
          if (narrow) setNarrowFacets(!narrowFacets);
          else setFacetsOpen(!facetsOpen, { replace: true });
        }}
      />
      {!unfiltered && (rowsPainted ? <ExplorerStrip explorer={explorer} /> : <div class="traces-strip" />)}
      <div class="traces-body">
        {facetsShown && !unfiltered && (rowsPainted ? <Facets explorer={explorer} attributes={attributeFacets} /> : <div class="traces-facets" />)}
        <SplitPane
          name="traces-peek" label="Width of the list" initial={58} min={30} first={body}
          second={peeked === "" ? null : (
            <Peek
              project={project} id={peeked} onClose={() => setPeeked("", { replace: true })}
              onFilter={(path, value) => explorer.setText(includeValue(explorer.text, path, value))}
            />
          )}
        />
      </div>
      {rowsPainted && (
        <BulkJobs
          project={project}
          onFinished={(job) => {
            if (job.action !== "delete") return;
            setSelection(new Set());
            void invalidate(["calls", project]);
            explorer.refresh();
          }}
        />
      )}
      <SelectionBar explorer={explorer} list={list} selection={selection} onSelect={setSelection} />
    </div>
  );
}
