/**
 * `dprof partial`: reduces profiles to partial answers, for answers about many of them. `dprof merge`: merges files of
 * partial answers into one.
 */
import { requireColumn, COLUMNS } from '../../prof/columns/columns.js';
import { MOST_EXACT } from '../../prof/partial/kernels/kernel-part-builder.js';
import type { StreamStatus } from '../../prof/input/stream-status.js';
import { grouped } from '../../record/plural.js';
import { splitKeys } from '../../table/column.js';
import { CHOICE_NAMES } from '../choice-options.js';
import { TABLE_NAMES, unfit } from '../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { checkOutput } from '../output.js';
import { MemberStore, writeMembers, readMembers } from './partial/member-store.js';
import { writePartial } from './partial/write-partial.js';
import { DEVICE_MEMORY, recordsCommand, type RecordsRequest } from '../records-command.js';

const MERGE_USAGE = 'dprof merge [OPTION...] FILE... -o OUT';

async function mergeFiles({ files, output, quiet }: RecordsRequest): Promise<void> {
  const inputs = files.length === 0 ? ['-'] : files;
  const existing = await checkOutput(output, inputs);
  const store = new MemberStore();
  try {
    const endings: StreamStatus[] = [];
    for (const file of inputs) endings.push(await readMembers(file, store, `usage: ${MERGE_USAGE}`));
    const cut = endings.find((ending) => ending.cut !== null)?.cut ?? null;
    if (cut !== null && store.size === 0) throw cut;
    await writeMembers(store, endings, { inputs, output, existing, quiet });
  } finally {
    store.dispose();
  }
}

export const merge = recordsCommand(
  {
    name: 'dprof merge',
    usage: MERGE_USAGE,
    about: [
      'Merges files of dprof partial or dprof merge; each profile appears once.',
      'The result is identical, byte for byte, whatever the order and grouping of merges.',
    ],
    operands: ['FILE: partial answers (also .gz). Default: stdin.'],
    options: [],
    unfit: unfit(
      [...CHOICE_NAMES, ...TABLE_NAMES, 'peaks'],
      'parts are merged unchanged; select with dprof partial or dprof summary',
    ),
    notes: [
      [
        'A member is the part of one profile. Two profiles of one rank are two members.',
        'A damaged or edited file is an error. The complete members of a truncated file are used; the exit code is',
        '1. Memory: 200 MB, and 1 KB per member. Compressed files and stdin may need space in TMPDIR.',
      ],
    ],
    examples: [
      'dprof merge rank*.part -o job.part',
      'dprof merge node0.part node1.part.gz | dprof ranks',
      'dprof merge run1.part run2.part -o both.part',
    ],
  },
  ['partial'],
  (_given, request) => mergeFiles(request),
);

const DEFAULT_BY = 'op,layer,kernel';

export const partial = recordsCommand(
  {
    name: 'dprof partial',
    usage: 'dprof partial [OPTION...] [FILE...] -o OUT',
    about: [
      'Reduces each profile to about 100 KB. summary, steps, ranks, diff and --by read this file instead of the profile, and',
      'dprof merge joins such files. For jobs of many ranks: run it next to each profile, then merge.',
    ],
    operands: ['FILE: a profile, or dparse records of several (also .gz). Default: stdin.'],
    options: [
      {
        name: 'by',
        takes: 'KEYS',
        help: `columns for --by and diff of the result, with rank and profile (${DEFAULT_BY})`,
        values: COLUMNS.map(({ key }) => key),
        list: true,
      },
      PEAKS_OPTION,
    ],
    unfit: unfit(
      [...CHOICE_NAMES, ...TABLE_NAMES],
      'a part covers a whole profile; to filter, use dprof --by KEYS --where EXPR PART',
    ),
    notes: [
      [
        'The answers equal those from the profiles. Exceptions: summary lists at most 100 names; for a profile with',
        `more than ${grouped(MOST_EXACT)} kernels medians and deviations of --by are accurate to 1.6 %; --where, sums by step and`,
        'conditions of diff need columns of --by. Commands that need individual kernels (html, stacks, --explain …) need the profile.',
      ],
      [
        'Each profile becomes a member with an id, the SHA-256 of its content; members are in order of rank, file and id.',
        'A truncated input is used up to the cut, an unreadable input is named; the exit code is 1.',
        `Memory: at most 450 MB, and ${DEVICE_MEMORY} in a profile; profiles are read one after the other.`,
      ],
    ],
    examples: [
      'dprof partial trace_rank7.json.gz -o rank7.part',
      'dprof partial --by op,layer,kernel,dir *.sqlite -o job.part',
      'dprof merge rank*.part -o job.part && dprof summary job.part',
    ],
  },
  ['partial'],
  (given, request) =>
    writePartial(request, {
      by: splitKeys('--by', given.text('by') ?? DEFAULT_BY).map((key) => requireColumn(key)),
      device: readPeaks(given),
    }),
);
