// Limits and budgets of projects and keys.

import { useState } from "preact/hooks";

import { useMutation, usePages, useQuery } from "../../api/cache";
import { type ApiKey, listApiKeys } from "../../api/identity";
import { type Limit, changeLimit, createLimit, deleteLimit, listLimits } from "../../api/inference";
import { allPages } from "../../api/paging";
import { href, paths } from "../../app/location";
import { roleIn, useMe, useProjects } from "../../app/me";
import { hasScreen } from "../../app/routes";
import { Segments } from "../../app/segments";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCost } from "../../format/money";
import { formatCount, formatPercent } from "../../format/numbers";
import { Button } from "../../ui/button";
import { Combobox } from "../../ui/combobox";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { NumberInput, Select } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { FormDialog } from "../shared_parts/form_dialog";
import { PagedTable } from "../shared_parts/paged_table";
import { EMPTY_LIMIT, type LimitDraft, PERIODS, budgetState, isCompleteLimit, limitDraft, limitParts, newLimit } from "./limit_draft";

const KEY = ["limits"];
const SHOWN = ["project", "key", "concurrency", "requests_per_minute", "tokens_per_minute", "budget_usd"];

function LimitDialog({ limit, onClose }: { limit: Limit | null; onClose: () => void }) {
  const [draft, setDraft] = useState<LimitDraft>(() => (limit ? limitDraft(limit) : EMPTY_LIMIT));
  const { data: me } = useMe();
  const projects = useProjects();
  const keys = useQuery({
    key: ["api keys", "all"],
    read: (signal) => allPages<ApiKey>((cursor) => listApiKeys({ cursor, limit: 200 }, signal)),
    enabled: draft.kind === "key" && limit === null,
  });
  const set = (change: Partial<LimitDraft>) => setDraft({ ...draft, ...change });
  const save = useMutation<void, Limit>({
    change: () => (limit ? changeLimit(limit.id, limitParts(draft)) : createLimit(newLimit(draft))),
    invalidates: [KEY],
    done: () => {
      toast({ kind: "ok", text: "The limit applies from the next request on." });
      onClose();
    },
  });
  const error = (name: string) => save.error?.field(name) ?? null;
  const mine = projects.data?.filter(({ team }) => roleIn(me, team) === "ADMIN").map(({ team, name }) => `${team}/${name}`) ?? [];
  return (
    <FormDialog
      title={limit ? `Limit of ${limit.project ?? limit.key_name ?? limit.key}` : "New limit"} action={limit ? "Save" : "Set the limit"}
      onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)} valid={isCompleteLimit(draft)} state={save} shown={SHOWN}
    >
      {!limit && (
        <>
          <Segments label="For" value={draft.kind} onChange={(kind) => set({ kind })} options={[["project", "A project"], ["key", "An API key"]]} />
          {draft.kind === "project" ? (
            <Field label="Project" required error={error("project")}>
              <Combobox value={draft.project} options={mine.map((value) => ({ value }))} onChange={(project) => set({ project })} placeholder="acme/support" />
            </Field>
          ) : (
            <Field label="Key" required hint="The first part of the key." error={error("key")}>
              <Combobox free value={draft.key} onChange={(key) => set({ key })} placeholder="spk_…"
                options={keys.data?.map(({ key_id, name, owner }) => ({ value: key_id, note: `${name}, ${owner}` })) ?? []} />
            </Field>
          )}
        </>
      )}
      <div class="pair">
        <Field label="Budget" error={error("budget_usd")}><NumberInput value={draft.budget} min={0} unit="US$" onInput={(budget) => set({ budget })} placeholder="no budget" /></Field>
        <Field label="Renewed"><Select value={draft.period} options={PERIODS} onChange={(period) => set({ period })} /></Field>
      </div>
      <div class="triple">
        <Field label="Requests per minute" error={error("requests_per_minute")}>
          <NumberInput value={draft.requests} min={0} step={1} onInput={(requests) => set({ requests })} placeholder="no limit" />
        </Field>
        <Field label="Tokens per minute" error={error("tokens_per_minute")}>
          <NumberInput value={draft.tokens} min={0} step={1} onInput={(tokens) => set({ tokens })} placeholder="no limit" />
        </Field>
        <Field label="At the same time" error={error("concurrency")}>
          <NumberInput value={draft.concurrency} min={0} step={1} onInput={(concurrency) => set({ concurrency })} placeholder="no limit" />
        </Field>
      </div>
      <p class="ui-hint">Beyond the budget, requests are refused with 402; beyond the others with 429. Budgets count the prices of this server; models without a price cost nothing.</p>
    </FormDialog>
  );
}

