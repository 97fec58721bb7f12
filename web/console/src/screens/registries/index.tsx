// Registries: versions that projects share, by collection.

import { type Registry, getRegistry, listRegistries } from "../../api/artifacts";
import { usePages, useQuery } from "../../api/cache";
import { href, navigate, paths } from "../../app/location";
import { useMe } from "../../app/me";
import { Page } from "../../app/page";
import type { ScreenProps } from "../../app/screen";
import { codecs, useUrlState } from "../../app/url_state";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/feedback";
import { SafeText } from "../../ui/safe_text";
import { Badge } from "../../ui/status";
import { CollectionView } from "../shared_artifacts/collection_view";
import { registryPlace } from "../shared_artifacts/place";
import { VersionView } from "../shared_artifacts/version_view";
import { Ago, useNow } from "../shared_parts/ago";
import { connectionLine } from "../shared_parts/connection";
import { PagedTable } from "../shared_parts/paged_table";
import { RegistryDetail } from "./detail";
import { RegistryDialog } from "./registry_dialog";
import { useRegistryRights } from "./rights";

const snippet = () => [
  connectionLine(),
  `curl $URL/api/v1/registries -H "Authorization: Bearer $KEY" --json '{"name":"models","visibility":"organization"}'`,
  "spindle artifact link team/project/helper:production svc-registry-models/helper --alias staging --url $URL --key $KEY",
].join("\n");

function RegistryList() {
  const registries = usePages({ key: ["registries"], read: (cursor, signal) => listRegistries({ cursor, limit: 50 }, signal) });
  const { data: me } = useMe();
  const now = useNow();
  const [adding, setAdding] = useUrlState("new", codecs.flag());
  const mayAdd = me?.organization_admin || me?.memberships.some(({ role, pending }) => !pending && role !== "VIEWER");
  const add = mayAdd && <Button icon="add" kind="primary" onClick={() => setAdding(true)}>New registry</Button>;
  return (
    <Page title="Registries" lead="Versions that several projects share: link them by collection, and move aliases such as staging and production." actions={registries.items.length > 0 && add}>
      <PagedTable<Registry>
        state={registries} what="registries" label="Registries" rowKey={({ id }) => id} rowHref={({ name }) => href(paths.registries(name))}
        empty={(
          <Empty title="No registries yet" icon="layers" actions={add} snippets={[{ title: "The same by command", text: snippet() }]}>
            <p>A registry collects links to versions of projects, so that others find what is approved.</p>
          </Empty>
        )}
        columns={[
          { key: "name", title: "Name", cell: ({ name }) => <span class="cut"><SafeText text={name} line /></span> },
          { key: "visibility", title: "Visible to", cell: ({ visibility }) => <Badge>{visibility === "organization" ? "organization" : "members only"}</Badge> },
          { key: "description", title: "Description", wide: true, cell: ({ description }) => <span class="soft"><SafeText text={description} line /></span> },
          { key: "types", title: "Types", cell: ({ allow_all_artifact_types, artifact_types }) => <span class="cut">{allow_all_artifact_types ? "all" : <SafeText text={artifact_types.join(", ")} line />}</span> },
          { key: "by", title: "By", cell: ({ created_by }) => <span class="cut"><SafeText text={created_by} line /></span> },
          { key: "updated", title: "Changed", cell: ({ updated_at }) => <Ago time={updated_at} now={now} /> },
        ]}
      />
      {adding && mayAdd && <RegistryDialog administer onClose={() => setAdding(false, { replace: true })} onSaved={({ name }) => navigate(paths.registries(name))} />}
    </Page>
  );
}

function InRegistry({ registry, collection, version }: { registry: string; collection: string | undefined; version: string | undefined }) {
  const state = useQuery({ key: ["registry", registry], read: (signal) => getRegistry(registry, signal) });
  const rights = useRegistryRights(registry, state.data?.visibility === "restricted");
  const place = registryPlace(registry, rights);
  if (collection && version) return <VersionView key={`${collection} ${version}`} place={place} collection={collection} name={version} />;
  if (collection) return <CollectionView key={collection} place={place} name={collection} />;
  return <RegistryDetail name={registry} state={state} rights={rights} />;
}

export default function Registries({ params }: ScreenProps) {
  const { registry, collection, version } = params;
  return registry ? <InRegistry key={registry} registry={registry} collection={collection} version={version} /> : <RegistryList />;
}
