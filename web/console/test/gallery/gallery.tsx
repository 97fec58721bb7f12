// Shows every component with sample content: #basics, #forms, … or all of the small ones.

import { render } from "preact";

import "../../src/style/tokens.css";
import "../../src/style/base.css";
import "../../src/style/ui.css";
import "./gallery.css";
import { BigJson, Contents, Grid, Hostile, Plots, Trace } from "./content.tsx";
import { Basics, Forms, Layers } from "./parts.tsx";

const [name = "basics", theme, only] = location.hash.slice(1).split(",");
const PAGES: Record<string, () => preact.JSX.Element> = {
  basics: Basics, forms: Forms, layers: Layers, lists: () => <><Grid /><Trace /></>, contents: Contents, plots: Plots, hostile: () => <Hostile only={only} />,
  grid: () => <Grid height={760} />, huge: () => <Grid count={2_000_000} rowHeight={36} height={760} />, trace: () => <Trace height={760} />,
  json: () => <BigJson bytes={4_500_000} />, hugejson: () => <BigJson bytes={21_000_000} />,
};

if (theme) document.documentElement.dataset.theme = theme;
const Page = PAGES[name] ?? Basics;
const begun = performance.now();
render(<main><h1>Gallery: {name}</h1><Page /></main>, document.getElementById("app")!);
(window as unknown as { renderMilliseconds: number }).renderMilliseconds = performance.now() - begun;
