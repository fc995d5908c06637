/** The key figures of a profile, as cards. */
import { lacking } from '../capture-hints.js';
import { element, note } from '../document/dom-elements.js';
import { valueOf } from '../figures/field.js';
import { namedFigure } from '../figures/figure.js';
import { STEP_NAMES } from '../figures/time-parts.js';
import { matrixUnitName } from '../matrix-unit-names.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import type { DisplayUnit } from '../document/units.js';

/** A figure, with words around it. */
interface FigureLine {
  readonly before?: string;
  readonly field: string;
  readonly unit: DisplayUnit;
  readonly after?: string;
  /** Time of which the figure is known: without any, neither is the figure. */
  readonly known?: string;
  /** Whether it is the part of the time of kernels that the card rests on: less than half is said to be. */
  readonly isBasis?: boolean;
}

interface FigureCard {
  readonly title: string;
  readonly main: FigureLine;
  readonly more: readonly FigureLine[];
  /** Shown in its place where its main figure is unknown. */
  readonly instead?: FigureCard;
}

const DEVICES = 'overview.devices.*';
const SPANS = `sum(${DEVICES}.span)`;
/** Those that communicate too. */
const ALL_KERNELS = `sum(${DEVICES}.counts.kernels) + sum(${DEVICES}.counts.communications)`;

const KERNELS = 'overview.kernels';

/** The part of the time of kernels that a card rests on. */
const restsOn = (known: string): FigureLine => ({
  before: 'known for ',
  field: `${known} / ${KERNELS}.time`,
  unit: 'share',
  after: ' of kernel time',
  isBasis: true,
});
const STEPS = 'overview.steps';

/** Time of kernels of which it is known whether they use the matrix unit. */
const UNIT_KNOWN = `${KERNELS}.time - ${KERNELS}.matrixUnit.unknown - ${KERNELS}.matrixUnit.untold`;

/** Where the host has no steps. */
const DEVICE_STEP_CARD: FigureCard = {
  title: `${STEP_NAMES.device}, median`,
  main: { field: `${STEPS}.device.median`, unit: 'ns' },
  more: [
    { before: 'steps: ', field: `${STEPS}.count`, unit: 'count' },
    { before: 'spread ', field: `${STEPS}.device.variation`, unit: 'share' },
  ],
};

const CARDS: readonly FigureCard[] = [
  {
    title: 'Span',
    main: { field: `max(${DEVICES}.end) - min(${DEVICES}.start)`, unit: 'ns' },
    more: [{ before: 'devices: ', field: ALL_KERNELS, unit: 'count', after: ' kernels' }],
  },
  {
    title: `${STEP_NAMES.host}, median`,
    main: { field: `${STEPS}.host.median`, unit: 'ns' },
    more: [
      { before: `${STEP_NAMES.device} `, field: `${STEPS}.device.median`, unit: 'ns' },
      { before: 'steps: ', field: `${STEPS}.count`, unit: 'count' },
      { before: 'spread ', field: `${STEPS}.host.variation`, unit: 'share' },
    ],
    instead: DEVICE_STEP_CARD,
  },
  {
    title: 'On UNIT',
    main: { field: `${KERNELS}.matrixUnit.used / ${KERNELS}.time`, unit: 'share', known: UNIT_KNOWN },
    more: [
      { field: `${KERNELS}.matrixUnit.used`, unit: 'ns', after: ' of kernel time', known: UNIT_KNOWN },
      {
        field: `${KERNELS}.matrixUnit.eligibleUsed / ${KERNELS}.matrixUnit.eligible`,
        unit: 'share',
        after: ' of what could be',
      },
      restsOn(UNIT_KNOWN),
    ],
  },
  {
    title: 'MFU',
    main: { field: `${KERNELS}.work.mfu`, unit: 'share' },
    more: [
      { before: 'of the span, ', field: SPANS, unit: 'ns', after: ', at peak FLOP/s' },
      { ...restsOn(`${KERNELS}.work.flopsRated`), before: 'FLOPs known for ' },
    ],
  },
  {
    title: 'Of peak FLOP/s',
    main: { field: `${KERNELS}.work.computeShare`, unit: 'share' },
    more: [
      { before: 'of kernel time; of peak bandwidth ', field: `${KERNELS}.work.memoryShare`, unit: 'share' },
      { ...restsOn(`${KERNELS}.work.rated`), before: 'both known for ' },
    ],
  },
  {
    title: 'No op known',
    main: { field: `${KERNELS}.unattributed.time / ${KERNELS}.time`, unit: 'share' },
    more: [{ before: 'of kernel time: ', field: `${KERNELS}.unattributed.count`, unit: 'count', after: ' kernels' }],
  },
];

function contentOf(view: PanelView, line: FigureLine): (Node | string)[] {
  const { before = '', field, unit, after = '', known, isBasis = false } = line;
  const isKnown = known === undefined || (valueOf(view, known) ?? 0) > 0;
  const value = isKnown ? valueOf(view, field) : null;
  const isLittle = isBasis && value !== null && value < 0.5;
  return [before, namedFigure(field, value, unit), after, isLittle ? ', under half' : ''];
}

const shownCard = (view: PanelView, { instead, ...card }: FigureCard): FigureCard =>
  instead !== undefined && valueOf(view, card.main.field) === null ? instead : card;

function make(view: PanelView): PanelContent {
  const { devices, header } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const unit = matrixUnitName(header);
  const count = `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}, `;
  const cards = CARDS.map((card) => shownCard(view, card)).map(({ title, main, more }) =>
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
  const shares =
    'The span of a device is the time from its first work to its last; kernel time is the sum of the durations of ' +
    'kernels; both are added up over devices. MFU: the time that known FLOPs take at the peaks of the units that they ' +
    'ran on, over the span; what is not known counts as nothing done.';
  return [element('dl', { class: 'cards' }, ...cards), note(shares)];
}

export const FIGURES: Panel = { id: 'figures', title: 'Key figures', width: 6, make };
