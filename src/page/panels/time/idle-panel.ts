/** Why the devices were idle: by cause, the longest gaps with the host's activity, and how long launches waited. */
import { edgeAfter, type Distribution } from '../../../containers/log-histogram.js';
import { elementAt } from '../../../containers/element.js';
import type { CauseTime, PageGap } from '../../../prof/html/idle/idle-data.js';
import { deviceWords } from '../../../record/glossary.js';
import { unrecordedCopiesText } from '../../../prof/steps/transfers.js';
import { lacking } from '../../capture-hints.js';
import { chart, replaceContents } from '../../charts/chart.js';
import { highest, type ChartOption } from '../../charts/chart-values.js';
import { below, GRID, left, tips } from '../../charts/chart-style.js';
import { boxedDefinitions, element, note, section } from '../../document/dom-elements.js';
import { keptSelect } from '../../document/kept-choice.js';
import { timeLink } from '../../document/timeline-link.js';
import { capitalised, quantityText, rangeText, tick, type DisplayUnit } from '../../document/units.js';
import { fieldsOf, ratio } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import { listed, numbersOf, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { swatch } from '../../figures/strip.js';
import { causeName, IDLE_NAMES } from '../../figures/shown-names.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../../panel.js';

function causes(view: PanelView): HTMLElement {
  const number = numbersOf<CauseTime>('idle.causes');
  const { causes: rows } = view.profile.idle;
  const all = rows.reduce((sum, { time }) => sum + time, 0);
  const { devices, header } = view.profile.overview;
  const several = devices.length > 1;
  return table({
    caption: 'Idle time by cause',
    columns: [
      {
        title: 'Cause',
        cell: ({ cause }) => causeName(cause, header),
        before: ({ cause }) => swatch(IDLE_NAMES[cause][1]),
      },
      number(several ? 'Time, all devices' : 'Time', 'ns', 'time', { bar: ({ time }) => (all > 0 ? time / all : 0) }),
      number('Gaps', 'count', 'count'),
      number('Longest', 'ns', 'longest'),
    ],
    rows: listed(rows),
    sortedBy: 1,
  });
}

/** Number of gaps of the whole profile that are shown initially. */
const LONGEST = 20;

const stepCell = ({ step, isBetween }: PageGap): string | null =>
  step === null ? null : `${isBetween ? 'before ' : ''}${step}`;

function gapTable(view: PanelView, rows: readonly Listed<PageGap>[]): HTMLElement {
  const number = numbersOf<PageGap>('gaps');
  const { devices, header } = view.profile.overview;
  const withDevice = devices.length > 1;
  const withStep = rows.some(({ step }) => step !== null);
  const columns: TableColumn<Listed<PageGap>>[] = [
    {
      title: 'At',
      cell: ({ start }) => quantityText(start, 'ns'),
      link: ({ start, time }, text) => timeLink(view, text, { from: start, to: start + time }),
    },
    number('Length', 'ns', 'time'),
    ...(withStep ? [{ title: 'Step', cell: stepCell }] : []),
    ...(withDevice ? [{ title: 'Device', cell: ({ device }: PageGap) => String(device) }] : []),
    {
      title: 'Cause',
      cell: ({ cause }) => causeName(cause, header),
      before: ({ cause }) => swatch(IDLE_NAMES[cause][1]),
    },
    { title: 'The host was in', cell: ({ host }) => host },
    { title: 'Ended by', cell: ({ after }) => after },
    { title: 'After', cell: ({ before }) => before },
  ];
  return table({ caption: 'Longest gaps', columns, rows, sortedBy: 1, most: LONGEST });
}

const ALL_STEPS = -1;

function gaps(view: PanelView): HTMLElement[] {
  const all = listed(view.profile.gaps);
  if (all.length === 0) return [];
  const place = element('div');
  const show = (step: number): void => {
    const shownGaps = step === ALL_STEPS ? all.slice(0, LONGEST) : all.filter((gap) => gap.step === step);
    replaceContents(place, gapTable(view, shownGaps));
  };
  const steps = [...new Set(all.flatMap(({ step }) => step ?? []))].sort((a, b) => a - b);
  const choices = [[ALL_STEPS, 'all'] as const, ...steps.map((step) => [step, String(step)] as const)];
  const box = keptSelect('Step', 'gaps.step', choices, ALL_STEPS, show);
  const picker = steps.length > 0 ? [box] : [];
  const about = note(
    "'The host was in': the CPU call covering most of the gap. Gaps before a step's first kernel belong to no step. Click a time to see the gap.",
  );
  return [section('Longest gaps', ...picker, place, about)];
}

/** A bar's range from one edge to the next; for counts, the whole numbers in it. */
function binText({ from, to }: { readonly from: number; readonly to: number }, unit: DisplayUnit): string {
  const last = unit === 'count' ? to - 1 : to;
  return last === from ? tick(from, unit) : rangeText(from, last, unit);
}

/** Bars whose edges are 1, 2 and 5 times each power of ten; the highest bar has its count. */
function roundBars({ bins }: Distribution, what: string, unit: DisplayUnit): ChartOption {
  const first = bins[0]?.from ?? 0;
  const last = bins.at(-1)?.to ?? 1;
  const all: { from: number; to: number; count: number }[] = [];
  for (let from = first; from < last; from = edgeAfter(from)) {
    const known = bins.find((bin) => bin.from === from);
    all.push({ from, to: edgeAfter(from), count: known?.count ?? 0 });
  }
  return {
    grid: { ...GRID, left: 48, top: 20 },
    xAxis: below(what, unit, { type: 'category', data: all.map((bin) => binText(bin, unit)) }),
    yAxis: left('count', { minInterval: 1, splitNumber: 3 }),
    tooltip: tips('axis', (i) => {
      const { from, to, count } = elementAt(all, i);
      return [binText({ from, to }, unit), ['kernels', quantityText(count, 'count')]];
    }),
    series: [
      {
        type: 'bar',
        data: all.map(({ count }) => count),
        barWidth: '96%',
        label: highest(all.map(({ count }) => count)),
        itemStyle: { color: 'var(--compute)' },
        emphasis: { itemStyle: { color: 'var(--host)' } },
      },
    ],
  };
}

const QUANTILES = ['p50', 'p90', 'p99', 'max'] as const;

function distribution(view: PanelView, key: 'delay' | 'queue', title: string, unit: DisplayUnit): HTMLElement[] {
  const { launches } = view.profile.idle;
  if (launches === null) return [];
  const spread = launches[key];
  const figureOf = fieldsOf(`idle.launches.${key}`, spread);
  const texts = QUANTILES.map((name) => `${name} ${quantityText(spread[name], unit)}`);
  const figures = QUANTILES.map((name) => [name, figure(figureOf(name), unit)] as const);
  const label = `${title} of ${spread.count} kernels: ${texts.join(', ')}`;
  return [
    section(
      title,
      boxedDefinitions(figures),
      chart(label, 180, () => roundBars(spread, title, unit)),
    ),
  ];
}

function launches(view: PanelView): HTMLElement[] {
  // The host launches programs, not instructions one by one.
  if (deviceWords(view.profile.overview.header).runs !== 'launches') return [];
  const { launches: waits } = view.profile.idle;
  if (waits === null) {
    const isWhole = view.span === null;
    return [note(isWhole ? 'The profile does not record kernel launches.' : 'No launched kernel begins in this span.')];
  }
  const fieldOf = fieldsOf('idle.launches', waits);
  return [
    element(
      'div',
      { class: 'pair' },
      ...distribution(view, 'delay', 'Launch-to-start latency', 'ns'),
      ...distribution(view, 'queue', 'Kernels queued on the stream at launch', 'count'),
    ),
    element(
      'p',
      {},
      'Kernels shorter than their launch call: ',
      figure(fieldOf('shorter'), 'count'),
      ', ',
      figure(ratio(fieldOf('shorter'), fieldOf('kernels')), 'share'),
      ' of those launched individually.',
    ),
  ];
}

const OF_SPAN =
  'Listed gaps are among the longest of the profile or of their step. Launch waits cover the kernels that begin in this span.';

function make(view: PanelView): PanelContent {
  if (view.profile.overview.devices.length === 0) return lacking(view, 'work');
  if (view.profile.idle.causes.length === 0)
    return 'The devices were never idle between their first work and their last.';
  const why = unrecordedCopiesText(view.profile.overview.devices);
  return [
    ...(why === null ? [] : [note(`${capitalised(why)}.`)]),
    causes(view),
    ...gaps(view),
    ...launches(view),
    ...(view.span === null ? [] : [note(OF_SPAN)]),
  ];
}

export const IDLE: Panel = { id: 'idle', title: 'Idle time', width: 6, make, follows: followsDevices };
