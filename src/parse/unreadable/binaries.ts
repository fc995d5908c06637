/** Files that are recognised by their first bytes, as specified by their formats. The first match is used. */
import type { Probe, Unreadable } from '../reader.js';
import { closeSync, openSync, statSync } from 'node:fs';
import { readFully } from '../files.js';

/** Number of bytes that are searched at the end of a file, enough for the schema of a few hundred columns. */
const FOOTER_BYTES = 256 * 1024;

const isParquet = ({ head }: Probe): boolean => head.subarray(0, 4).toString('latin1') === 'PAR1';

/** Whether the end of the file contains all of some names. */
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

const PARQUET: readonly Unreadable[] = [
  {
    // Found by the name of the program that wrote it.
    title: 'records of dparse as Parquet',
    hint: 'give dprof the whole folder written by dparse -f parquet',
    sniff: hasNames('dparse'),
  },
  {
    title: 'a table of nsys export --type parquetdir',
    hint: 'give the folder with all tables',
    sniff: (probe) => ['correlationId', 'globalTid', 'globalPid'].some((name) => hasNames(name)(probe)),
  },
  {
    title: 'a table of Neuron Explorer',
    hint: 'give the folder with all tables',
    sniff: (probe) =>
      hasNames('start_ts', 'end_ts', 'duration_ns')(probe) || hasNames('timestamp', 'instance_id')(probe),
  },
  {
    title: 'a Parquet file of an unknown profiler',
    hint: 'dparse --formats lists the supported formats',
    sniff: isParquet,
  },
];

type Sniff = Unreadable['sniff'];

/** Whether the file has certain bytes at an offset. */
const magic =
  (bytes: string | readonly number[], at = 0): Sniff =>
  ({ head }) => {
    const wanted = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes);
    return head.subarray(at, at + wanted.length).equals(wanted);
  };

const anyOf =
  (...sniffs: readonly Sniff[]): Sniff =>
  (probe) =>
    sniffs.some((sniff) => sniff(probe));

const all =
  (...sniffs: readonly Sniff[]): Sniff =>
  (probe) =>
    sniffs.every((sniff) => sniff(probe));

const contains =
  (text: RegExp): Sniff =>
  ({ head }) =>
    text.test(head.toString('latin1'));

const ZIP = magic('PK\u0003\u0004');
/** A zip archive that begins with its end record. */
const EMPTY_ARCHIVE = magic('PK\u0005\u0006');

/** Compressed formats, and the programs that unpack them. Archives are read, but not those within them. */
const PACKED: readonly (readonly [title: string, sniff: Sniff, command: string])[] = [
  ['a zip archive in another archive', ZIP, 'unzip FILE'],
  ['compressed by lz4', magic([0x04, 0x22, 0x4d, 0x18]), 'lz4 -d FILE'],
  ['a 7-Zip archive', magic([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c]), '7z x FILE'],
  ['a tar archive in another archive', magic('ustar', 257), 'tar -xf FILE'],
];

/** Whether the head contains control characters other than white space, which texts do not have. */
const isBinary: Sniff = ({ head }) =>
  head.subarray(0, 4096).some((byte) => byte < 32 && (byte < 9 || byte > 13) && byte !== 27);

export const BINARIES: readonly Unreadable[] = [
  {
    title: 'an Nsight Compute report (.ncu-rep)',
    hint: 'print it with ncu --import FILE --csv --page raw > NEW.csv, which dparse reads',
    sniff: magic('NVR\0'),
  },
  {
    title: 'a file of torch.save (a zip archive with data.pkl), which is not a profile',
    hint: 'give the trace that torch.profiler exports: prof.export_chrome_trace(FILE)',
    sniff: all(ZIP, contains(/\/data\.pkl/)),
  },
  ...PACKED.map(([title, sniff, command]) => ({
    ...{ title, hint: `unpack it first: ${command}`, sniff },
  })),
  {
    title: 'an empty archive',
    hint: 'the archive is empty: pack the profile again',
    sniff: EMPTY_ARCHIVE,
  },
  {
    title: 'a Python pickle of an unknown program',
    hint: 'dparse reads only pickles that torch.cuda.memory._dump_snapshot writes',
    sniff: anyOf(...[2, 3, 4, 5].map((protocol) => magic([0x80, protocol]))),
  },
  ...PARQUET,
  {
    title: 'an Arrow table (perhaps from nsys export --type arrowdir)',
    hint: 'give the folder with all tables',
    sniff: anyOf(magic('ARROW1'), all(magic([0xff, 0xff, 0xff, 0xff]), magic([0x10, 0, 0, 0], 8))),
  },
  {
    title: 'an HDF5 file (perhaps from nsys export)',
    hint: 'run: nsys export --type sqlite FILE.nsys-rep, and parse the .sqlite',
    sniff: magic([0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]),
  },
  {
    title: 'a program or a library (ELF)',
    hint: 'profile it, and give what the profiler writes: dparse --formats',
    sniff: magic('\u007fELF'),
  },
  {
    title: 'a binary file of an unknown format',
    hint: 'dparse --formats lists what can be read; for a raw log of nvprof: nvprof --import-profile FILE --export-profile NEW',
    sniff: isBinary,
  },
];
