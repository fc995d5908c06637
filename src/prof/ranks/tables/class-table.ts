/** A row a kind of operation, kind of group and size class. */
import { column, int, str } from '../../../table/column-kinds.js';
import type { Column } from '../../../table/column.js';
import type { TransferClass } from '../transfers.js';
import { transferColumns } from './transfer-table.js';

/** Groups as screens have them. */
export const groupsText = ({ groups, incomplete }: TransferClass): string =>
  incomplete === 0 ? String(groups) : `${groups}, ${incomplete} partly`;

export const CLASS_COLUMNS: readonly Column<TransferClass>[] = [
  column('kind', 'kind', str(14), 'kind of the operation', ({ kind }) => kind),
  column('group_kind', 'group_kind', str(10), 'what the group is for', ({ groupKind }) => groupKind),
  column(
    'size',
    'size_from',
    int(12, 'bytes'),
    'messages of this size, to less than four times of it',
    ({ size }) => size,
  ),
  column('groups', 'groups', int(6), 'groups', ({ groups }) => groups),
  column(
    'incomplete',
    'incomplete',
    int(10),
    'of these, groups with ranks whose profiles are not there: waits are lower bounds, transfers upper ones',
    ({ incomplete }) => incomplete,
    { machineOnly: true },
  ),
  column('operations', 'operations', int(10), 'matched operations', ({ operations }) => operations),
  ...transferColumns<TransferClass>((row) => row),
];

/** Columns of screens. */
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
