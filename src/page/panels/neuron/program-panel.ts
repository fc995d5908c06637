/** The compiled program: its tensors with their shapes and sizes, and its layers with start and end. */
import type { ProfileSummary } from '../../../prof/summary/summary-data.js';
import { note, section } from '../../document/dom-elements.js';
import { timeLink } from '../../document/timeline-link.js';
import { quantityText } from '../../document/units.js';
import { listed, numbersOf, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';

type Program = NonNullable<ProfileSummary['program']>;
type LayerRun = Program['listedLayers'][number];
type TensorOfRole = Program['tensors'][number]['listed'][number];
type Tensor = Listed<TensorOfRole> & { readonly role: string | null; readonly field: string };

function tensors({ profile }: PanelView): HTMLElement[] {
  const roles = profile.overview.program?.tensors ?? [];
  if (roles.length === 0) return [];
  const rows = roles.flatMap(({ role, listed: list }, place) =>
    listed(list).map((one): Tensor => {
      return { ...one, role, field: `overview.program.tensors.${place}.listed.${one.at}.bytes` };
    }),
  );
  const columns: TableColumn<Tensor>[] = [
    { title: 'Tensor', cell: ({ name }) => name },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'Shape', cell: ({ shape }) => (shape === null ? null : shape.join(' × ')) },
    { title: 'Type', cell: ({ dtype }) => dtype },
    { title: 'Size', unit: 'bytes', cell: ({ bytes }) => bytes, field: ({ field }) => field },
  ];
  const rest = roles.reduce((sum, { count }) => sum + count, 0) - rows.length;
  return [
    section('Tensors', table({ caption: 'Tensors of the program', columns, rows, sortedBy: null }), ...restOf(rest)),
  ];
}

function layers(view: PanelView): HTMLElement[] {
  const program = view.profile.overview.program;
  if (program === null || program.layers === 0) return [];
  const rows = listed(program.listedLayers);
  const number = numbersOf<LayerRun>('overview.program.listedLayers');
  const columns: TableColumn<Listed<LayerRun>>[] = [
    {
      title: 'Layer',
      cell: ({ name }) => name,
      link: ({ start, end }, text) => (end === null ? null : timeLink(view, text, { from: start, to: end })),
    },
    { title: 'Core', cell: ({ device }) => (device === null ? null : String(device)) },
    number('Start', 'ns', 'start'),
    number('End', 'ns', 'end'),
    { title: 'Length', unit: 'ns', cell: ({ start, end }) => (end === null ? null : end - start) },
  ];
  const made = table({ caption: 'Layers of the program', columns, rows, sortedBy: null });
  return [section('Layers', made, ...restOf(program.layers - rows.length))];
}

const restOf = (rest: number): HTMLElement[] =>
  rest > 0 ? [note(`${quantityText(rest, 'count')} further ones are not on this page.`)] : [];

const make = (view: PanelView): PanelContent => [...tensors(view), ...layers(view)];

export const PROGRAM: Panel = {
  ...{ id: 'program', title: 'Compiled program', width: 6, make },
  isFor: ({ profile }) => profile.overview.program !== null,
};
