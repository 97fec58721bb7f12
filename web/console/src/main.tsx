import { render } from "preact";

render(<p>Spindle</p>, document.getElementById("app")!);
