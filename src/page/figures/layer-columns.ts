/** Columns of the table of layers: times by direction, and why that of one direction is as long as it is. */
import type { LayerPart, LayerReason } from '../../prof/html/page-data.js';
import type { LayerNode } from '../charts/layer-tree.js';
import { inLayer, kernelsInLayer } from '../document/timeline-conditions.js';
import { eventsLink } from '../document/timeline-link.js';
import { quantityText, type DisplayUnit } from '../document/units.js';
import type { PanelView } from '../panel.js';
import { boundText } from './bound-names.js';
import type { TableColumn } from './table-cells.js';

type LayerColumn = TableColumn<LayerNode>;

/** A column of the table, and the part of a layer's kernels that the reasons are about when it sorts the table. */
export interface LayerHead {
  readonly column: LayerColumn;
  readonly part: LayerPart;
}

const number = (
  title: string,
  unit: DisplayUnit,
  key: 'time' | 'own' | 'forward' | 'backward' | 'ownBackward' | 'count' | 'flops' | 'bytes',
  isExtra = false,
): LayerColumn => ({
  ...{ title, unit, isExtra },
  cell: ({ row }) => row[key],
  field: ({ at }) => `layers.shown.${at}.${key}`,
});

const boundOf = ({ bound, boundShare }: LayerReason): string | null =>
  bound === null ? null : boundText(bound, boundShare);

/** @param part kernels that are explained */
function reasons(view: PanelView, part: LayerPart): LayerColumn[] {
  const of = part === 'all' ? '' : ` of ${part}`;
  return [
    {
      title: `Bound${of}`,
      cell: ({ row }) => {
        const why = row.why[part];
        return why === null ? null : boundOf(why);
      },
    },
    {
      title: `On matrix unit${of}`,
      unit: 'share',
      cell: ({ row }) => row.why[part]?.tc ?? null,
      field: ({ at }) => `layers.shown.${at}.why.${part}.tc`,
    },
    {
      title: `Slowest kernel${of}`,
      cell: ({ row }) => {
        const slowest = row.why[part]?.slowest;
        return slowest === undefined ? null : `${quantityText(slowest.time, 'ns')} ${slowest.name}`;
      },
      link: ({ row }, text) => {
        const slowest = row.why[part]?.slowest;
        return slowest === undefined ? null : eventsLink(view, text, kernelsInLayer(row.path, slowest.name), slowest);
      },
    },
  ];
}

/**
 * @param part kernels that are explained
 * @param toggle what stands before a layer's name
 */
export function layerHeads(
  view: PanelView,
  part: LayerPart,
  toggle: (node: LayerNode) => Node | null,
): readonly LayerHead[] {
  const { shown } = view.profile.layers;
  const whole = view.profile.overview.kernels?.time ?? null;
  const share = ({ row }: LayerNode): number | null => (whole === null || whole <= 0 ? null : row.time / whole);
  const head =
    (about: LayerPart) =>
    (column: LayerColumn): LayerHead => ({ column, part: about });
  const [all, forward, backward] = [head('all'), head('forward'), head('backward')];
  // Where all work of all layers is forward, the directions say nothing.
  const isDirected = shown.some(({ time, forward, backward }) => backward > 0 || (forward > 0 && forward < time));
  return [
    all({
      title: 'Layer',
      cell: ({ name }) => name,
      copied: ({ row }) => row.path.join(' / '),
      before: toggle,
      link: ({ row }, text) => eventsLink(view, text, inLayer(row.path)),
    }),
    all(number('Time', 'ns', 'time')),
    all({
      title: 'Share',
      unit: 'share',
      cell: share,
      field: ({ at }) => `layers.shown.${at}.time / overview.kernels.time`,
      bar: share,
    }),
    all(number('Own', 'ns', 'own')),
    ...(isDirected
      ? [
          forward(number('Forward', 'ns', 'forward')),
          backward(number('Backward', 'ns', 'backward')),
          backward(number('Own backward', 'ns', 'ownBackward')),
        ]
      : []),
    ...reasons(view, part).map(head(part)),
    all(number('Kernels', 'count', 'count', true)),
    all(number('FLOPs', 'flop', 'flops', true)),
    all(number('Bytes', 'bytes', 'bytes', true)),
  ];
}
