/** Columns of `dprof diff --by tree`: one table for all formats and the help. */
import { column, knownColumn, int, real, str, type Column, type ColumnFormat } from '../../../table/column.js';
import type { Which } from '../input-facts.js';
import { percentOf } from '../verdict.js';
import type { ChangeNode } from './change-tree.js';
import { CAUSES, type Cause } from './effects.js';

type Node = Column<ChangeNode>;

const SIGNED = { signed: true } as const;
const MACHINE_ONLY = { machineOnly: true } as const;
const NS = real(14, 1, 'ns');
const PERCENT = real(10, 2, '%');
const RATIO = real(9, 2);

/** A column for each input; the second has the same meaning for NEW. */
const pair = (
  name: string,
  format: ColumnFormat,
  doc: string,
  value: (node: ChangeNode, which: Which) => number | string | null,
  more: Partial<Node> = {},
): Node[] =>
  (['base', 'new'] as const).map((which) => {
    const key = `${which}_${name}`;
    return column(
      key,
      key,
      format,
      which === 'base' ? doc : doc.replaceAll('BASE', 'NEW'),
      (node) => value(node, which),
      more,
    );
  });

/** Share of the kernel time for which the floor is known, in %. */
const knownShare = (node: ChangeNode, which: Which): number | null => {
  const { floor, time } = node[which];
  return time > 0 ? (100 * floor.time) / time : null;
};

const partOf = (cause: Cause): Node =>
  knownColumn(
    `cause_${cause}_ns`,
    `cause_${cause}_ns`,
    NS,
    `part of change_ns with the cause ${cause}`,
    ({ effects }) => effects[cause] ?? 0,
    {
      ...SIGNED,
      ...MACHINE_ONLY,
    },
  );

/** The shown name, indented by its level. */
export const NAME_COLUMN: Node = knownColumn(
  'name',
  'name',
  str(0),
  'layer, op, call or kernel; [N more] has the parts that are not shown',
  ({ name }) => name,
  { narrow: ({ name, level }) => '  '.repeat(Math.max(0, level - 1)) + name },
);

export const TREE_COLUMNS: readonly Node[] = [
  knownColumn(
    'row',
    'row',
    str(5),
    'total, layer, op (with calls below it), leaf (with nothing below it), rest',
    ({ kind }) => kind,
    {
      ...MACHINE_ONLY,
      vocabulary: true,
    },
  ),
  knownColumn('level', 'level', int(5), 'level in the tree; 0 for the total', ({ level }) => level, MACHINE_ONLY),
  knownColumn('path', 'path', str(0), 'all names from the outermost layer on', ({ path }) => path, {
    ...MACHINE_ONLY,
    list: 'str',
    separator: ':',
  }),
  NAME_COLUMN,
  column(
    'cause',
    'cause',
    str(7),
    'cause with the largest part of the change; same below --min-effect',
    ({ cause }) => cause,
    {
      vocabulary: true,
      emphasis: ({ cause }) => cause !== 'same',
    },
  ),
  knownColumn('change_ns', 'change_ns', NS, 'change of the mean time per step', ({ change }) => change, SIGNED),
  column('share_percent', 'share_percent', PERCENT, 'share of the whole change', ({ share }) => share),
  ...pair('ns', NS, 'mean time per step in BASE', ({ each }, which) => each[which]),
  column(
    'change_percent',
    'change_percent',
    PERCENT,
    "change in % of BASE's time",
    ({ each }) => percentOf(each.base, each.new),
    SIGNED,
  ),
  ...pair(
    'gap',
    RATIO,
    'time divided by the minimum time on the device (roofline), for kernels of BASE with a known minimum',
    (node, which) => node[which].gap,
  ),
  column(
    'aligned',
    'aligned',
    str(8),
    'how the kernels of both inputs were aligned; na for a sum of parts, and for a part of one input only',
    ({ aligned }) => aligned,
    {
      vocabulary: true,
    },
  ),
  ...pair(
    'calls',
    int(7),
    'op calls in BASE (kernels if no op is known); na if BASE has groups of kernels, not single ones',
    (node, which) => node[which].calls,
  ),
  ...pair('kernels', int(7), 'kernels in BASE', (node, which) => node[which].kernels),
  ...pair(
    'gap_known_percent',
    PERCENT,
    'share of the time in BASE for which the minimum is known',
    knownShare,
    MACHINE_ONLY,
  ),
  ...pair('time_ns', NS, 'total time in BASE', (node, which) => node[which].time, MACHINE_ONLY),
  ...pair(
    'kernel',
    str(0),
    'kernel of BASE, if there is only one',
    (node, which) => node[which].names.only,
    MACHINE_ONLY,
  ),
  ...(Object.keys(CAUSES) as Cause[]).map(partOf),
];
