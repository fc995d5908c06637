/** Parquet folders of records that tests write, and what any reader finds in them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { freshPath } from './fresh-path.js';
import { runCli } from './run-cli.js';

/** Inputs that dparse reads, each with samples of other formats. */
export const SAMPLES = [
  'ascend_pt',
  'ascend_pytorch_profiler_0.db',
  'attention.neff',
  'attention.neuron.json',
  'attention.ntff',
  'decoder.pt.trace.json.gz',
  'lenet-2021.pt.trace.json',
  'lenet.nsys.sqlite',
  'lenet.nvprof.sql',
  'lenet.pt.trace.json.gz',
  'neuron-monitor.jsonl',
  'neuron-summary.json',
  'transformer.nsys.sqlite',
  'transformer.nvprof.sql',
] as const;

/** A folder of the records of inputs. @throws Error when dparse fails */
export async function writtenFolder(...args: readonly string[]): Promise<string> {
  const folder = freshPath('-records');
  const { code, stderr } = await runCli('dparse', ['-q', '-f', 'parquet', '-o', folder, ...args]);
  if (code !== 0) throw new Error(stderr);
  return folder;
}

/** The paths of the files of a folder, from the folder on. */
export const partsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.parquet'))
    .sort();

/** The rows of a file as the reading library has them. */
export const rowsOfFile = async (path: string): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: await asyncBufferFromFile(path) });

/** The rows of all files, with the type and the rank that their folders state, in the order of their lines. */
export async function rowsIn(folder: string): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  for (const part of partsOf(folder)) {
    const [, type = '', rank = ''] = /^type=(\w+).rank=(\w+)/.exec(part) ?? [];
    for (const row of await rowsOfFile(join(folder, part))) {
      rows.push({ ...row, type, rank: /^\d+$/.test(rank) ? BigInt(rank) : null });
    }
  }
  return rows.sort((a, b) => Number(a['profile']) - Number(b['profile']) || Number(a['line']) - Number(b['line']));
}
