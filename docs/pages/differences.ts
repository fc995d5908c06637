/** docs/differences-from-pyprof.md: what changes for a user of PyProf or PyProf2. */
import type { Counts } from '../differences/counts.js';
import { RECORD_DIFFERENCES, type Topic } from '../differences/records.js';
import { DIFFERENCES, type Difference } from '../differences/table.js';
import { code, list, NOTICE, page, table } from './markdown.js';

const topic = ({ title, differences }: Topic): string =>
  [
    `### ${title}`,
    table(
      ['', 'reference says', 'we say', 'why', 'shows in'],
      differences.map((difference) => [
        `**${difference.title}**`,
        difference.reference,
        difference.ours,
        difference.why,
        difference.shows,
      ]),
    ),
  ].join('\n\n');

const formula = ({ formula: text, cells }: Difference): string =>
  [...(text === undefined ? [] : [code(text)]), `(${cells.join(', ')})`].join(' ');

const calculations = (counts: Counts): string =>
  table(
    ['', 'reference says', 'we say', 'why', 'formula (columns)', 'probes'],
    DIFFERENCES.map((difference) => [
      `**${difference.title}**`,
      difference.reference,
      difference.ours,
      difference.why,
      formula(difference),
      String(counts.byDifference[difference.id] ?? 0),
    ]),
  );

const summary = (counts: Counts): string =>
  list([
    `${counts.probes} probes: hand-made calls, each with a kernel name, given to both references and to our formulas`,
    `${counts.equalToPyprof2} with PyProf2's answer in every cell (op, FLOPs, bytes, tensor cores, params)`,
    `${counts.equalToNvidia} more agree with NVIDIA PyProf, and in ${counts.equalToEither} more each cell agrees with one of the two`,
    `${counts.explained} differ as listed below, in the cells named there, with values from hand-written formulas that are separate from the code`,
    `${counts.unaccounted} unaccounted for`,
  ]);

/** Where the default differs from PyProf's convention: ops, then FLOPs and bytes by both. */
const CONVENTION_ROWS: readonly (readonly [ops: string, byDefault: string, pyprof: string])[] = [
  [
    'linear, addmm, addmv, addbmm, baddbmm, convolutions: forward',
    'bytes with the bias, and with C unless beta is 0',
    'bytes of the two factors and the result',
  ],
  [
    'mse_loss',
    '2·E operations, backward 3·E, the mean or sum in a kernel of its own E; bytes = operands + one result per element, backward gradient + operands + gradient of the input',
    '2·p·E + 1 operations, p·E·size bytes; p = 2, + 1 for reduction none, + 1 backward',
  ],
  [
    'batch_norm',
    '5·E + 6·C operations in training, with given statistics 2·E, backward 9·E; bytes = operands + result + running and saved statistics, backward gradient + input + weight + statistics + gradients',
    '8·E operations, backward too; bytes without the statistics, but for those read forward',
  ],
  ['mean', 'E operations: n − 1 additions and a division for each result', 'E + E(result) operations'],
  [
    'masked_select, masked_scatter, nonzero',
    'bytes unknown: how many elements are chosen is not in the call',
    'every element chosen: bytes = 2·E·size + mask; nonzero input + 8·E·dimensions',
  ],
];

/** @param countsText text of docs/differences/counts.json */
export function differencesPage(countsText: string): string {
  const counts = JSON.parse(countsText) as Counts;
  return page(
    NOTICE,
    '# Differences from PyProf and PyProf2',
    'The references are PyProf2 (adityaiitb/pyprof2, commit b2ac338) and NVIDIA PyProf (NVIDIA/PyProf, commit 218dcc1). Commands, columns, keys, headers and the default columns are the same. The table lists the differences and the reasons:',
    '## Records and reports',
    ...RECORD_DIFFERENCES.map(topic),
    '## FLOPs, bytes, tensor cores, params',
    'Each difference is counted on probes. A test compares this table with them and fails for unlisted differences and for listed ones that no probe shows.',
    "The probes use `--convention pyprof`. By default a call of a Python function (PyProf's markers) counts as the dispatcher's op of the same name. An Nsight Systems profile with markers and one of PyTorch's profiler therefore give the same numbers for the same tensors. The convention changes:",
    table(['Python function calls', 'default', '`dprof --convention pyprof`'], CONVENTION_ROWS),
    summary(counts),
    calculations(counts),
  );
}
