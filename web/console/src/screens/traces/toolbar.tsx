// The two lines above the list: filter with suggestions, and what the list shows.

import type { RefObject } from "preact";
import { useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { type CallAttributePath, callFacets, type CallRow } from "../../api/calls";
import { setPreferences, timeZone } from "../../app/preferences";
import { toastError } from "../../app/toasts";
import type { Suggestions } from "../../query/suggest";
import { Button } from "../../ui/button";
import { FilterInput } from "../../ui/filter_input";
import { ColumnsMenu } from "../../ui/list/columns_menu";
import type { GridColumn } from "../../ui/list/columns";
import { Segments } from "../../app/segments";
import { TimeRangePicker } from "../../ui/time_range";
import { attributeName } from "./columns";
import type { Explorer, Scope } from "./explorer_state";
import { joinValues } from "./facet_data";
import { LiveCounter } from "./live";
import { ViewsMenu } from "./views";

type Wanted = NonNullable<Suggestions["wants"]>;

/** The dimension of the facets endpoint for a field of the filter. */
export function facetOf({ field, path }: Pick<Wanted, "field" | "path">): string {
  const known: Record<string, string> = { status: "status", model: "model", user: "user", op: "op_name" };
  return known[field] ?? path;
}

export interface ToolbarProps {
  explorer: Explorer;
  attributes: readonly CallAttributePath[];
  columns: GridColumn<CallRow>[];
  input: RefObject<HTMLInputElement | null>;
  empty: boolean;
  /** Whether the list is on the screen: other reads wait for it. */
  rowsPainted: boolean;
  facetsOpen: boolean;
  onFacets: () => void;
}

export function Toolbar({ explorer, attributes, columns, input, empty, rowsPainted, facetsOpen, onFacets }: ToolbarProps) {
  const { project } = explorer;
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const values = useQuery({
    key: ["facet values", project, wanted?.path, wanted?.prefix],
    enabled: wanted !== null,
    staleTime: 30_000,
    read: async (signal) => {
      const field = facetOf(wanted!);
      const { facets } = await callFacets({ project_id: project, facets: [{ field, limit: 20, prefix: wanted!.prefix }] }, signal);
      return { field: wanted!.field, values: joinValues(field, facets[0]?.values ?? []) };
    },
  });
  const zone = timeZone.value;
  return (
    <div class="traces-bar">
      <div class="traces-line">
        <FilterInput
          value={explorer.text} onApply={(text) => explorer.setText(text)} inputRef={input} options={{ zone, now: explorer.now }} onWanted={setWanted}
          sources={{
            attributes: attributes.map(({ path, count }) => ({ path: attributeName(path), count })),
            values: (field) => (values.data?.field === field ? values.data.values : undefined),
          }}
        />
        <TimeRangePicker
          value={explorer.range} onChange={explorer.setRange} zone={zone} now={explorer.now}
          onZone={(next) => void setPreferences({ timeZone: next }).catch((error: unknown) => toastError("The zone was not stored", error))}
        />
        <LiveCounter explorer={explorer} empty={empty} />
      </div>
      <div class="traces-line">
        <Button kind="quiet" icon="sliders" pressed={facetsOpen} onClick={onFacets} attributes={{ "aria-expanded": facetsOpen }}>Facets</Button>
        <ViewsMenu enabled={rowsPainted} />
        <Segments<Scope>
          label="Rows" value={explorer.scope} onChange={explorer.setScope}
          options={[["roots", "Traces"], ["all", "All calls"]]}
        />
        <span class="ui-grow" />
        <ColumnsMenu columns={columns} layout={explorer.layout} onLayout={explorer.setLayout} />
      </div>
    </div>
  );
}
