/** Copies and sets by kind, with their bandwidth. */
import type { MemoryOperations } from '../../prof/summary/summary-data.js';
import { fieldsOf, ratio, sumOf, type Field } from '../figures/field.js';
import { figureColumn, listed, numbersOf, type Listed } from '../figures/listed-rows.js';
import { toolNote } from '../document/dom-elements.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

const number = numbersOf<MemoryOperations>('overview.memory');

function make(view: PanelView): PanelContent {
  const { memory, notices } = view.profile.overview;
  if (memory.length === 0) return 'The profile holds no copies and no sets.';
  const shareOf = (row: Listed<MemoryOperations>): Field =>
    ratio(fieldsOf(`overview.memory.${row.at}`, memory[row.at])('time'), sumOf('overview.memory.*', memory, 'time'));
  const columns: TableColumn<Listed<MemoryOperations>>[] = [
    { title: 'Kind', cell: ({ kind }) => kind },
    number('Count', 'count', 'count'),
    number('Time', 'ns', 'time'),
    figureColumn('Share', 'share', shareOf, { bar: (row) => shareOf(row).value }),
    number('Size', 'bytes', 'bytes'),
    number('Rate', 'bytes/s', 'bytesPerS'),
  ];
  return [
    table({ caption: 'Memory operations', columns, rows: listed(memory), sortedBy: 2 }),
    ...notices.map(toolNote),
  ];
}

export const MEMORY_OPERATIONS: Panel = { id: 'memory-operations', title: 'Memory operations', width: 3, make };
