// The audit log: who changed what, when, from where.

import { useState } from "preact/hooks";

import { useMutation, usePages } from "../../api/cache";
import { type AuditEntry, exportAudit, listAudit } from "../../api/people";
import { timeZone } from "../../app/preferences";
import { toastError } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatTime } from "../../format/time";
import { LAST_DAY, type TimeRange, parseTimeRange, printTimeRange } from "../../format/time_range";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { Dialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { TextInput } from "../../ui/inputs";
import { Menu } from "../../ui/menu";
import { SafeText } from "../../ui/safe_text";
import { Definitions } from "../../ui/table";
import { TimeRangePicker } from "../../ui/time_range";
import { saveBlob } from "../shared_parts/download";
import { PagedTable } from "../shared_parts/paged_table";
import { AUDIT_KINDS, actionText, auditQuery, exportName } from "./audit_filter";

const WEEK: TimeRange = { kind: "last", milliseconds: 7 * (LAST_DAY.kind === "last" ? LAST_DAY.milliseconds : 0) };
const RANGE = {
  read: (text: string | null): TimeRange => (text === null ? WEEK : (parseTimeRange(text) ?? WEEK)),
  write: (range: TimeRange) => (printTimeRange(range) === printTimeRange(WEEK) ? null : printTimeRange(range)),
};

function EntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const text = (value: string | null) => (value ? <SafeText text={value} line /> : <span class="faint">none</span>);
  return (
    <Dialog open onClose={onClose} title={actionText(entry.action)} actions={<Button kind="primary" onClick={onClose}>Close</Button>}>
      <Definitions
        items={[
          ["Time", formatTime(entry.created_at, timeZone.value, true)],
          ["Who", text(entry.actor.username ?? "the server, or nobody signed in")],
          ["With", <code class="wrap">{text(entry.actor.credential)}</code>],
          ["Action", <code>{entry.action}</code>],
          ["Target", <>{entry.target.kind} {text(entry.target.name)} <code class="faint wrap">{entry.target.id}</code></>],
          ["Place", text([entry.team, entry.project].filter(Boolean).join("/") || null)],
          ["Address", text(entry.address)],
          ["Client", text(entry.user_agent)],
          ["Request", <code class="wrap">{text(entry.request_id)}</code>],
        ]}
      />
      {Object.keys(entry.details).length > 0 && <pre class="audit-details" tabIndex={0} aria-label="Details"><SafeText text={JSON.stringify(entry.details, null, 2)} /></pre>}
    </Dialog>
  );
}

export function Audit() {
  const [team, setTeam] = useUrlState("team", codecs.text());
  const [actor, setActor] = useUrlState("actor", codecs.text());
  const [action, setAction] = useUrlState("action", codecs.text());
  const [range, setRange] = useUrlState("time", RANGE);
  const [shown, setShown] = useState<AuditEntry | null>(null);
  const filter = { team, actor, action, range };
  const entries = usePages<AuditEntry>({
    key: ["audit", team, actor, action, printTimeRange(range)],
    read: (cursor, signal) => listAudit({ ...auditQuery(filter, Date.now()), cursor, limit: 100 }, signal),
  });
  const save = useMutation({
    change: async (format: "csv" | "jsonl") => saveBlob(await exportAudit({ ...auditQuery(filter, Date.now()), format }), exportName(format, Date.now())),
  });
  const run = (format: "csv" | "jsonl") => void save.run(format).catch((error: unknown) => toastError("The log was not exported", error));
  return (
    <div class="tab-content">
      <div class="filters audit-filters">
        <TextInput icon="person" label="Who" placeholder="Who" value={actor} onInput={(text) => setActor(text, { replace: true })} />
        <Combobox free label="Action" placeholder="Action, such as webhook" value={action} options={AUDIT_KINDS.map((value) => ({ value }))} onChange={(text) => setAction(text, { replace: true })} />
        <TextInput label="Team" placeholder="Team" value={team} onInput={(text) => setTeam(text, { replace: true })} />
        <TimeRangePicker value={range} onChange={(value) => setRange(value)} zone={timeZone.value} />
        <span class="filters-end">
          <Menu label="Export" icon="download" align="end" disabled={save.pending}
            items={[{ text: "CSV for spreadsheets", onSelect: () => run("csv") }, { text: "JSON Lines", onSelect: () => run("jsonl") }]}>Export</Menu>
        </span>
      </div>
      <PagedTable
        state={entries} what="audit log" label="Audit log" rowKey={({ id }) => id}
        empty={<Empty title="No entries" icon="list"><p>Nothing was changed in this time, or nothing matches the filter. Entries are kept for a year.</p></Empty>}
        columns={[
          { key: "time", title: "Time", cell: ({ created_at }) => <span class="nowrap">{formatTime(created_at, timeZone.value)}</span> },
          { key: "who", title: "Who", cell: ({ actor: who }) => (who.username ? <SafeText text={who.username} line /> : <span class="faint">server</span>) },
          { key: "action", title: "Action", cell: (entry) => <button type="button" class="link-button" onClick={() => setShown(entry)}>{actionText(entry.action)}</button> },
          {
            key: "target", title: "Target", wide: true,
            cell: ({ target }) => <span class="cut">{target.name ? <SafeText text={target.name} line /> : <code class="faint">{target.id}</code>}</span>,
          },
          { key: "place", title: "Place", cell: ({ team: at, project }) => <SafeText text={[at, project].filter(Boolean).join("/") || "–"} line /> },
          { key: "address", title: "From", cell: ({ address }) => <SafeText text={address ?? "–"} line /> },
        ]}
      />
      {shown && <EntryDialog entry={shown} onClose={() => setShown(null)} />}
    </div>
  );
}
