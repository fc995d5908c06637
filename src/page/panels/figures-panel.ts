/** The key figures of a profile, as cards. */
import { element, note } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { matrixUnitName } from '../matrix-unit-names.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import type { DisplayUnit } from '../document/units.js';

/** A figure, with words around it. */
interface FigureLine {
  readonly before?: string;
  readonly field: string;
  readonly unit: DisplayUnit;
  readonly after?: string;
}

interface FigureCard {
  readonly title: string;
  readonly main: FigureLine;
  readonly more: readonly FigureLine[];
}

const DEVICES = 'overview.devices.*';
const SPANS = `sum(${DEVICES}.span)`;

/** A share of the devices' spans, and its time. */
const ofSpan = (title: string, name: string, more: readonly FigureLine[] = []): FigureCard => ({
  title,
  main: { field: `sum(${DEVICES}.${name}) / ${SPANS}`, unit: 'share' },
  more: [{ field: `sum(${DEVICES}.${name})`, unit: 'ns' }, ...more],
});

const KERNELS = 'overview.kernels';
const STEPS = 'overview.steps';

const CARDS: readonly FigureCard[] = [
  {
    title: 'Span',
    main: { field: `max(${DEVICES}.end) - min(${DEVICES}.start)`, unit: 'ns' },
    more: [{ before: 'devices: ', field: `sum(${DEVICES}.counts.kernels)`, unit: 'count', after: ' kernels' }],
  },
  ofSpan('Busy', 'busy'),
  ofSpan('Idle', 'idle', [{ before: 'gaps: ', field: `sum(${DEVICES}.gaps.count)`, unit: 'count' }]),
  ofSpan('Launch-bound', 'gaps.host', [{ before: 'longest gap ', field: `max(${DEVICES}.gaps.longest)`, unit: 'ns' }]),
  ofSpan('Compute', 'compute'),
  ofSpan('Exposed communication', 'exposed', [
    { before: 'of ', field: `sum(${DEVICES}.communication)`, unit: 'ns', after: ' in all' },
  ]),
  ofSpan('Copies and sets', 'memory'),
  {
    title: 'Step, median',
    main: { field: `${STEPS}.median`, unit: 'ns' },
    more: [
      { before: 'steps: ', field: `${STEPS}.count`, unit: 'count' },
      { before: 'spread ', field: `${STEPS}.variation`, unit: 'share' },
    ],
  },
  {
    title: 'On UNIT',
    main: { field: `${KERNELS}.matrixUnit.used / ${KERNELS}.time`, unit: 'share' },
    more: [
      {
        field: `${KERNELS}.matrixUnit.eligibleUsed / ${KERNELS}.matrixUnit.eligible`,
        unit: 'share',
        after: ' of what could be',
      },
    ],
  },
  {
    title: 'Of peak FLOP/s',
    main: { field: `${KERNELS}.work.computeShare`, unit: 'share' },
    more: [{ before: 'of peak bandwidth ', field: `${KERNELS}.work.memoryShare`, unit: 'share' }],
  },
  {
    title: 'No op known',
    main: { field: `${KERNELS}.unattributed.time / ${KERNELS}.time`, unit: 'share' },
    more: [{ field: `${KERNELS}.unattributed.count`, unit: 'count', after: ' kernels' }],
  },
];

const contentOf = (view: PanelView, { before = '', field, unit, after = '' }: FigureLine): (Node | string)[] => [
  before,
  figure(view, field, unit),
  after,
];

function make(view: PanelView): PanelContent {
  const { devices, header } = view.profile.overview;
  if (devices.length === 0) return 'The profile holds no work of a device.';
  const unit = matrixUnitName(header);
  const count = `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}, `;
  const cards = CARDS.map(({ title, main, more }) =>
    element(
      'div',
      { class: 'card' },
      element('dt', {}, title.replace('UNIT', unit)),
      element('dd', { class: 'main' }, ...contentOf(view, main)),
      ...more.map((line) =>
        element('dd', {}, ...contentOf(view, line.before === 'devices: ' ? { ...line, before: count } : line)),
      ),
    ),
  );
  const shares = 'Shares are of the span of each device, from its first work to its last, added up over devices.';
  return [element('dl', { class: 'cards' }, ...cards), note(shares)];
}

export const FIGURES: Panel = { id: 'figures', title: 'Key figures', width: 6, make };
