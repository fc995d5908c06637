/** What is measured, beside what, and what we want of it. */
import Database from 'better-sqlite3';
import { fromRoot } from '../built-tools.js';
import type { Command } from '../measure.js';
import { ASCEND_TABLES } from '../repeat-ascend.js';
import type { InputName } from './inputs.js';

/** A program and what it does to an input. */
interface Run {
  /** In words. */
  readonly what: string;
  readonly command: (input: string) => Command;
}

interface Goal {
  /** Times the seconds of what stands beside it. */
  readonly ratio?: number;
  /** 10^6 bytes of the input a second. */
  readonly speed?: number;
  /** Peak memory, 10^6 bytes. */
  readonly memory?: number;
}

export interface Work {
  readonly name: string;
  readonly input: InputName | null;
  readonly ours: Run;
  readonly beside: Run;
  /** The input of what stands beside it, where that is another one. */
  readonly besideInput?: InputName;
  readonly goal: Goal;
}

export const node = (...args: readonly string[]): Command => ({ program: process.execPath, args });
const dparseWith = (...args: readonly string[]): Run => ({
  what: ['dparse', ...args].join(' '),
  command: (input) => node(fromRoot('bin/dparse.js'), ...args, '-q', input),
});
const dparse = dparseWith();
const dprof = (...args: readonly string[]): Run => ({
  what: ['dprof', ...args].join(' '),
  command: (input) => node(fromRoot('bin/dprof.js'), ...args, '-q', input),
});

export const NSIGHT_TABLES = ['CUPTI_ACTIVITY_KIND_KERNEL', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'NVTX_EVENTS'];

/** Those of some tables that a database has. */
export function tablesIn(input: string, tables: readonly string[]): string[] {
  const database = new Database(input, { readonly: true });
  const known = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
  database.close();
  return tables.filter((table) => known.includes(table));
}

/** All rows of those of some tables that the database has. */
const sqliteJson = (tables: readonly string[]): Run => ({
  what: 'sqlite3 -json',
  command: (input) => {
    const queries = tablesIn(input, tables).map((table) => `SELECT * FROM ${table};`);
    return { program: 'sqlite3', args: ['-readonly', '-json', input, queries.join(' ')] };
  },
});
const shell = (what: string, line: string): Run => ({
  what,
  command: (input) => ({ program: '/bin/sh', args: ['-c', line, input] }),
});
const nothing: Run = { what: 'node -e 0', command: () => node('-e', '0') };
const pieces: Run = {
  what: 'JSON.parse in pieces',
  command: (input) => node(fromRoot('bench/parse-pieces.mjs'), input),
};
const lines: Run = {
  what: 'JSON.parse of each line',
  command: (input) => node(fromRoot('bench/parse-lines.mjs'), input),
};

/** `dprof` of a profile, with no records in between. */
const direct = (...args: readonly string[]): Work => ({
  name: `Nsight: ${['dprof', ...args].join(' ')}`,
  input: 'differing.sqlite',
  ours: dprof(...args),
  beside: dparse,
  goal: { ratio: 0.9 },
});

/** A job of many ranks, several at a time. */
const ranksBy = (jobs: number): Work => ({
  name: `ranks of a job, ${jobs} at a time`,
  input: 'ranks',
  ours: dparseWith('-j', String(jobs)),
  beside: dparseWith('-j', '1'),
  goal: { ratio: 1 },
});

/** Two profiles at a time, or one after the other. */
const twice = (...args: readonly string[]): Run => ({
  what: ['dparse', ...args].join(' '),
  command: (input) => node(fromRoot('bin/dparse.js'), ...args, '-q', input, input),
});

/** A page of records. */
const page = (name: string, input: InputName): Work => ({
  ...{ name, input, ours: dprof('html'), beside: lines },
  goal: { ratio: 1.5 },
});

export const WORKS: readonly Work[] = [
  {
    name: 'Nsight, no two texts equal',
    input: 'differing.sqlite',
    ours: dparse,
    beside: sqliteJson(NSIGHT_TABLES),
    goal: { ratio: 1.8 },
  },
  {
    name: 'Nsight, shapes repeat',
    input: 'repeating.sqlite',
    ours: dparse,
    beside: sqliteJson(NSIGHT_TABLES),
    goal: { ratio: 1.4 },
  },
  {
    name: 'records of Nsight',
    input: 'differing.dict',
    ours: dprof(),
    beside: dparse,
    besideInput: 'differing.sqlite',
    goal: { ratio: 0.5, memory: 300 },
  },
  direct(),
  direct('--by', 'op'),
  direct('summary'),
  direct('steps'),
  { name: 'PyTorch trace', input: 'trace.json', ours: dparse, beside: pieces, goal: { ratio: 1.5 } },
  {
    name: 'PyTorch trace, gzip',
    input: 'trace.json.gz',
    ours: dparse,
    beside: shell('gunzip', 'gunzip -c "$0" > /dev/null'),
    goal: {},
  },
  {
    name: 'NTFF',
    input: 'core.ntff',
    ours: dparse,
    beside: shell('sha256sum', 'cat "$0" | sha256sum'),
    goal: { ratio: 3.6 },
  },
  {
    name: 'Ascend database',
    input: 'ascend_pytorch_profiler_0.db',
    ours: dparse,
    beside: sqliteJson(ASCEND_TABLES),
    goal: { ratio: 1.9, memory: 800 },
  },
  ranksBy(2),
  ranksBy(4),
  { name: 'two PyTorch traces', input: 'trace.json', ours: twice(), beside: twice('-j', '1'), goal: { ratio: 0.6 } },
  page('page of a PyTorch trace', 'trace.dict'),
  page('page of records with ranges', 'ranges.dict'),
  page('page of Nsight, no two texts equal', 'differing.dict'),
  {
    name: 'start',
    input: null,
    ours: { what: 'dprof --version', command: () => node(fromRoot('bin/dprof.js'), '--version') },
    beside: nothing,
    goal: { ratio: 1.5 },
  },
  {
    name: 'start',
    input: null,
    ours: {
      what: 'dprof of a small profile',
      command: () => node(fromRoot('bin/dprof.js'), '-q', fromRoot('samples/lenet.nsys.sqlite')),
    },
    beside: nothing,
    goal: { ratio: 5 },
  },
];
