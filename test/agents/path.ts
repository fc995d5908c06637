/**
 * The part of jq's language that the questions need: `.a.b[0]`, `.a[]`, `select(.a == "b")`, `.a - .b`, joined by `|`.
 */

type Value = unknown;

const STEP = /\.?([A-Za-z_]\w*)|\[(\d*)\]/y;

/** Results of one path for one value. @throws Error for a key or index that does not exist, unlike jq */
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
      if (index === '') return Array.isArray(parent) ? (parent as Value[]) : [];
      const entries = new Map<string, Value>(Object.entries(parent ?? {}));
      const name = key ?? index ?? '';
      if (!entries.has(name)) throw new Error(`nothing at ${text.slice(0, at)}`);
      return [entries.get(name)];
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