function Budget({ limit }: { limit: Limit }) {
  const state = budgetState(limit);
  if (!state) return <span class="faint">no budget</span>;
  return (
    <span class="budget">
      <span class="meter" role="img" aria-label={`${formatPercent(state.share)} of the budget is used`}>
        <span class={`meter-fill meter-${state.tone}`} style={{ width: `${Math.min(100, state.share * 100)}%` }} />
      </span>
      <span class="nowrap">
        {formatCost(limit.spent_usd ?? 0)} of {formatCost(limit.budget_usd)} <span class="faint">{{ day: "today", month: "this month", total: "in total" }[limit.period]}</span>
        {state.tone === "error" && <span class="ui-tone-error"> ✕ used up</span>}
      </span>
    </span>
  );
}

export function Limits() {
  const limits = usePages<Limit>({ key: KEY, read: (cursor, signal) => listLimits({ cursor, limit: 100 }, signal) });
  const { data: me } = useMe();
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [editing, setEditing] = useState<Limit | null>(null);
  const [removing, setRemoving] = useState<Limit | null>(null);
  const remove = useMutation({
    change: (limit: Limit) => deleteLimit(limit.id),
    invalidates: [KEY],
    done: () => {
      setRemoving(null);
      toast({ kind: "ok", text: "The limit is removed." });
    },
  });
  const may = me !== undefined && (me.organization_admin || me.memberships.some(({ role, pending }) => role === "ADMIN" && !pending));
  const mayChange = ({ project }: Limit) => may && (!project || roleIn(me, project.split("/")[0]) === "ADMIN");
  const number = (value: number | null) => (value === null ? <span class="faint">–</span> : formatCount(value));
  return (
    <div class="tab-content">
      {may && <div class="tab-actions"><Button icon="add" kind="primary" onClick={() => setAdding(true)}>New limit</Button></div>}
      <PagedTable
        state={limits} what="limits" label="Limits" rowKey={({ id }) => id}
        empty={
          <Empty title="No limits" icon="sliders" snippets={[{ title: "A budget by command", text: "spindle limit set acme/support --budget 50 --period month" }]}>
            <p>Projects and keys may use models without bounds. Set a budget or a rate for one.</p>
          </Empty>
        }
        columns={[
          {
            key: "subject", title: "For",
            cell: ({ project, key, key_name, owner }) => project
              ? (hasScreen("usage") ? <a href={href(paths.usage(), { project })}><SafeText text={project} line /></a> : <SafeText text={project} line />)
              : <><SafeText text={key_name ?? "key"} line /> <code class="faint">{key}</code>{owner && <span class="faint"> of <SafeText text={owner} line /></span>}</>,
          },
          { key: "budget", title: "Budget", wide: true, cell: (row) => <Budget limit={row} /> },
          { key: "requests", title: "Requests/min", number: true, cell: (row) => number(row.requests_per_minute) },
          { key: "tokens", title: "Tokens/min", number: true, cell: (row) => number(row.tokens_per_minute) },
          { key: "concurrency", title: "At once", number: true, cell: (row) => number(row.concurrency) },
          {
            key: "actions", title: "Actions", hideTitle: true,
            cell: (row) => mayChange(row) && (
              <span class="row-actions">
                <Button small kind="quiet" icon="edit" label={`Change the limit of ${row.project ?? row.key}`} onClick={() => setEditing(row)} />
                <Button small kind="quiet" icon="trash" label={`Remove the limit of ${row.project ?? row.key}`} onClick={() => setRemoving(row)} />
              </span>
            ),
          },
        ]}
      />
      {adding && may && <LimitDialog limit={null} onClose={() => setAdding(false, { replace: true })} />}
      {editing && <LimitDialog limit={editing} onClose={() => setEditing(null)} />}
      <ConfirmDialog
        open={removing !== null} title={`Remove the limit of ${removing?.project ?? removing?.key ?? ""}?`} action="Remove" busy={remove.pending}
        error={remove.error?.message ?? null} onClose={() => setRemoving(null)}
        onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}
      >
        <p>It may then use models without these bounds.</p>
      </ConfirmDialog>
    </div>
  );
}
