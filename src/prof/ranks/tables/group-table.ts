/** One row per group: its ranks, how its operations were matched, and which could not be. */
import { column, knownColumn, int, str, real, type Column } from '../../../table/column.js';
import type { GroupReport } from '../job-report.js';
import { rangesText } from '../membership.js';
import type { TransferClass, TransferSums } from '../transfers.js';

/** Columns for waiting and transferring, which the tables of operation classes and of groups share. */
const GIGA = 1e9;
const PERCENT = 100;

const whole = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value);

const inGiga = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : value / GIGA;

/** What the column `unsure` means. */
export const UNSURE =
  'share of the waiting that could be clock error: waits that do not exceed the possible error of the clocks';

/** @param sumsOf returns the sums of a row; null when nothing is matched */
const transferColumns = <Row extends { readonly linkPeak: number | null }>(
  sumsOf: (row: Row) => TransferSums | null,
): Column<Row>[] => [
  column('bytes', 'bytes', int(14, 'bytes'), 'sum of the known message sizes', (row) => sumsOf(row)?.bytes ?? null),
  column('wait', 'wait_ns', int(12, 'ns'), 'mean time that a rank waited for others', (row) =>
    whole(sumsOf(row)?.wait),
  ),
  column('unsure', 'unsure_%', real(8, 1, '%'), UNSURE, (row) => {
    const share = sumsOf(row)?.unsure ?? null;
    return share === null ? null : PERCENT * share;
  }),
  column('skew', 'skew_ns', int(12, 'ns'), 'median time from the first rank joining to the last', (row) =>
    whole(sumsOf(row)?.skew),
  ),
  column(
    'longest_skew',
    'longest_skew_ns',
    int(15, 'ns'),
    'longest time from the first rank joining to the last',
    (row) => whole(sumsOf(row)?.longestSkew),
  ),
  column('transfer', 'transfer_ns', int(12, 'ns'), 'median time from the last rank joining to the end', (row) =>
    whole(sumsOf(row)?.transfer),
  ),
  column('algbw', 'algbw', real(8, 2, 'GB/s'), "size divided by transfer time, as in NCCL's tests", (row) =>
    inGiga(sumsOf(row)?.algorithmBandwidth),
  ),
  column('busbw', 'busbw', real(8, 2, 'GB/s'), "bus bandwidth, as in NCCL's tests", (row) =>
    inGiga(sumsOf(row)?.busBandwidth),
  ),
  column('link', 'link_%', real(6, 1, '%'), "share of the links' peak in one direction, within a machine", (row) => {
    const rate = sumsOf(row)?.busBandwidth ?? null;
    return rate === null || row.linkPeak === null ? null : (PERCENT * rate) / row.linkPeak;
  }),
];

const unmatchedOf = ({ unmatched }: GroupReport): number =>
  Object.values(unmatched).reduce((sum, count) => sum + count, 0);

/** The description of the group if there is one, else its name. */
export const groupName = ({ name, pair }: GroupReport): string | null =>
  pair === null ? name : `${name ?? ''}${name === null ? '' : ' '}${pair[0]}>${pair[1]}`;

/** Number of ranks with a profile, for screens. When some are missing, the total is added. */
export const capturedText = ({ parts, size, isComplete }: GroupReport): string =>
  isComplete === false ? `${parts.length} of ${size}` : String(parts.length);

export const GROUP_COLUMNS: readonly Column<GroupReport>[] = [
  column('group', 'group', str(12), 'name of the group; for messages sender>receiver', groupName),
  column('description', 'description', str(24), 'name of the group in the program', ({ description }) => description, {
    machineOnly: true,
  }),
  column('kind', 'kind', str(9), 'purpose of the group', ({ kind }) => kind),
  column(
    'inferred',
    'inferred',
    str(8),
    'whether the kind was inferred from lists of ranks rather than stated by the program',
    ({ kind, kindInferred }) => (kind === null ? null : kindInferred ? 'yes' : 'no'),
  ),
  column('ranks', 'ranks', str(12), 'ranks in it', ({ ranks, pair }) =>
    ranks === null ? null : rangesText(pair ?? ranks),
  ),
  column('size', 'size', int(5), 'number of its ranks', ({ size }) => size, { machineOnly: true }),
  knownColumn('captured', 'captured', int(8), 'ranks of the group that have a profile', ({ parts }) => parts.length),
  column(
    'complete',
    'complete',
    str(8),
    'whether all ranks have a profile; in other groups waits are lower bounds and transfers upper bounds',
    ({ isComplete }) => (isComplete === null ? null : isComplete ? 'yes' : 'no'),
    { machineOnly: true },
  ),
  column('machines', 'machines', int(8), 'machines of its ranks', ({ machines }) => machines, { machineOnly: true }),
  column('by', 'by', str(7), 'how operations were matched: ordinal, step, order', ({ by }) => by),
  knownColumn('matched', 'matched', int(8), 'operations matched on several ranks', ({ matched }) => matched),
  knownColumn('unmatched', 'unmatched', int(9), 'operations of a rank without a match', unmatchedOf),
  column(
    'why',
    'why',
    str(20),
    'why they have no match',
    ({ unmatched, mismatch, doubt }) => mismatch ?? doubt ?? (Object.keys(unmatched).join(', ') || null),
  ),
  ...transferColumns<GroupReport>(({ transfers }) => transfers),
];

/** Columns on the screen. */
export const GROUP_SCREEN: readonly string[] = [
  'group',
  'kind',
  'ranks',
  'captured',
  'by',
  'matched',
  'unmatched',
  'wait',
  'transfer',
  'busbw',
  'link',
];

/** Groups as text for screens. */
export const groupsText = ({ groups, incomplete }: TransferClass): string =>
  incomplete === 0 ? String(groups) : `${groups}, ${incomplete} partly`;

export const CLASS_COLUMNS: readonly Column<TransferClass>[] = [
  column('kind', 'kind', str(14), 'kind of the operation', ({ kind }) => kind),
  column('group_kind', 'group_kind', str(10), 'purpose of the group', ({ groupKind }) => groupKind),
  column(
    'size',
    'size_from',
    int(12, 'bytes'),
    'messages from this size to under four times this size',
    ({ size }) => size,
  ),
  knownColumn('groups', 'groups', int(6), 'groups', ({ groups }) => groups),
  knownColumn(
    'incomplete',
    'incomplete',
    int(10),
    'groups with ranks without a profile: their waits are lower bounds, their transfers upper bounds',
    ({ incomplete }) => incomplete,
    { machineOnly: true },
  ),
  knownColumn('operations', 'operations', int(10), 'matched operations', ({ operations }) => operations),
  ...transferColumns<TransferClass>((row) => row),
];

/** Columns on the screen. */
export const CLASS_SCREEN: readonly string[] = [
  'kind',
  'group_kind',
  'size',
  'groups',
  'operations',
  'wait',
  'transfer',
  'busbw',
  'link',
];
