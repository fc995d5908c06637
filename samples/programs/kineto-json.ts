/** Trace events as text. Written by hand, since numbers keep their decimals and each dialect breaks its own lines. */

/** A value as it stands in a trace. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json } | Literal;

/** A number with its decimals as written. */
export interface Literal {
  readonly literal: string;
}

export const literal = (text: string): Literal => ({ literal: text });

const isLiteral = (value: object): value is Literal => 'literal' in value;

function text(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => text(item)).join(', ')}]`;
  return isLiteral(value) ? value.literal : `{${members(value as Fields).join(', ')}}`;
}

export type Fields = Readonly<Record<string, Json>>;

const members = (fields: Fields): string[] =>
  Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}: ${text(value)}`);

/** Those that every event has stand on one line, times on the next, args on lines of their own. */
export function event(head: Fields, times: Fields, args: Fields | null): string {
  const lines = [`    ${members(head).join(', ')}`, `    ${members(times).join(', ')}`];
  if (args !== null) lines.push(`    "args": {\n      ${members(args).join(', ')}\n    }`);
  return `  {\n${lines.filter((line) => line.trim() !== '').join(',\n')}\n  }`;
}

/** A whole trace. */
export const trace = (before: Fields, events: readonly string[], behind: Fields): Buffer =>
  Buffer.from(
    `{\n${[
      ...members(before).map((member) => `  ${member}`),
      `  "traceEvents": [\n${events.join(',\n')}\n  ]`,
      ...members(behind).map((member) => `  ${member}`),
    ].join(',\n')}\n}\n`,
  );
