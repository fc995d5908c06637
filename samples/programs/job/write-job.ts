/**
 * Writes a simulated job: the trace of each rank, truth.json and messages.jsonl. The same bytes (unpacked) on every run.
 *
 *   tsx samples/programs/job/write-job.ts --tp 2 --pp 2 --dp 2 --steps 5 --seed 1 --slow-layer 5:1:1.07 -o DIR
 *
 * Injections: --slow-layer RANK:LAYER:FACTOR, --slow-node NODE:FACTOR, --slow-link RANK:FACTOR[:GROUP KIND],
 * --data-loading RANK:NS. Clocks: --clocks none|on. Without --ordinals or --descriptions (`--no-…`) traces are those of
 * older versions of the framework. --records writes lines of records instead of traces.
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { traceName } from './context.js';
import type { GroupKind, Injections, JobRequest } from './options.js';
import { jobRecords } from './records.js';
import { simulateJob, type SimulatedJob } from './simulate.js';
import { jobTrace } from './trace.js';
import { messageLines, truthText } from './truth-file.js';

/** Options that are whole numbers, by their name on the command line. */
const NUMBERS = {
  seed: 'seed',
  tp: 'tp',
  pp: 'pp',
  dp: 'dp',
  steps: 'steps',
  layers: 'layers',
  'micro-batches': 'microBatches',
  'kernels-per-layer': 'kernelsPerLayer',
  'ranks-per-node': 'ranksPerNode',
} as const satisfies Readonly<Record<string, keyof JobRequest>>;

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;

const OPTIONS = {
  ...(Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, TEXT])) as Record<
    keyof typeof NUMBERS,
    typeof TEXT
  >),
  'slow-layer': TEXT,
  'slow-node': TEXT,
  'slow-link': TEXT,
  'data-loading': TEXT,
  clocks: { ...TEXT, default: 'on' },
  ordinals: { ...FLAG, default: true },
  descriptions: { ...FLAG, default: true },
  records: { ...FLAG, default: false },
  out: { ...TEXT, short: 'o' },
} as const;

type Values = Partial<Record<string, string | boolean>>;

/** The parts of `5:1:1.07`. */
function partsOf(values: Values, name: string): string[] | null {
  const value = values[name];
  return typeof value === 'string' ? value.split(':') : null;
}

function numberOf(text: string | undefined, what: string): number {
  const value = Number(text);
  if (text === undefined || text === '' || !Number.isFinite(value))
    throw new Error(`${what}: no number '${text ?? ''}'`);
  return value;
}

const GROUP_KINDS: readonly GroupKind[] = ['world', 'data', 'tensor', 'pipeline'];

function injectionsOf(values: Values): Injections {
  const read = <T>(name: string, of: (number: (place: number) => number, parts: readonly string[]) => T): T | null => {
    const parts = partsOf(values, name);
    return parts === null ? null : of((place) => numberOf(parts[place], `--${name}`), parts);
  };
  const slowLayer = read('slow-layer', (n) => ({ rank: n(0), layer: n(1), factor: n(2) }));
  const slowNode = read('slow-node', (n) => ({ node: n(0), factor: n(1) }));
  const slowLink = read('slow-link', (n, [, , name]) => {
    const kind = GROUP_KINDS.find((known) => known === name);
    if (name !== undefined && kind === undefined) throw new Error(`--slow-link: no kind of group '${name}'`);
    return { rank: n(0), factor: n(1), ...(kind === undefined ? undefined : { kind }) };
  });
  const dataLoading = read('data-loading', (n) => ({ rank: n(0), ns: n(1) }));
  return {
    ...(slowLayer === null ? undefined : { slowLayer }),
    ...(slowNode === null ? undefined : { slowNode }),
    ...(slowLink === null ? undefined : { slowLink }),
    ...(dataLoading === null ? undefined : { dataLoading }),
  };
}

function requestOf(values: Values): JobRequest {
  const numbers = Object.entries(NUMBERS).flatMap(([name, key]) => {
    const value = values[name];
    return typeof value === 'string' ? [[key, numberOf(value, `--${name}`)]] : [];
  });
  return {
    ...(Object.fromEntries(numbers) as JobRequest),
    ...(values['clocks'] === 'none' ? { clocks: 'none' } : undefined),
    inject: injectionsOf(values),
  };
}

/** Writes lines, some at a time. */
function writeLines(path: string, lines: Iterable<string>): void {
  const file = openSync(path, 'w');
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 1 << 20) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
}

function* recordLines(job: SimulatedJob, rank: number, format: { ordinals: boolean; descriptions: boolean }) {
  for (const record of jobRecords(job, rank, { ...format, profile: 0 })) yield `${JSON.stringify(record)}\n`;
}

/** @param args of the command line. @returns what was written, in words */
export function writeJob(args: readonly string[]): string {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, allowNegative: true });
  const { ordinals, descriptions, out } = values;
  if (out === undefined) throw new Error('where to? -o DIR');
  const job = simulateJob(requestOf(values));
  mkdirSync(out, { recursive: true });
  for (const { rank } of job.ranks) {
    if (values.records) writeLines(join(out, `rank_${rank}.jsonl`), recordLines(job, rank, { ordinals, descriptions }));
    else writeFileSync(join(out, traceName(rank)), gzipSync(jobTrace(job, rank, { ordinals, descriptions })));
  }
  writeFileSync(join(out, 'truth.json'), truthText(job));
  writeLines(join(out, 'messages.jsonl'), messageLines(job));
  return `${out}: ${job.ranks.length} ranks, ${job.channels.messages} messages\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stderr.write(writeJob(process.argv.slice(2)));
