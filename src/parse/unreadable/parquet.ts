/** Parquet files, recognised by the names of their columns, which the end of the file has as they are. */
import { closeSync, openSync, statSync } from 'node:fs';
import { readFully } from '../files.js';
import type { Probe, Unreadable } from '../reader.js';

/** Bytes of the end that are searched: the schema of a few hundred columns. */
const FOOTER_BYTES = 256 * 1024;

const isParquet = ({ head }: Probe): boolean => head.subarray(0, 4).toString('latin1') === 'PAR1';

/** Whether its end has all of some names. */
const hasNames =
  (...names: readonly string[]) =>
  (probe: Probe): boolean => {
    if (!isParquet(probe)) return false;
    const footer = footerOf(probe.path);
    return names.every((name) => footer.includes(name));
  };

function footerOf(path: string): Buffer {
  const { size } = statSync(path);
  const bytes = Buffer.alloc(Math.min(size, FOOTER_BYTES));
  const file = openSync(path, 'r');
  try {
    return bytes.subarray(0, readFully(file, bytes, size - bytes.length));
  } finally {
    closeSync(file);
  }
}

export const PARQUET: readonly Unreadable[] = [
  {
    // The name of the program that wrote it.
    title: 'records of dparse as Parquet',
    hint: 'give dprof the folder that dparse -f parquet wrote',
    sniff: hasNames('dparse'),
  },
  {
    title: 'a table of nsys export --type parquetdir',
    hint: 'run: nsys export --type sqlite FILE.nsys-rep, and parse the .sqlite',
    sniff: (probe) => ['correlationId', 'globalTid', 'globalPid'].some((name) => hasNames(name)(probe)),
  },
  {
    title: 'a table of Neuron Explorer',
    hint: 'give the NTFF, with the NEFF beside it',
    sniff: hasNames('start_ts', 'end_ts', 'duration_ns'),
  },
  {
    title: 'a Parquet file of no known profiler',
    hint: 'dparse --formats lists what can be read',
    sniff: isParquet,
  },
];
