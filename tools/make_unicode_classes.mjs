#!/usr/bin/env node
// Prints the ranges in src/weights/unicode_classes.cpp: letters, numbers and white space, by the Unicode version of
// this Node.

const classes = { kLetters: /\p{L}/u, kNumbers: /\p{N}/u, kSpaces: /\p{White_Space}/u };
const hex = (code) => `0x${code.toString(16).toUpperCase()}`;

for (const [name, pattern] of Object.entries(classes)) {
  const ranges = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!pattern.test(String.fromCodePoint(code))) continue;
    if (ranges.at(-1)?.last === code - 1) ranges.at(-1).last = code;
    else ranges.push({ first: code, last: code });
  }
  console.log(`constexpr Range ${name}[] = {`);
  console.log(ranges.map(({ first, last }) => `{${hex(first)}, ${hex(last)}},`).join(" "));
  console.log("};");
}
