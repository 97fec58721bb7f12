// Leads from any id or reference to the screen that shows it.

import { useEffect, useState } from "preact/hooks";

import { useQuery } from "../../api/cache";
import { resolveRef } from "../../api/resolve";
import { href, navigate, navigateTo, paths } from "../../app/location";
import { Page } from "../../app/page";
import { navigationProject } from "../../app/place";
import type { ScreenProps } from "../../app/screen";
import { Button } from "../../ui/button";
import { ErrorNote, Spinner } from "../../ui/feedback";
import { Field } from "../../ui/field";
import { TextInput } from "../../ui/inputs";
import { SafeText } from "../../ui/safe_text";

/** Restores the slashes of a reference that an address bar has joined: `svc:/team` becomes `svc:///team`. */
function wholeRef(text: string): string {
  return text.replace(/^([a-z][\w-]*):\/{1,2}(?!\/)/, "$1:///");
}

export default function Resolve({ params }: ScreenProps) {
  const ref = wholeRef(params.ref ?? "");
  const found = useQuery({ key: ["resolve", ref], read: (signal) => resolveRef(ref, navigationProject.peek(), signal), keep: false });
  const [typed, setTyped] = useState(ref);
  useEffect(() => {
    if (found.data) navigateTo(href(found.data.path) + location.hash, { replace: true });
  }, [found.data]);
  if (found.loading || found.data) {
    return <div class="page"><Spinner label="Looking for it" /></div>;
  }
  const missing = found.error?.missing;
  return (
    <Page title={missing ? "Nothing found" : "It could not be looked up"} width="narrow">
      <div class="stack">
        {missing ? (
          <p>
            Nothing that you can see has the id <code><SafeText text={ref} line /></code>. {found.error?.message}
          </p>
        ) : (
          <ErrorNote
            title="The id could not be looked up"
            message={found.error?.message ?? null}
            requestId={found.error?.requestId ?? null}
            onRetry={found.refetch}
            retrying={found.refetching}
          />
        )}
        <form
          class="stack"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed.trim() !== "") navigate(paths.resolve(typed.trim()));
          }}
        >
          <Field label="Id or reference" hint="Of a call, trace, span, run, training job or delivery, or a reference that begins with svc:///">
            <TextInput value={typed} onInput={setTyped} mono />
          </Field>
          <div><Button type="submit" kind="primary" icon="search">Find</Button></div>
        </form>
      </div>
    </Page>
  );
}
