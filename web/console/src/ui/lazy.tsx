// Components whose libraries are loaded when they are first shown: Markdown, differences and plots.

import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { DiffViewProps } from "./content/diff_view.tsx";
import type { MarkdownViewProps } from "./content/markdown_view.tsx";
import { ErrorNote, Skeleton } from "./feedback.tsx";
import type { PlotProps } from "./plots/plot.tsx";
import { SafeText } from "./safe_text.tsx";

type State = "loading" | "failed";

/** Returns a component that shows `waiting` until the real one is loaded. A failed load is tried again at the next mount. */
export function lazyView<Props extends object>(
  load: () => Promise<FunctionComponent<Props>>, waiting: (props: Props, state: State) => ComponentChildren,
): FunctionComponent<Props> {
  let loaded: FunctionComponent<Props> | null = null;
  return (props: Props) => {
    const [View, setView] = useState<FunctionComponent<Props> | null>(() => loaded);
    const [state, setState] = useState<State>("loading");
    useEffect(() => {
      let mounted = true;
      if (View) return undefined;
      load().then(
        (view) => {
          loaded = view;
          if (mounted) setView(() => view);
        },
        () => {
          if (mounted) setState("failed");
        },
      );
      return () => {
        mounted = false;
      };
    }, [View]);
    return View ? <View {...props} /> : <>{waiting(props, state)}</>;
  };
}

/** MarkdownView; the text as it is until the lexer is loaded. */
export const LazyMarkdown = lazyView<MarkdownViewProps>(
  () => import("./content/markdown_view.tsx").then(({ MarkdownView }) => MarkdownView),
  ({ text }) => <pre class="ui-plain"><SafeText text={text} /></pre>,
);

export const LazyDiff = lazyView<DiffViewProps>(
  () => import("./content/diff_view.tsx").then(({ DiffView }) => DiffView),
  (_, state) => (state === "failed" ? <ErrorNote title="The comparison could not be loaded" /> : <Skeleton />),
);

export const LazyPlot = lazyView<PlotProps>(
  () => import("./plots/plot.tsx").then(({ Plot }) => Plot),
  ({ title, height = 180 }, state) => (
    <div style={{ minHeight: `${height + 28}px` }}>
      {state === "failed" ? <ErrorNote title={`The plot ${title} could not be loaded`} /> : <Skeleton label={`Loading ${title}`} lines={4} />}
    </div>
  ),
);
