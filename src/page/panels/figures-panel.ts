/** The key figures of a profile, as cards. */
import { inDeviceWords } from '../../record/glossary.js';
import { lacking } from '../capture-hints.js';
import { element, note } from '../document/dom-elements.js';
import type { PageProfile } from '../../prof/html/page-data.js';
import { difference, fieldsOf, leastOf, mostOf, ratio, type Field } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { STEP_NAMES, matrixUnitName } from '../figures/shown-names.js';
import { isMostly } from '../../record/units.js';
import { meaningOf } from '../../record/glossary.js';
import { counted } from '../../record/plural.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../panel.js';
import type { DisplayUnit } from '../document/units.js';

/** A figure with surrounding words. */
interface FigureLine {
  readonly before?: string;
  readonly field: Field;
  readonly unit: DisplayUnit;
  readonly after?: string;
  /** Time for which the figure is known; when it is 0, the figure is unknown. */
  readonly known?: Field;
  /** Whether it is the share of kernel time on which the card's main figure is based. */
  readonly isBasis?: boolean;
}

/** In texts, `{unit}` stands for the vendor's name of the matrix unit, `{devices}` for the number of devices. */
interface FigureCard {
  readonly title: string;
  /** Description of the figure, shown on hovering over its title. */
  readonly about: string;
  /**
   * Why the main figure may be unknown; the card is not shown then. '' means that few profiles have the figure, and that
   * its absence is not mentioned.
   */
  readonly unknown: string;
  readonly main: FigureLine;
  readonly more: readonly FigureLine[];
  /** Meaning of the main figure when it is based on less than half of kernel time: a lower bound, or not known. */
  readonly partial?: 'least' | 'unknown';
  /** Value of the main figure for which no card is needed; `asUnknown` is the value that is treated as unknown. */
  readonly nothing?: number;
  readonly asUnknown?: number;
}

/** The numbers that cards show. */
function numbersOf({ overview: { devices, kernels, steps, cpu } }: PageProfile) {
  const device = 'overview.devices.*';
  const first = kernels?.unattributed.reasons[0];
  const kernel = fieldsOf('overview.kernels', kernels);
  const unit = fieldsOf('overview.kernels.matrixUnit', kernels?.matrixUnit);
  return {
    span: difference(mostOf(device, devices, 'end'), leastOf(device, devices, 'start')),
    kernel,
    unit,
    /** Kernel time for which it is known whether the matrix unit is used. */
    unitKnown: difference(kernel('time'), unit('unknown'), unit('undetermined')),
    work: fieldsOf('overview.kernels.work', kernels?.work),
    unattributed: fieldsOf('overview.kernels.unattributed', kernels?.unattributed),
    /** The reason why most of the time has no op. */
    reason: {
      name: first?.name ?? '',
      time: fieldsOf('overview.kernels.unattributed.reasons.0', first)('time'),
    },
    steps: fieldsOf('overview.steps', steps),
    host: fieldsOf('overview.steps.host', steps?.host),
    device: fieldsOf('overview.steps.device', steps?.device),
    cpu: fieldsOf('overview.cpu', cpu),
  };
}
type Numbers = ReturnType<typeof numbersOf>;

/** The share of kernel time on which a card is based. */
const restsOn = (known: Field, { kernel }: Numbers): FigureLine => ({
  before: 'known for ',
  field: ratio(known, kernel('time')),
  unit: 'share',
  after: ' of kernel time',
  isBasis: true,
});

const NO_STEPS = 'the profile has no steps';

