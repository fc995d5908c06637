/** Answers of dprof before and after texts are replaced: all but the texts. */
import { runCli } from './run-cli.js';

const ANSWERS: readonly (readonly string[])[] = [
  ['summary', '-f', 'json'],
  ['--by', 'op', '-f', 'jsonl'],
  ['steps', '-f', 'jsonl'],
  ['critical-path', '-f', 'jsonl'],
  ['overlap', '-f', 'jsonl'],
  ['check', '-f', 'json'],
  ['-f', 'jsonl', '-c', 'idx,dir,sil,grid,block,tc,flops,bytes,device,stream'],
];

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value whose texts are the word `text`, so that only numbers and structure are compared. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutTexts(item)]));
}

/** A document without the sizes of the files that were read, which differ. */
function withoutSizes(document: unknown): unknown {
  const inputs = (document as { readonly inputs?: readonly object[] }).inputs;
  return inputs === undefined ? document : { ...(document as object), inputs: inputs.length };
}

/** Each answer to a file, without texts, with its exit code. */
export async function answersTo(path: string): Promise<Fields> {
  const found: Record<string, unknown> = {};
  for (const args of ANSWERS) {
    const { stdout, code } = await runCli('dprof', [...args, path]);
    const documents = args.includes('json') ? [stdout] : stdout.trim().split('\n');
    const rows = stdout === '' ? [] : documents.map((text) => withoutTexts(withoutSizes(JSON.parse(text))));
    found[args.slice(0, 2).join(' ')] = { code, rows };
  }
  return found;
}

/**
 * The column by which both lists are sorted; of several, the one with the most distinct numbers. Null when there is none: then
 * the order has another reason.
 */
function sortedBy(before: readonly Fields[], after: readonly Fields[]): string | null {
  let [found, most] = [null as string | null, 1];
  for (const key of Object.keys(before[0] ?? {})) {
    const columns = [before, after].map((items) => items.map((item) => item[key]));
    if (!columns.every(isSorted)) continue;
    const { size } = new Set(columns[0]);
    if (size > most) [found, most] = [key, size];
  }
  return found;
}

function isSorted(cells: readonly unknown[]): boolean {
  if (!cells.every((cell): cell is number => typeof cell === 'number')) return false;
  return [1, -1].some((sign) => cells.every((cell, i) => i === 0 || sign * (cell - (cells[i - 1] ?? cell)) >= 0));
}

/** A text by which items that differ are in the same order on both sides, however their lists are sorted. */
const canonical = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(canonical).sort().join()}]`
    : isFields(value)
      ? JSON.stringify(Object.entries(value).map(([key, item]) => [key, canonical(item)]))
      : JSON.stringify(value);

/** Items in the order of a column that both lists are sorted by; those with equal numbers in an order of their own. */
function inRuns(items: readonly Fields[], column: string): readonly Fields[] {
  const runs: Fields[][] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.[0]?.[column] === item[column]) last?.push(item);
    else runs.push([item]);
  }
  return runs.flatMap((run) => run.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)));
}

/**
 * Where two answers without texts differ, as paths. Items of a list must have the same order, unless they are equal in the
 * column by which the list is sorted: such items are sorted by texts.
 */
export function differences(before: unknown, after: unknown, path = ''): string[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length) return [`${path}: ${before.length} items, ${after.length}`];
    const column = before.every(isFields) && after.every(isFields) ? sortedBy(before, after) : null;
    const [from, to] = [before, after].map((items) => (column === null ? items : inRuns(items as Fields[], column)));
    return (from ?? []).flatMap((item, i) => differences(item, to?.[i], `${path}[${i}]`));
  }
  if (isFields(before) && isFields(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], `${path}.${key}`));
  }
  return Object.is(before, after) ? [] : [`${path}: ${JSON.stringify(before)}, ${JSON.stringify(after)}`];
}
