// Commands and code that send a first trace.

export interface SnippetPlace {
  /** The server, without a slash at the end. */
  server: string;
  /** `team/project` */
  project: string;
  /** The key, or a placeholder. */
  key: string;
}

export interface SnippetTab {
  name: "python" | "node" | "otlp" | "curl";
  text: string;
  parts: { title: string; text: string }[];
}

function environment({ server, key }: SnippetPlace): string {
  // The links that the SDKs print lead to another product.
  return `export WF_TRACE_SERVER_URL=${server}\nexport WANDB_BASE_URL=${server}\nexport WANDB_API_KEY=${key}\nexport WEAVE_PRINT_CALL_LINK=false`;
}

export function snippets(place: SnippetPlace): SnippetTab[] {
  const { server, project, key } = place;
  return [
    {
      name: "python",
      text: "Python",
      parts: [
        { title: "Install and connect", text: `pip install weave\n${environment(place)}` },
        {
          title: "Save as trace.py and run: python3 trace.py",
          text: `import weave\n\nweave.init("${project}")\n\n@weave.op\ndef greet(name: str) -> str:\n    return f"Hello, {name}!"\n\nprint(greet("Ada"))`,
        },
      ],
    },
    {
      name: "node",
      text: "Node",
      parts: [
        { title: "Install and connect", text: `npm install weave\n${environment(place)}` },
        {
          title: "Save as trace.mjs and run: node trace.mjs",
          text: `import * as weave from "weave";\n\nawait weave.init("${project}");\n\nconst greet = weave.op(async function greet(name) {\n  return \`Hello, \${name}!\`;\n});\n\nconsole.log(await greet("Ada"));`,
        },
      ],
    },
    {
      name: "otlp",
      text: "OpenTelemetry",
      parts: [
        {
          title: "For any exporter",
          text:
            `export OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=${server}/v1/traces\n` +
            "export OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf\n" +
            `export OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer ${key},project_id=${project}"`,
        },
      ],
    },
    {
      name: "curl",
      text: "curl",
      parts: [
        {
          title: "One call",
          text:
            `curl ${server}/v2/${project}/calls/complete -u api:${key} -d '{"batch": [{\n` +
            `  "project_id": "${project}", "id": "'$(cat /proc/sys/kernel/random/uuid)'",\n` +
            `  "trace_id": "'$(cat /proc/sys/kernel/random/uuid)'", "op_name": "greet",\n` +
            `  "started_at": "'$(date -u +%FT%TZ)'", "ended_at": "'$(date -u +%FT%TZ)'",\n` +
            `  "attributes": {}, "inputs": {"name": "Ada"}, "output": "Hello, Ada!", "summary": {}}]}'`,
        },
      ],
    },
  ];
}
