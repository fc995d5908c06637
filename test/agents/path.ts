/**
 * The part of jq's language that the questions need: `.a.b[0]`, `.a[]`, `select(.a == "b")`, `.a - .b`, joined by `|`.
 */

type Value = unknown;

const STEP = /\.?([A-Za-z_]\w*)|\[(\d*)\]/y;

/** Results of one path for one value; an unknown key or index gives null, as in jq. */
function pathOf(text: string, value: Value): Value[] {
  let values: Value[] = [value];
  STEP.lastIndex = 0;
  let at = text === '.' ? text.length : 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) throw new Error(`not a path: ${text}`);
    at = STEP.lastIndex;
    const [, key, index] = found;
    values = values.flatMap((parent) => {
      const entries = parent as Readonly<Record<string, Value>> | readonly Value[] | null;
      if (index === '') return Array.isArray(entries) ? (entries as Value[]) : [];
      return [(entries as Readonly<Record<string, Value>> | null)?.[key ?? index ?? ''] ?? null];
    });
  }
  return values;
}

function stage(text: string, value: Value): Value[] {
  const [, less, subtracted] = /^(\S+) - (\S+)$/.exec(text) ?? [];
  if (less !== undefined && subtracted !== undefined)
    return [Number(pathOf(less, value)[0]) - Number(pathOf(subtracted, value)[0])];
  const [, path, wanted] = /^select\((.+?) == (.+)\)$/.exec(text) ?? [];
  if (path === undefined || wanted === undefined) return pathOf(text, value);
  return pathOf(path, value).includes(JSON.parse(wanted)) ? [value] : [];
}

/** All results of an expression. */
export const results = (expression: string, document: Value): Value[] =>
  expression.split(' | ').reduce<Value[]>((values, text) => values.flatMap((value) => stage(text, value)), [document]);
