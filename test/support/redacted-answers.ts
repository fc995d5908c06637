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

/** Items of a list that are objects, in an order that does not depend on texts: equal times are sorted by them. */
const inOrder = (items: readonly unknown[]): readonly unknown[] =>
  items.some((item) => typeof item === 'object') ? items.map((item) => JSON.stringify(item)).sort() : items;

/** A value whose texts are the word `text`, so that only numbers and structure are compared. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return inOrder(value.map(withoutTexts));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutTexts(item)]));
}

/** A document without the sizes of the files that were read, which differ. */
function withoutSizes(document: unknown): unknown {
  const inputs = (document as { readonly inputs?: readonly object[] }).inputs;
  return inputs === undefined ? document : { ...(document as object), inputs: inputs.length };
}

/** Each answer to a file, without texts; an answer that is refused is its exit code. */
export async function answersTo(path: string): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const args of ANSWERS) {
    const { stdout, code } = await runCli('dprof', [...args, path]);
    const documents = args.includes('json') ? [stdout] : stdout.trim().split('\n');
    const texts = stdout === '' ? [] : documents;
    // Rows that are equal but for their texts may be in another order.
    found[args.slice(0, 2).join(' ')] = [
      code,
      ...texts.map((text) => JSON.stringify(withoutTexts(withoutSizes(JSON.parse(text))))).sort(),
    ];
  }
  return found;
}
