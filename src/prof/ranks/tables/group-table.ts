/** A row a group: its ranks, how its operations were matched, what of them could not be. */
import { column, int, str } from '../../../table/column-kinds.js';
import type { Column } from '../../../table/column.js';
import type { GroupReport } from '../job-report.js';
import { rangesText } from '../membership.js';
import { transferColumns } from './transfer-table.js';

const unmatchedOf = ({ unmatched }: GroupReport): number =>
  Object.values(unmatched).reduce((sum, count) => sum + count, 0);

/** What was said of the group, else its name. */
export const groupName = ({ name, pair }: GroupReport): string | null =>
  pair === null ? name : `${name ?? ''}${name === null ? '' : ' '}${pair[0]}>${pair[1]}`;

/** Ranks whose profiles are there as screens have them: of how many, where some are not. */
export const capturedText = ({ parts, size, isComplete }: GroupReport): string =>
  isComplete === false ? `${parts.length} of ${size}` : String(parts.length);

export const GROUP_COLUMNS: readonly Column<GroupReport>[] = [
  column('group', 'group', str(12), 'its name; of messages sender>receiver', groupName),
  column('description', 'description', str(24), 'what the program calls it', ({ description }) => description, {
    machineOnly: true,
  }),
  column('kind', 'kind', str(9), 'what it is for', ({ kind }) => kind),
  column(
    'inferred',
    'inferred',
    str(8),
    'whether the lists of ranks say so, and not the program',
    ({ kind, kindInferred }) => (kind === null ? null : kindInferred ? 'yes' : 'no'),
  ),
  column('ranks', 'ranks', str(12), 'ranks in it', ({ ranks, pair }) =>
    ranks === null ? null : rangesText(pair ?? ranks),
  ),
  column('size', 'size', int(5), 'how many there are', ({ size }) => size, { machineOnly: true }),
  column('captured', 'captured', int(8), 'of these, whose profiles are there', ({ parts }) => parts.length),
  column(
    'complete',
    'complete',
    str(8),
    'whether all profiles are there: of other groups waits are lower bounds, transfers upper ones',
    ({ isComplete }) => (isComplete === null ? null : isComplete ? 'yes' : 'no'),
    { machineOnly: true },
  ),
  column('machines', 'machines', int(8), 'machines of its ranks', ({ machines }) => machines, { machineOnly: true }),
  column('by', 'by', str(7), 'how operations were matched: ordinal, step, order', ({ by }) => by),
  column('matched', 'matched', int(8), 'operations that are known on several ranks', ({ matched }) => matched),
  column('unmatched', 'unmatched', int(9), 'operations of a rank without a counterpart', unmatchedOf),
  column(
    'why',
    'why',
    str(20),
    'why they have none',
    ({ unmatched, mismatch, doubt }) => mismatch ?? doubt ?? (Object.keys(unmatched).join(', ') || null),
  ),
  ...transferColumns<GroupReport>(({ transfers }) => transfers),
];

/** Columns of screens. */
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
