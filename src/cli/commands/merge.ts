/** `dprof merge`: files of partial answers → one. */
import type { StreamStatus } from '../../prof/input/stream-status.js';
import { checkOutput } from '../output.js';
import { MemberStore } from './partial/member-store.js';
import { readMembers } from './partial/read-members.js';
import { writeMembers } from './partial/write-members.js';
import { recordsCommand, type RecordsRequest } from '../records-command.js';

const USAGE = 'dprof merge [OPTION...] FILE... -o OUT';

async function run({ files, output, quiet }: RecordsRequest): Promise<void> {
  const inputs = files.length === 0 ? ['-'] : files;
  const existing = await checkOutput(output, inputs);
  const store = new MemberStore();
  try {
    const endings: StreamStatus[] = [];
    for (const file of inputs) endings.push(await readMembers(file, store, `usage: ${USAGE}`));
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
    usage: USAGE,
    about: [
      'Files of dprof partial, or of dprof merge, as one: all of their members, each once.',
      'Merging in any order, in any groups, and again, gives the same bytes.',
    ],
    operands: ['FILE: partial answers (also .gz). Default: stdin.'],
    options: [],
    notes: [
      [
        'A member is what dprof partial makes of one profile. Two profiles of one rank are two members.',
        'A file that is damaged or was edited is an error; of one that is cut off whole members are used, and the exit code',
        'is 1. Memory: 200 MB, and 1 KB a member. Compressed files and stdin may need room in TMPDIR.',
      ],
    ],
    examples: [
      'dprof merge rank*.part -o job.part',
      'dprof merge node0.part node1.part.gz | dprof ranks',
      'dprof merge run1.part run2.part -o both.part',
    ],
  },
  ['partial'],
  (_given, request) => run(request),
);
