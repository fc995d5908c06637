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

/** A value whose texts are the word `text`, so that only numbers and structure are compared. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTexts(item)]));
}

/** Each answer to a file, without texts; an answer that is refused is its exit code. */
export async function answersTo(path: string): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const args of ANSWERS) {
    const { stdout, code } = await runCli('dprof', [...args, path]);
    const isDocument = args.includes('json');
    const texts = stdout === '' ? [] : isDocument ? stdout.trim().split(/\n(?=\{)/) : stdout.trim().split('\n');
    found[args.slice(0, 2).join(' ')] = [code, ...texts.map((text) => withoutTexts(JSON.parse(text)))];
  }
  return found;
}
