// Values and counts beside the list. A click includes a value, the minus excludes it.

import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type CallFacet, callFacets } from "../../api/calls";
import { timeZone } from "../../app/preferences";
import { formatCount, formatShort } from "../../format/numbers";
import { callQuery, readFilter } from "../../query/compile";
import { stateOf } from "../../query/edit";
import { Button } from "../../ui/button";
import { classes } from "../../ui/class_names";
import { ErrorNote, Skeleton } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Status } from "../../ui/status";
import { modelLabel } from "../shared_calls/call_facts";
import type { Explorer } from "./explorer_state";
import { FIXED_FACETS, type FacetField, facetRequests, joinValues, toggled } from "./facet_data";

const FEW = 6;
const MANY = 20;

function useFacets(explorer: Explorer, fields: readonly FacetField[]) {
  const { project, text, bounds, now, callsFilter, error } = explorer;
  const options = { zone: timeZone.value, now };
  return useQuery({
    key: ["facets", project, text, callsFilter, bounds, fields.map(({ field }) => field)],
    enabled: error === null && fields.length > 0,
    staleTime: Infinity,
    read: async (signal) => {
      const answers = await Promise.all(facetRequests(text, fields).map(({ text: rest, fields: list }) => callFacets({
        project_id: project,
        filter: callsFilter,
        query: callQuery(readFilter(rest, options).filter, bounds, options) ?? null,
        facets: list.map(({ field }) => ({ field, limit: MANY })),
      }, signal)));
      return answers.flatMap(({ facets }) => facets);
    },
  });
}

/** Columns are counted by a request of their own: they are shown before the attributes of the calls are known. */
export function Facets({ explorer, attributes }: { explorer: Explorer; attributes: readonly FacetField[] }) {
  const columns = useFacets(explorer, FIXED_FACETS);
  const others = useFacets(explorer, attributes);
  const read = columns.error ? columns : others.error ? others : columns;
  const found = [...(columns.data ?? []), ...(others.data ?? [])];
  const sampled = found.find((facet) => facet.sampled);
  return (
    <aside class="traces-facets" aria-label="Facets" aria-busy={columns.outdated || columns.loading || others.outdated}>
      {read.error && <ErrorNote title="The values could not be read" message={read.error.message} requestId={read.error.requestId} onRetry={read.refetch} retrying={read.refetching} />}
      {!columns.data && !columns.error && <Skeleton lines={8} label="Loading values" />}
      {[...FIXED_FACETS, ...attributes].map((field) => {
        const facet = found.find((item) => item.field === field.field);
        return facet ? <Facet key={field.field} field={field} facet={facet} explorer={explorer} /> : null;
      })}
      {sampled && <p class="traces-sampled">Counted over the newest {formatCount(sampled.rows)} calls.</p>}
    </aside>
  );
}

function Facet({ field, facet, explorer }: { field: FacetField; facet: CallFacet; explorer: Explorer }) {
  const [all, setAll] = useState(false);
  const values = joinValues(field.field, facet.values);
  if (values.length === 0) return null;
  const shown = all ? values : values.slice(0, FEW);
  const most = values[0]?.count ?? 1;
  const change = (value: string, how: "include" | "exclude") => explorer.setText(toggled(explorer.text, field.name, value, how));
  return (
    <section class="facet">
      <h2><SafeText text={field.title} line /></h2>
      <ul>
        {shown.map(({ value, count }) => {
          const state = stateOf(explorer.filter, field.name, value);
          return (
            <li key={value} class={classes("facet-value", state && `facet-${state}`)}>
              <span class="facet-bar" style={{ width: `calc(${Math.max(0.02, count / most).toFixed(3)} * (100% - 28px))` }} aria-hidden="true" />
              <button
                type="button" class="facet-main" aria-pressed={state === "included"}
                onClick={(event) => change(value, event.altKey ? "exclude" : "include")}
              >
                <span class="truncate" title={value}>{field.field === "status" ? <Status state={value} /> : <SafeText text={field.field === "model" ? modelLabel(value) : value} line />}</span>
                <span class="facet-count">{formatShort(count)}</span>
              </button>
              <Button
                kind="quiet" small icon="minus" label={`Exclude ${value}`} pressed={state === "excluded"} onClick={() => change(value, "exclude")}
              />
            </li>
          );
        })}
      </ul>
      {(values.length > FEW || facet.other > 0) && (
        <div class="facet-more">
          {values.length > FEW && <Button kind="quiet" small onClick={() => setAll(!all)}>{all ? "Show fewer" : `${values.length - FEW} more`}</Button>}
          {all && facet.other > 0 && <span class="faint">{formatShort(facet.other)} calls with other values</span>}
        </div>
      )}
    </section>
  );
}
