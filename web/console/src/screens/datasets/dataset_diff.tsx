// Differences between two versions of a dataset.

import { useMemo, useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type ObjectVersion, type TableRow, queryTable } from "../../api/objects";
import { Loaded } from "../../app/page";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCount, plural } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { Select } from "../../ui/inputs";
import { LazyDiff } from "../../ui/lazy";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { tableDigest } from "../shared_objects/refs";
import { isRecord, rowTitle } from "../shared_values/value_text";
import { type RowChange, diffRows } from "./row_diff";

const MOST_ROWS = 10_000;
const SHOWN = 100;

function useTable(project: string, version: ObjectVersion | undefined) {
  const digest = version && isRecord(version.val) ? tableDigest(version.val.rows) : null;
  return useQuery({
    key: ["table", project, digest, "all"],
    read: async (signal): Promise<TableRow[]> => (await queryTable({ project_id: project, digest: digest ?? "", limit: MOST_ROWS }, signal)).rows,
    enabled: digest !== null,
    staleTime: Infinity,
    keep: false,
  });
}

const SIGNS = { added: ["ok", "added"], removed: ["error", "removed"], changed: ["info", "changed"] } as const;

function Change({ change, from, to }: { change: RowChange; from: string; to: string }) {
  const [tone, word] = SIGNS[change.kind];
  const row = change.after ?? change.before;
  const lines = (side: TableRow | null) => (side ? JSON.stringify(side.val, null, 2) : "");
  return (
    <details class="ui-details change">
      <summary>
        <Status state={word} tone={tone} word={word} />
        <span class="faint nowrap">row {formatCount((row?.original_index ?? 0) + 1)}</span>
        <span class="truncate"><SafeText text={rowTitle(row?.val).title} line /></span>
      </summary>
      <LazyDiff before={lines(change.before)} after={lines(change.after)} beforeLabel={from} afterLabel={to} />
    </details>
  );
}

export function DatasetDiff({ project, versions }: { project: string; versions: ObjectVersion[] }) {
  const names = versions.map(({ version_index }) => `v${version_index}`);
  const [toParam, setTo] = useUrlState("to", codecs.text());
  const [fromParam, setFrom] = useUrlState("from", codecs.text());
  // A version may have been published or deleted since the address was made.
  const to = names.includes(toParam) ? toParam : names[0] ?? "";
  const from = names.includes(fromParam) ? fromParam : names[names.indexOf(to) + 1] ?? names[0] ?? "";
  const [shown, setShown] = useState(SHOWN);
  const of = (name: string) => versions.find(({ version_index }) => `v${version_index}` === name);
  const before = useTable(project, of(from));
  const after = useTable(project, of(to));
  const both = {
    data: before.data && after.data ? { before: before.data, after: after.data } : undefined,
    error: before.error ?? after.error, loading: before.loading || after.loading, refetching: before.refetching || after.refetching,
    refetch: () => { before.refetch(); after.refetch(); },
  };
  const difference = useMemo(() => (both.data ? diffRows(both.data.before, both.data.after) : null), [before.data, after.data]);
  const options = names.map((name) => ({ value: name, text: name }));
  const countOf = (kind: RowChange["kind"]) => difference?.changes.filter((change) => change.kind === kind).length ?? 0;
  if (versions.length < 2) return <Empty title="There is one version" icon="compare"><p>Differences appear here when a second version is published.</p></Empty>;
  return (
    <div class="dataset-pad stack">
      <div class="diff-head">
        <span class="version-select"><Select label="From version" value={from} options={options} onChange={(next) => setFrom(next)} /></span>
        <span aria-hidden="true">→</span>
        <span class="version-select"><Select label="To version" value={to} options={options} onChange={(next) => setTo(next)} /></span>
        {difference && (
          <span role="status" class="soft">
            <span class="ui-tone-ok">+{formatCount(countOf("added"))}</span> · <span class="ui-tone-error">−{formatCount(countOf("removed"))}</span> · {plural(countOf("changed"), "row")} changed · {formatCount(difference.same)} the same
          </span>
        )}
      </div>
      <Loaded state={both} what="versions">
        {() => (difference && difference.changes.length === 0 ? <Empty title="Both versions have the same rows" icon="check" /> : (
          <>
            {difference?.changes.slice(0, shown).map((change) => <Change key={`${change.before?.digest} ${change.after?.digest} ${(change.after ?? change.before)?.original_index}`} change={change} from={from} to={to} />)}
            {difference && difference.changes.length > shown && <div><Button kind="quiet" onClick={() => setShown(shown + SHOWN * 5)}>Show more of {formatCount(difference.changes.length)}</Button></div>}
          </>
        ))}
      </Loaded>
    </div>
  );
}
