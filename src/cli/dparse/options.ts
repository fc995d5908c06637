/** The options of `dparse`, in one table for the parser and the help. */
import { labelledLine } from '../../table/readable.js';
import { usableCores } from '../../parse/files.js';
import { READERS } from '../../parse/registry.js';
import { UNREADABLE } from '../../parse/unreadable/unreadable.js';
import { requireName, UsageError } from '../../record/errors.js';
import { CHOICE_NAMES } from '../choice-options.js';
import { CAPTURE_OPTION, NCU_OPTION, NEFF_OPTION, TABLE_NAMES, unfit } from '../shared-options.js';
import {
  HELP_OPTION,
  integer,
  OUTPUT_OPTION,
  parseArguments,
  SILENT_OPTION,
  VERSION_OPTION,
  type Tool,
} from '../arguments.js';

const OUTPUT_FORMATS = ['records', 'pyprof', 'parquet'] as const;
/** Formats in which a record is a line of text. */
export type LineFormat = Exclude<(typeof OUTPUT_FORMATS)[number], 'parquet'>;

const READER_IDS = READERS.map(({ id }) => id);

export const DPARSE: Tool = {
  name: 'dparse',
  usage: 'dparse [OPTION...] INPUT...',
  about: ['Converts profiles of any profiler into one stream of records, one JSON object per line.'],
  operands: [
    'INPUT: files, folders (searched for profiles), globs, or - for stdin; also',
    'compressed with gzip, zstd, xz or bzip2, and archives (zip, tar).',
    'The format is detected by content, never by name.',
  ],
  options: [
    OUTPUT_OPTION,
    {
      name: 'format',
      short: 'f',
      takes: 'F',
      help: "write F: records, PyProf's net.dict, or Parquet in OUT/",
      choices: OUTPUT_FORMATS,
      formerly: { name: 'output-format' },
    },
    {
      name: 'input-format',
      takes: 'F',
      help: 'read the inputs as F, one of --formats',
      values: READER_IDS,
      // `--format` is now the format of the output.
      formerly: { name: 'format', values: new RegExp(`^(?:${READER_IDS.join('|')})$`) },
    },
    { name: 'jobs', short: 'j', takes: 'N', help: 'use N threads, at most one per core' },
    NEFF_OPTION,
    { name: 'force', help: 'use the NEFF even if it belongs to another program' },
    CAPTURE_OPTION,
    NCU_OPTION,
    { name: 'ranges', help: 'write CPU ranges too' },
    { name: 'derived', help: 'add samples: Nsight GPU counters, Neuron DMA activity' },
    { name: 'all', help: 'neuron-monitor: add undocumented fields' },
    SILENT_OPTION,
    { name: 'formats', help: 'list the formats that can be read' },
    HELP_OPTION,
    VERSION_OPTION,
  ],
  unfit: {
    ...unfit(
      [...CHOICE_NAMES, ...TABLE_NAMES, 'by', 'csv'],
      'dparse writes all records, dprof chooses: dparse FILE | dprof ...',
    ),
    ...unfit(['peaks'], 'dprof --peaks DEV'),
  },
  notes: [
    [
      'Memory per thread: at most 400 MB, 80 bytes per kernel or copy, 40 per CPU call, 50',
      'per range, 80 more per op; 470 to 710 MB for 1 GB, as rows beyond 160 MB wait in',
      'TMPDIR. Parquet adds 200 MB; raw Ascend data takes 7 times its size. Each thread',
      'parses one input; a single Nsight or NTFF input is shared by all threads. Default for',
      '-j: one per 16 MB, at most 8, within half of free memory and disk.',
    ],
    [
      'Parquet: OUT/type=kernel/rank=7/part-0.parquet, one file per type and profile.',
      'dparse redact: a copy of a profile that can be shared; see dparse redact --help',
    ],
  ],
  examples: [
    'dparse -o net.jsonl net.sql && dprof -w 150 net.jsonl',
    "dparse 'rank_*.json.gz' | dprof --csv -c rank,step,op,sil,peak > all.csv",
    'dparse -f parquet -o records/ ranks/*.json.gz',
    'dparse net.sqlite | jq -r \'select(.type=="copy") | [.kind,.dur] | @tsv\'',
  ],
};

export function formatsText(): string {
  const rows = READERS.map(({ id, title }) => `${labelledLine(id, title, 14)}\n`);
  const refused = UNREADABLE.map(({ title, hint }) => `  ${title}: ${hint}\n`);
  return `${rows.join('')}\nRecognised, with advice on what to do instead:\n${refused.join('')}`;
}

/** Parsing is CPU-bound, so more threads than cores cost start-up time and memory for nothing. */
const jobsOf = (text: string): number => Math.min(integer('-j', text, 1), usableCores());

/** @throws UsageError for invalid options */
export function readArguments(args: readonly string[]) {
  const given = parseArguments(DPARSE, args);
  const show = (['version', 'formats'] as const).find((name) => given.on(name)) ?? ('records' as const);
  if (show === 'records' && given.operands.length === 0) {
    throw new UsageError('no INPUT', `usage: ${DPARSE.usage}; see dparse --help`);
  }
  return {
    show,
    inputs: given.operands,
    output: given.text('output'),
    outputFormat: given.read('format', (text) => requireName('output format', text, OUTPUT_FORMATS)) ?? 'records',
    format: given.text('input-format'),
    jobs: given.read('jobs', jobsOf),
    ranges: given.on('ranges'),
    allFields: given.on('all'),
    derived: given.on('derived'),
    program: given.text('neff'),
    capture: given.text('capture'),
    ncu: given.text('ncu'),
    force: given.on('force'),
    quiet: given.on('quiet'),
  };
}

export type DparseRequest = Readonly<ReturnType<typeof readArguments>>;