/** Groups of cards. The first card of a group whose main figure is known is shown. */
const CARDS: readonly ((numbers: Numbers) => readonly FigureCard[])[] = [
  ({ span, kernel }) => [
    {
      title: 'Span',
      about: meaningOf('span'),
      unknown: 'no work has a time',
      main: { field: span, unit: 'ns' },
      more: [
        {
          before: '{devices}, ',
          field: kernel('count'),
          unit: 'count',
          after: kernel('count').value === 1 ? ' kernel' : ' kernels',
        },
      ],
    },
  ],
  ({ steps, host, device }) => [
    {
      title: `${STEP_NAMES.host}, median`,
      about: meaningOf('step (host)'),
      unknown: NO_STEPS,
      main: { field: host('median'), unit: 'ns' },
      more: [
        { before: `${STEP_NAMES.device} `, field: device('median'), unit: 'ns' },
        { before: 'steps: ', field: steps('count'), unit: 'count' },
        { before: 'spread ', field: host('variation'), unit: 'share' },
      ],
    },
    {
      title: `${STEP_NAMES.device}, median`,
      about: meaningOf('step (device)'),
      unknown: NO_STEPS,
      main: { field: device('median'), unit: 'ns' },
      more: [
        { before: 'steps: ', field: steps('count'), unit: 'count' },
        { before: 'spread ', field: device('variation'), unit: 'share' },
      ],
    },
  ],
  (numbers) => {
    const { kernel, unit, unitKnown } = numbers;
    return [
      {
        title: 'On {unit}',
        about: meaningOf('on the matrix unit'),
        unknown: 'unknown for every kernel',
        partial: 'least',
        main: { field: ratio(unit('used'), kernel('time')), unit: 'share', known: unitKnown },
        more: [
          { field: unit('used'), unit: 'ns', after: ' of kernel time' },
          { before: 'of eligible products: ', field: ratio(unit('eligibleUsed'), unit('eligible')), unit: 'share' },
          restsOn(unitKnown, numbers),
        ],
      },
    ];
  },
  (numbers) => [
    {
      title: 'MFU',
      about: meaningOf('MFU'),
      unknown: 'no kernel has known FLOPs and a known peak',
      partial: 'least',
      main: { field: numbers.work('mfu'), unit: 'share' },
      more: [{ ...restsOn(numbers.work('flopsRated'), numbers), before: 'FLOPs known for ' }],
    },
  ],
  (numbers) => [
    {
      title: 'Of peak FLOP/s',
      about: meaningOf('of peak FLOP/s'),
      unknown: 'no kernel has known FLOPs and bytes, and known peaks',
      partial: 'unknown',
      main: { field: numbers.work('computeShare'), unit: 'share' },
      more: [
        { before: 'while kernels run; of peak bandwidth ', field: numbers.work('memoryShare'), unit: 'share' },
        {
          ...restsOn(numbers.work('rated'), numbers),
          before: 'measured on ',
        },
      ],
    },
  ],
  ({ cpu }) => [
    {
      title: 'Cores busy',
      about: meaningOf('cores busy'),
      unknown: '',
      main: { field: ratio(cpu('time'), cpu('traced')), unit: 'cores' },
      more: [{ before: 'on average; ', field: cpu('time'), unit: 'ns', after: ' CPU time in total' }],
    },
  ],
  ({ kernel, unattributed, reason }) => [
    {
      title: 'No op known',
      about: meaningOf('without op'),
      unknown: '',
      ...{ nothing: 0, asUnknown: 1 },
      main: { field: ratio(unattributed('time'), kernel('time')), unit: 'share' },
      more: [
        {
          before: 'of kernel time: ',
          field: unattributed('count'),
          unit: 'count',
          after: unattributed('count').value === 1 ? ' kernel' : ' kernels',
        },
        { before: `${reason.name}: `, field: reason.time, unit: 'ns' },
      ],
    },
  ],
];

/** The vendor's MFU replaces ours, because a page shows only one figure with that name. */
function neuronCard({ profile }: PanelView): FigureCard | null {
  const [only, ...others] = profile.neuron?.metrics ?? [];
  const share = (metric: string): Field => {
    const at = only?.rows.findIndex(({ name, value }) => name === metric && value !== null) ?? -1;
    const value = only?.rows[at]?.value;
    return { name: `neuron.metrics.0.rows.${at}.value / 100`, value: typeof value === 'number' ? value / 100 : null };
  };
  const [mfu, hfu] = [share('mfu_estimated_percent'), share('hfu_estimated_percent')];
  if (mfu.value === null || others.length > 0) return null;
  const before = 'HFU ';
  return {
    ...{
      title: 'MFU',
      about: meaningOf('MFU'),
      unknown: '',
      main: { field: mfu, unit: 'share' },
    },
    more: [{ before, field: hfu, unit: 'share' }],
  };
}

