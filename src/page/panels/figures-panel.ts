/** The key figures of a profile, as cards. */
import { lacking } from '../capture-hints.js';
import { element, note } from '../document/dom-elements.js';
import { valueOf } from '../figures/field.js';
import { namedFigure } from '../figures/figure.js';
import { STEP_NAMES } from '../figures/time-parts.js';
import { counted } from '../../record/plural.js';
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

/** In texts `{unit}` stands for the matrix unit as its vendor calls it, `{devices}` for how many devices there are. */
interface FigureCard {
  readonly title: string;
  /** Why its main figure may be unknown: such a card is not shown. '': few profiles have it, and others need not say so. */
  readonly unknown: string;
  readonly main: FigureLine;
  readonly more: readonly FigureLine[];
  /** The main figure at which there is nothing to say, and the one that is as good as unknown. */
  readonly nothing?: number;
  readonly asUnknown?: number;
}

const DEVICES = 'overview.devices.*';
const SPANS = `sum(${DEVICES}.span)`;

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
const UNIT_KNOWN = `${KERNELS}.time - ${KERNELS}.matrixUnit.unknown - ${KERNELS}.matrixUnit.undetermined`;

const CPU = 'overview.cpu';

const NO_STEPS = 'the profile has no steps';

/** One concept a group: the first card whose main figure is known is shown. */
const CARDS: readonly (readonly FigureCard[])[] = [
  [
    {
      title: 'Span',
      unknown: 'no work has a time',
      main: { field: `max(${DEVICES}.end) - min(${DEVICES}.start)`, unit: 'ns' },
      more: [{ before: '{devices}, ', field: `${KERNELS}.count`, unit: 'count', after: ' kernels' }],
    },
  ],
  [
    {
      title: `${STEP_NAMES.host}, median`,
      unknown: NO_STEPS,
      main: { field: `${STEPS}.host.median`, unit: 'ns' },
      more: [
        { before: `${STEP_NAMES.device} `, field: `${STEPS}.device.median`, unit: 'ns' },
        { before: 'steps: ', field: `${STEPS}.count`, unit: 'count' },
        { before: 'spread ', field: `${STEPS}.host.variation`, unit: 'share' },
      ],
    },
    {
      title: `${STEP_NAMES.device}, median`,
      unknown: NO_STEPS,
      main: { field: `${STEPS}.device.median`, unit: 'ns' },
      more: [
        { before: 'steps: ', field: `${STEPS}.count`, unit: 'count' },
        { before: 'spread ', field: `${STEPS}.device.variation`, unit: 'share' },
      ],
    },
  ],
  [
    {
      title: 'On {unit}',
      unknown: 'no kernel is known to use them or not',
      main: { field: `${KERNELS}.matrixUnit.used / ${KERNELS}.time`, unit: 'share', known: UNIT_KNOWN },
      more: [
        { field: `${KERNELS}.matrixUnit.used`, unit: 'ns', after: ' of kernel time' },
        {
          before: 'of products that could: ',
          field: `${KERNELS}.matrixUnit.eligibleUsed / ${KERNELS}.matrixUnit.eligible`,
          unit: 'share',
        },
        restsOn(UNIT_KNOWN),
      ],
    },
  ],
  [
    {
      title: 'MFU',
      unknown: 'no kernel has known FLOPs and a known peak',
      main: { field: `${KERNELS}.work.mfu`, unit: 'share' },
      more: [
        { before: 'of the span of all devices together, ', field: SPANS, unit: 'ns' },
        { ...restsOn(`${KERNELS}.work.flopsRated`), before: 'FLOPs and their peak known for ' },
      ],
    },
  ],
  [
    {
      title: 'Of peak FLOP/s',
      unknown: 'no kernel has known FLOPs and bytes, and peaks to hold them against',
      main: { field: `${KERNELS}.work.computeShare`, unit: 'share' },
      more: [
        { before: 'while kernels run; of peak bandwidth ', field: `${KERNELS}.work.memoryShare`, unit: 'share' },
        { ...restsOn(`${KERNELS}.work.rated`), before: 'both known, and peaks to hold them against, for ' },
      ],
    },
  ],
  [
    {
      title: 'Cores busy',
      unknown: '',
      main: { field: `${CPU}.time / ${CPU}.traced`, unit: 'cores' },
      more: [{ before: 'mean, threads ran ', field: `${CPU}.time`, unit: 'ns', after: ' in all' }],
    },
  ],
  [
    {
      title: 'No op known',
      unknown: 'the profile has no ops',
      ...{ nothing: 0, asUnknown: 1 },
      main: { field: `${KERNELS}.unattributed.time / ${KERNELS}.time`, unit: 'share' },
      more: [{ before: 'of kernel time: ', field: `${KERNELS}.unattributed.count`, unit: 'count', after: ' kernels' }],
    },
  ],
];

