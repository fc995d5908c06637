/** Copies and sets by kind, with their bandwidth. */
import type { MemoryOperations } from '../../prof/summary/summary-data.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

interface MemoryOperationRow extends MemoryOperations {
  readonly at: number;
}

const field =
  (key: keyof MemoryOperations) =>
  ({ at }: MemoryOperationRow): string =>
    `overview.memory.${at}.${key}`;

function make(view: PanelView): PanelContent {
  const { memory } = view.profile.overview;
  if (memory.length === 0) return 'The profile holds no copies and no sets.';
  const most = Math.max(...memory.map(({ time }) => time));
  const columns: TableColumn<MemoryOperationRow>[] = [
    { title: 'Kind', cell: ({ kind }) => kind },
    { title: 'Count', unit: 'count', cell: ({ count }) => count, field: field('count') },
    { title: 'Time', unit: 'ns', cell: ({ time }) => time, field: field('time'), bar: ({ time }) => time / most },
    { title: 'Size', unit: 'bytes', cell: ({ bytes }) => bytes, field: field('bytes') },
    { title: 'Rate', unit: 'bytes/s', cell: ({ bytesPerS }) => bytesPerS, field: field('bytesPerS') },
  ];
  return [
    table({ caption: 'Memory operations', columns, rows: memory.map((one, at) => ({ ...one, at })), sortedBy: 2 }),
  ];
}

export const MEMORY_OPERATIONS: Panel = { id: 'memory-operations', title: 'Memory operations', width: 3, make };