/** @param worded replaces placeholders in a string */
const contentOf = ({ before = '', field, unit, after = '' }: FigureLine, worded: (text: string) => string) => [
  worded(before),
  figure(field, unit),
  worded(after),
];

/** Whether the main figure is based on less than half of kernel time. */
function isPartial({ partial, more }: FigureCard): boolean {
  const basis = more.find(({ isBasis }) => isBasis)?.field.value ?? null;
  return partial !== undefined && basis !== null && !isMostly(basis);
}

/**
 * The main figure, and the figures below it. If the main figure covers only part of the time, it is a lower bound or
 * not known, and so are the figures below it.
 */
function linesOf(card: FigureCard, worded: (text: string) => string): (Node | string)[][] {
  const { main, more, partial } = card;
  const known = more.filter(isKnown);
  const rows = (lines: readonly FigureLine[]): (Node | string)[][] => lines.map((line) => contentOf(line, worded));
  if (!isPartial(card)) return rows([main, ...known]);
  if (partial === 'unknown') return [['unknown'], ...rows(known.filter(({ isBasis }) => isBasis))];
  return [['≥ ', ...contentOf(main, worded)], ...rows(known)];
}

const isKnown = ({ field, known }: FigureLine): boolean =>
  field.value !== null && (known === undefined || (known.value ?? 0) > 0);

const isUnknown = ({ main, asUnknown }: FigureCard): boolean =>
  !isKnown(main) || (asUnknown !== undefined && main.field.value === asUnknown);

const isNothing = ({ main, nothing }: FigureCard): boolean => nothing !== undefined && main.field.value === nothing;

function make(view: PanelView): PanelContent {
  const { devices, header } = view.profile.overview;
  if (devices.length === 0) return lacking(view, 'work');
  const unit = matrixUnitName(header);
  const worded = (text: string): string =>
    inDeviceWords(text, header).replace('{unit}', unit).replace('{devices}', counted(devices.length, 'device'));
  const vendors = view.span === null ? neuronCard(view) : null;
  const numbers = numbersOf(view.profile);
  const asked = CARDS.map((groupOf) => groupOf(numbers).filter((card) => !isNothing(card)));
  const groups = asked.map((group) => (vendors !== null && group[0]?.title === vendors.title ? [vendors] : group));
  const shown = groups.flatMap((group) => group.filter((card) => !isUnknown(card)).slice(0, 1));
  const missing = groups.flatMap((group) => (group.every(isUnknown) ? group.slice(0, 1) : []));
  const cards = shown.map((card) =>
    element(
      'div',
      { class: 'card' },
      element('dt', { title: inDeviceWords(card.about, header) }, worded(card.title)),
      ...linesOf(card, worded).map((line, i) => element('dd', i === 0 ? { class: 'main' } : {}, ...line)),
    ),
  );
  const reasons = missing.flatMap(({ title, unknown }) =>
    unknown === '' ? [] : `${worded(title)}: ${worded(unknown)}`,
  );
  const unknown = reasons.length === 0 ? [] : [note(`Not known: ${reasons.join('; ')}.`)];
  const isVendors = view.profile.neuron !== null;
  const within = view.span === null ? unknown : [note(isVendors ? `${OF_SPAN} ${WITHOUT_MFU}` : OF_SPAN)];
  return [element('dl', { class: 'cards' }, ...cards), ...within];
}

const OF_SPAN = 'Span: from the first device work in the chosen time to the end of the last.';
const WITHOUT_MFU = 'MFU is known only for the whole profile.';

export const FIGURES: Panel = { id: 'figures', title: 'Key figures', width: 3, make, follows: followsDevices };
