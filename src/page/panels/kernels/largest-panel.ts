/** The ops that take most of the time, or the kernels where most of it has no op: for the first look. */
import type { KernelTotal, OpTotal } from '../../../prof/html/kernels/kernel-data.js';
import { inDeviceWords } from '../../../record/glossary.js';
import { lacking } from '../../capture-hints.js';
import { panelLink } from '../../document/panel-link.js';
import { element } from '../../document/dom-elements.js';
import { kernelsNamed, ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { matrixUnitName } from '../../figures/shown-names.js';
import { listed, numbersOf, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';

const SHOWN = 5;

/** Share of kernel time without an op from which kernels say more. */
const MOSTLY_UNKNOWN = 0.5;

/** Share of kernel time, with a bar. */
const shareColumn = <Row extends { readonly time: number | null }>(
  path: string,
  whole: number | null,
  wholeName: string,
  title = 'Of kernel time',
): TableColumn<Listed<Row>> => {
  const share = ({ time }: Row): number | null => (time === null || whole === null || whole <= 0 ? null : time / whole);
  return {
    ...{ title, unit: 'share', cell: share, bar: share },
    field: ({ at }) => `${path}.${at}.time / ${wholeName}`,
  };
};

/** Which of the two peaks the op is nearer to. */
const ofPeak = ({ ofCompute, ofMemory }: OpTotal): 'ofCompute' | 'ofMemory' =>
  (ofMemory ?? -1) > (ofCompute ?? -1) ? 'ofMemory' : 'ofCompute';

function opTable(view: PanelView, rows: readonly Listed<OpTotal>[]): HTMLElement {
  const path = 'ops.shown';
  const number = numbersOf<OpTotal>(path);
  const columns: TableColumn<Listed<OpTotal>>[] = [
    {
      title: 'Op',
      cell: ({ op }) => op ?? 'no op',
      link: ({ op }, text) => (op === null ? null : eventsLink(view, text, ofOp(op))),
    },
    shareColumn(path, view.profile.ops.time, 'ops.time'),
    number('Device time', 'ns', 'time'),
    {
      ...{ title: 'Of peak', unit: 'share', cell: (row) => row[ofPeak(row)] },
      field: (row) => `${path}.${row.at}.${ofPeak(row)}`,
    },
    { title: 'Bound by', cell: ({ bound }) => bound?.name ?? null },
  ];
  return table({ caption: 'Largest ops', columns, rows, sortedBy: null, isChart: true });
}

function kernelTable(view: PanelView, rows: readonly Listed<KernelTotal>[]): HTMLElement {
  const path = 'kernels.shown';
  const number = numbersOf<KernelTotal>(path);
  const { header } = view.profile.overview;
  const whole = view.profile.overview.kernels?.time ?? null;
  const columns: TableColumn<Listed<KernelTotal>>[] = [
    {
      title: inDeviceWords('Kernel', header),
      cell: ({ name }) => name,
      link: ({ name }, text) => eventsLink(view, text, kernelsNamed(name)),
    },
    shareColumn(path, whole, 'overview.kernels.time', inDeviceWords('Of kernel time', header)),
    number('Device time', 'ns', 'time'),
    number(`On ${matrixUnitName(header)}`, 'share', 'tc'),
  ];
  return table({ caption: inDeviceWords('Largest kernels', header), columns, rows, sortedBy: null, isChart: true });
}

function make(view: PanelView): PanelContent {
  const { ops, kernels } = view.profile;
  if (kernels.shown.length === 0) return lacking(view, 'kernels');
  const unknown = ops.shown.find(({ op }) => op === null)?.time ?? 0;
  const areKernels = ops.time === null || ops.time <= 0 || unknown > MOSTLY_UNKNOWN * ops.time;
  const all = areKernels
    ? panelLink('kernels', inDeviceWords('All kernels', view.profile.overview.header))
    : panelLink('ops', 'All ops');
  return [
    areKernels
      ? kernelTable(view, listed(kernels.shown).slice(0, SHOWN))
      : opTable(
          view,
          listed(ops.shown)
            .filter(({ time }) => (time ?? 0) > 0)
            .slice(0, SHOWN),
        ),
    element('p', {}, all),
  ];
}

export const LARGEST: Panel = { id: 'largest', title: 'Where the time goes', width: 3, make };
