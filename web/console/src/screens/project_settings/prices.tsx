// Prices of models in a project. They replace the prices of the server in its reports.

import { useState } from "preact/hooks";

import { useMutation, useQuery } from "../../api/cache";
import { type Cost, createPrices, listPrices, purgePrices } from "../../api/inference";
import { Loaded } from "../../app/page";
import { timeZone } from "../../app/preferences";
import { toast } from "../../app/toasts";
import { codecs, useUrlState } from "../../app/url_state";
import { formatCost } from "../../format/money";
import { NOTHING } from "../../format/numbers";
import { formatDay } from "../../format/time";
import { Button } from "../../ui/button";
import { ConfirmDialog } from "../../ui/dialog";
import { Empty } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { NumberInput, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { Table } from "../../ui/table";
import { useNow } from "../shared_parts/ago";
import { FormDialog } from "../shared_parts/form_dialog";
import { EMPTY_PRICE, type PriceDraft, isCompletePrice, isInForce, perMillion, priceEntry, priceQuery } from "./price_draft";

function PriceDialog({ project, onClose }: { project: string; onClose: () => void }) {
  const [draft, setDraft] = useState<PriceDraft>(EMPTY_PRICE);
  const set = (change: Partial<PriceDraft>) => setDraft({ ...draft, ...change });
  const save = useMutation({
    change: () => createPrices({ project_id: project, costs: { [draft.model.trim()]: priceEntry(draft) } }),
    invalidates: [["prices", project]],
    done: () => {
      toast({ kind: "ok", text: "The price applies to past calls of its time, too." });
      onClose();
    },
  });
  return (
    <FormDialog title="New price" action="Add the price" onClose={onClose} onSubmit={() => void save.run().catch(() => undefined)}
      valid={isCompletePrice(draft)} typed={draft.model !== ""} state={save}>
      <Field label="Model" required hint="As it is spelled in the usage of calls."><TextInput mono value={draft.model} onInput={(model) => set({ model })} placeholder="gpt-4o" /></Field>
      <p class="ui-label">US dollars for a million tokens</p>
      <div class="pair">
        <Field label="Prompt" required><NumberInput value={draft.prompt} min={0} unit="US$" onInput={(prompt) => set({ prompt })} /></Field>
        <Field label="Completion" required><NumberInput value={draft.completion} min={0} unit="US$" onInput={(completion) => set({ completion })} /></Field>
        <Field label="Prompt from the cache"><NumberInput value={draft.cacheRead} min={0} unit="US$" onInput={(cacheRead) => set({ cacheRead })} /></Field>
        <Field label="Prompt into the cache"><NumberInput value={draft.cacheWrite} min={0} unit="US$" onInput={(cacheWrite) => set({ cacheWrite })} /></Field>
      </div>
      <Field label="From" hint="A day, such as 2026-01-01. Empty: from now on."><TextInput mono value={draft.from} onInput={(from) => set({ from })} placeholder="2026-01-01" /></Field>
    </FormDialog>
  );
}

export function Prices({ project, write }: { project: string; write: boolean }) {
  const prices = useQuery({
    key: ["prices", project],
    read: (signal) => listPrices({ project_id: project, sort_by: [{ field: "effective_date", direction: "desc" }], limit: 1000 }, signal),
  });
  const now = useNow();
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const [removing, setRemoving] = useState<Cost | null>(null);
  const remove = useMutation({
    change: ({ id }: Cost) => purgePrices({ project_id: project, query: priceQuery(id ?? "") }),
    invalidates: [["prices", project]],
    done: () => {
      setRemoving(null);
      toast({ kind: "ok", text: "The price is deleted." });
    },
  });
  const add = write && <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New price</Button>;
  const money = (price: number | null) => (price === null || price === 0 ? <span class="faint">{NOTHING}</span> : formatCost(perMillion(price)));
  return (
    <div class="tab-content">
      <Loaded state={prices} what="list of prices">
        {({ results }) => results.length === 0 ? (
          <Empty title="The prices of the server apply" icon="tag" actions={add}
            snippets={[{ title: "List the prices of the server", text: "spindle prices ls --model gpt-4o" }]}>
            <p>Add a price for a model that the server does not know, or that costs something else here. Costs are computed when calls are read, so past calls follow.</p>
          </Empty>
        ) : (
          <>
            <div class="tab-actions"><p class="soft grow">US dollars for a million tokens. They replace the prices of the server in reports, never in budgets.</p>{add}</div>
            <div class="card">
              <Table
                label="Prices" rows={results} rowKey={({ id }, index) => id ?? String(index)}
                columns={[
                  { key: "model", title: "Model", wide: true, cell: ({ llm_id }) => <code><SafeText text={llm_id ?? NOTHING} line /></code> },
                  { key: "prompt", title: "Prompt", number: true, cell: (row) => money(row.prompt_token_cost) },
                  { key: "completion", title: "Completion", number: true, cell: (row) => money(row.completion_token_cost) },
                  { key: "read", title: "From cache", number: true, cell: (row) => money(row.cache_read_input_token_cost) },
                  { key: "write", title: "Into cache", number: true, cell: (row) => money(row.cache_creation_input_token_cost) },
                  { key: "from", title: "From", cell: ({ effective_date }) => <span class="nowrap">{formatDay(effective_date, timeZone.value)}</span> },
                  { key: "force", title: "In force", cell: (row) => (isInForce(row, results, now) ? <Status state="ok" word="now" /> : <span class="faint">no</span>) },
                  {
                    key: "actions", title: "Actions", hideTitle: true,
                    cell: (row) => write && row.id && (
                      <span class="row-actions"><Button small kind="quiet" icon="trash" label={`Delete the price of ${row.llm_id}`} onClick={() => setRemoving(row)} /></span>
                    ),
                  },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
      {adding && write && <PriceDialog project={project} onClose={() => setAdding(false, { replace: true })} />}
      <ConfirmDialog open={removing !== null} title={`Delete this price of ${removing?.llm_id ?? ""}?`} action="Delete" busy={remove.pending} error={remove.error?.message ?? null}
        onClose={() => setRemoving(null)} onConfirm={() => { if (removing) void remove.run(removing).catch(() => undefined); }}>
        <p>Calls of its time get the next older price, or that of the server.</p>
      </ConfirmDialog>
    </div>
  );
}
