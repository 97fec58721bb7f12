// The collections of a place.

import { listCollections } from "../../api/artifacts";
import { usePages } from "../../api/cache";
import { codecs, useUrlState } from "../../app/url_state";
import { Select, TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { Ago } from "../shared_parts/ago";
import { PagedTable } from "../shared_parts/paged_table";
import { findCollections } from "./filters";
import { type Place, placeHref } from "./place";

const PAGE = 200;

export function CollectionTable({ place, now, empty }: { place: Place; now: number; empty: preact.ComponentChildren }) {
  const [find, setFind] = useUrlState("find", codecs.text());
  const [type, setType] = useUrlState("type", codecs.text());
  const pages = usePages({ key: ["collections", place.key, "pages"], read: (cursor, signal) => listCollections(place.home, { cursor, limit: PAGE }, signal) });
  const types = [...new Set([...pages.items.map((row) => row.type), ...(type ? [type] : [])])].sort();
  const rows = findCollections(pages.items, find, type);
  const none = pages.items.length === 0;
  return (
    <>
      {!none && (
        <div class="filters">
          <TextInput type="search" icon="search" label="Find a collection" placeholder="Find" value={find} onInput={(text) => setFind(text, { replace: true })} />
          <Select label="Type" value={type} onChange={(value) => setType(value)} options={[{ value: "", text: "All types" }, ...types.map((value) => ({ value, text: value }))]} />
        </div>
      )}
      <PagedTable
        state={pages} rows={rows} what="collections" label="Collections" rowKey={({ id }) => id} rowHref={({ name }) => placeHref(place, name)}
        empty={none ? empty : <p class="soft more-none">No collection matches.</p>}
        columns={[
          { key: "name", title: "Name", cell: ({ name }) => <span class="cut"><SafeText text={name} line /></span> },
          { key: "type", title: "Type", cell: (row) => <Badge><SafeText text={row.type} line /></Badge> },
          { key: "description", title: "Description", wide: true, cell: ({ description }) => <span class="soft"><SafeText text={description} line /></span> },
          { key: "tags", title: "Tags", cell: ({ tags }) => <span class="chips chips-line">{tags.slice(0, 3).map((tag) => <Badge key={tag} tone="accent"><SafeText text={tag} line /></Badge>)}</span> },
          { key: "by", title: "By", cell: ({ created_by }) => <span class="cut"><SafeText text={created_by} line /></span> },
          { key: "updated", title: "Changed", cell: ({ updated_at }) => <Ago time={updated_at} now={now} /> },
        ]}
      />
    </>
  );
}
