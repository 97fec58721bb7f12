// The files of a version, to look at and to download.

import { useState } from "preact/hooks";

import { type ArtifactFile, fileUrl, listFiles, readArtifactFile } from "../../api/artifacts";
import { usePages, useQuery } from "../../api/cache";
import { Loaded } from "../../app/page";
import { codecs, useUrlState } from "../../app/url_state";
import { formatBytes } from "../../format/bytes";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { JsonView } from "../../ui/content/json_view";
import { safeHref } from "../../ui/content/links";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";
import { PagedTable } from "../shared_parts/paged_table";
import { canLook } from "./filters";
import type { Place } from "./place";

function Look({ place, collection, version, file, onClose }: { place: Place; collection: string; version: string; file: ArtifactFile; onClose: () => void }) {
  const text = useQuery({
    key: ["artifact file", place.key, collection, version, file.path],
    read: async (signal) => (await readArtifactFile(place.home, collection, version, file.path, signal)).text(),
    staleTime: Infinity,
  });
  return (
    <Dialog open onClose={onClose} title={file.path} size="large" actions={<Button onClick={onClose}>Close</Button>}>
      <Loaded state={text} what="file">
        {(content) => /\.json$/i.test(file.path)
          ? <div class="file-look"><JsonView label={file.path} text={content} bytes={file.size} /></div>
          : <pre class="file-look file-text" tabIndex={0} aria-label={file.path}><SafeText text={content} /></pre>}
      </Loaded>
    </Dialog>
  );
}

export function Files({ place, collection, version }: { place: Place; collection: string; version: string }) {
  const [prefix, setPrefix] = useUrlState("prefix", codecs.text());
  const [look, setLook] = useState<ArtifactFile | null>(null);
  const files = usePages({
    key: ["files", place.key, collection, version, prefix],
    read: (cursor, signal) => listFiles(place.home, collection, version, { cursor, limit: 100, ...(prefix ? { prefix } : {}) }, signal),
  });
  const many = prefix !== "" || files.hasMore || files.items.length > 10;
  return (
    <>
      {many && (
        <div class="filters"><TextInput type="search" icon="folder" label="Beginning of the path" placeholder="Beginning of the path" value={prefix} onInput={(text) => setPrefix(text, { replace: true })} /></div>
      )}
      <div class="files">
        <PagedTable
          state={files} what="files" label="Files" rowKey={({ path }) => path}
          empty={<p class="soft more-none">{prefix ? "No file begins so." : "This version has no files."}</p>}
          columns={[
            { key: "path", title: "Path", wide: true, cell: ({ path }) => <code class="wrap"><SafeText text={path} line /></code> },
            { key: "size", title: "Size", number: true, cell: ({ size }) => formatBytes(size) },
            { key: "digest", title: "MD5", cell: ({ digest, ref }) => <code class="cut faint"><SafeText text={ref ?? digest} line /></code> },
            {
              key: "actions", title: "Actions", hideTitle: true,
              cell: (file) => {
                const outside = file.ref === null ? null : safeHref(file.ref);
                return (
                  <span class="row-actions">
                    {place.files && canLook(file) && <Button small icon="eye" label={`View ${file.path}`} onClick={() => setLook(file)}>View</Button>}
                    {place.files && file.ref === null && (
                      <a class="ui-button ui-button-small" href={fileUrl(place.home, collection, version, file.path)} download={file.path.split("/").at(-1)}>Download</a>
                    )}
                    {outside && <a href={outside} target="_blank" rel="noreferrer noopener">Open the reference</a>}
                  </span>
                );
              },
            },
          ]}
        />
      </div>
      {look && <Look place={place} collection={collection} version={version} file={look} onClose={() => setLook(null)} />}
    </>
  );
}