/** The vendor's own MFU in place of ours: there is one of a name on a page. */
function neuronCard({ profile }: PanelView): FigureCard | null {
  const [only, ...others] = profile.neuron?.metrics ?? [];
  const at = (metric: string): number =>
    only?.rows.findIndex(({ name, value }) => name === metric && value !== null) ?? -1;
  const field = (metric: string): string => `neuron.metrics.0.rows.${at(metric)}.value / 100`;
  if (at('mfu_estimated_percent') < 0 || others.length > 0) return null;
  const main = { field: field('mfu_estimated_percent'), unit: 'share' } as const;
  const before = 'as neuron-profile defines it; HFU ';
  return { title: 'MFU', unknown: '', main, more: [{ before, field: field('hfu_estimated_percent'), unit: 'share' }] };
}

/** @param worded with the words that stand for others replaced */
function contentOf(view: PanelView, line: FigureLine, worded: (text: string) => string): (Node | string)[] {
  const { before = '', field, unit, after = '', isBasis = false } = line;
  const value = valueOf(view, field);
  const isLittle = isBasis && value !== null && value < 0.5;
  return [worded(before), namedFigure(field, value, unit), after, isLittle ? ', under half' : ''];
}

const isKnown = (view: PanelView, { field, known }: FigureLine): boolean =>
  valueOf(view, field) !== null && (known === undefined || (valueOf(view, known) ?? 0) > 0);

const isUnknown = (view: PanelView, { main, asUnknown }: FigureCard): boolean =>
  !isKnown(view, main) || (asUnknown !== undefined && valueOf(view, main.field) === asUnknown);

const isNothing = (view: PanelView, { main, nothing }: FigureCard): boolean =>
  nothing !== undefined && valueOf(view, main.field) === nothing;

function make(view: PanelView): PanelContent {
  const { devices, header } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const unit = matrixUnitName(header);
  const worded = (text: string): string =>
    text.replace('{unit}', unit).replace('{devices}', counted(devices.length, 'device'));
  const vendors = neuronCard(view);
  const asked = CARDS.map((group) => group.filter((card) => !isNothing(view, card)));
  const groups = asked.map((group) => (vendors !== null && group[0]?.title === vendors.title ? [vendors] : group));
  const shown = groups.flatMap((group) => group.filter((card) => !isUnknown(view, card)).slice(0, 1));
  const missing = groups.flatMap((group) => (group.every((card) => isUnknown(view, card)) ? group.slice(0, 1) : []));
  const cards = shown.map(({ title, main, more }) =>
    element(
      'div',
      { class: 'card' },
      element('dt', {}, worded(title)),
      element('dd', { class: 'main' }, ...contentOf(view, main, worded)),
      ...more.filter((line) => isKnown(view, line)).map((line) => element('dd', {}, ...contentOf(view, line, worded))),
    ),
  );
  const shares =
    'The span of a device is the time from its first work to its last; kernel time is the sum of the durations of ' +
    'kernels; both are added up over devices. MFU: the time that known FLOPs take at the peaks of the units that they ' +
    'ran on, over the span; what is not known counts as nothing done.';
  const reasons = missing.flatMap(({ title, unknown }) => (unknown === '' ? [] : `${worded(title)}: ${unknown}`));
  const unknown = reasons.length === 0 ? [] : [note(`Not known: ${reasons.join('; ')}.`)];
  return [element('dl', { class: 'cards' }, ...cards), ...unknown, note(shares)];
}

export const FIGURES: Panel = { id: 'figures', title: 'Key figures', width: 6, make };
