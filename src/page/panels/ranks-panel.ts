/** Comparison of the page's profiles: which rank is late and why, waits and clocks, transfers, ranks and steps. */
import type { PageJob, PageStraggler } from '../../prof/html/page-data.js';
import { grouped } from '../../record/plural.js';
import { command, note, boxedDefinitions, button, element, section } from '../document/dom-elements.js';
import { withName } from '../document/fragment.js';
import { showRanks, showTime, timelineLink } from '../document/timeline-link.js';
import { isInTimeline, searched } from '../document/timeline-target.js';
import { heatMaps, type JobLinks } from '../figures/ranks/heat-map.js';
import { profileComparison } from '../figures/ranks/profile-comparison.js';
import { meaningOf } from '../../record/glossary.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';
import { rankNames } from '../profile-labels.js';
import { byInterest, pageRanks, type PageRank } from '../timeline/pieces/page-ranks.js';
import type { JobTable, JobTableName } from '../../prof/html/job/job-data.js';
import { capitalised, quantityText, type DisplayUnit } from '../document/units.js';
import { fieldsOf } from '../figures/field.js';
import { figure } from '../figures/figure.js';
import { listed, numbersOf } from '../figures/listed-rows.js';
import { table, type TableColumn } from '../figures/sorted-table.js';

const RANK_ROWS = 'job.ranks';
const CLASS_ROWS = 'job.classes';

function jobSections(job: PageJob, links: JobLinks): HTMLElement[] {
  const field = fieldsOf('job', job);
  return [
    boxedDefinitions([
      ['Matched operations', figure(field('matched'), 'count')],
      ['Without a counterpart', figure(field('unmatched'), 'count')],
      ['Ranks without a profile', figure(field('missing'), 'count')],
      ...(job.withoutWork === 0
        ? []
        : [['Profiles without work on a device', figure(field('withoutWork'), 'count')] as const]),
    ]),
    ...withoutWork(job),
    section(
      lateTitle(job),
      ...(job.late.length === 0
        ? []
        : [element('ul', { class: 'late' }, ...job.late.map((late) => lateItem(job, late, links)))]),
    ),
    ...(job.heat.length === 0
      ? []
      : [
          section('Ranks and steps', heatMaps(job, links)),
          note(
            `Colour: difference from the step's median, full at 10 %. Hover for the value, click to open that rank and step${links.openAll === null ? '' : '; the last row opens all ranks at a step'}. Arrow keys move between cells.${job.ranks.some(({ sharesRank }) => sharesRank) ? ' Where a rank has several devices, each is compared with the same device of other ranks.' : ''}`,
          ),
        ]),
    ...(job.matched === 0
      ? []
      : [
          section(
            'Waits and clocks',
            waits(job),
            ...(job.unsure === null ? [] : [note(`${capitalised(job.unsure)}.`)]),
          ),
          section('Wait and transfer times', transfers(job)),
        ]),
    ...job.tables.map(jobTable),
  ];
}

/** Ranks that no table or map contains. */
function withoutWork({ idle, withoutWork: count }: PageJob): HTMLElement[] {
  if (count === 0) return [];
  const items = idle.map(({ name, reason }) => element('li', {}, reason === null ? name : `${name}: ${reason}`));
  const rest = count > idle.length ? [element('li', {}, `${count - idle.length} more`)] : [];
  return [section('Without work on a device', element('ul', { class: 'idle' }, ...items, ...rest))];
}

const TABLE_TITLES: Readonly<Record<JobTableName, string>> = {
  stages: 'Stages of the pipeline',
  experts: 'Experts',
  groups: 'Groups, and whether they are complete',
};

type JobUnit = NonNullable<JobTable['columns'][number]['unit']>;

/** Units of the command's columns, with the page's unit and the number of page units in one of them. */
const UNITS: Readonly<Partial<Record<JobUnit, readonly [unit: DisplayUnit, size: number]>>> = {
  ns: ['ns', 1],
  bytes: ['bytes', 1],
  '%': ['share', 0.01],
  'GB/s': ['bytes/s', 1e9],
};

/** A table of `dprof ranks`, as in the command. */
function jobTable({ name, columns, rows, count, missing }: JobTable, at: number): HTMLElement {
  const title = TABLE_TITLES[name];
  if (count === 0) return section(title, element('p', { class: 'missing' }, `${capitalised(missing ?? 'none')}.`));
  const shown = columns.map(({ key, unit, type }, column): TableColumn<number> => {
    const cell = (row: number): string | number | null => rows[row]?.[column] ?? null;
    const text = capitalised(key.replaceAll('_', ' '));
    if (type === 'str' || (unit === undefined && key === 'stage')) {
      return { title: text, cell: (row) => (cell(row) === null ? null : String(cell(row))) };
    }
    const [shownUnit, size] = unit === undefined ? (['count', 1] as const) : (UNITS[unit] ?? (['count', 1] as const));
    const number = (row: number): number | null => {
      const value = cell(row);
      return typeof value === 'number' ? value * size : null;
    };
    // A number in the command's unit is itself the field.
    const field = (row: number): string => `job.tables.${at}.rows.${row}.${column}`;
    if (type === 'real' && shownUnit === 'count') {
      return { title: text, cell: (row) => (number(row) === null ? null : (number(row) ?? 0).toFixed(3)) };
    }
    return { title: text, unit: shownUnit, cell: number, ...(size === 1 ? { field } : {}) };
  });
  const made = table({ caption: title, columns: shown, rows: rows.map((_, row) => row), sortedBy: null });
  const rest = count > rows.length ? [note(`The first ${rows.length} of ${count}.`)] : [];
  return section(title, made, ...rest);
}

function lateTitle({ late, isChance, tested }: PageJob): string {
  if (late.length > 0 && !isChance) return 'Late ranks';
  const latest = late.length === 0 ? '' : '; the latest';
  if (tested === 0) return `Late ranks: unknown, because the ranks have too few steps in common${latest}`;
  if (late.length === 0) return 'Late ranks: none';
  return 'Late ranks: none beyond chance; the latest';
}

/** Conditions that find the causes of a rank's lateness in a timeline. */
const CONDITIONS = {
  layer: (name: string) => `layer~${searched(name.split(':').at(-1) ?? name)}`,
  op: (name: string) => `op==${searched(name)}`,
  kernel: (name: string) => `kernel~${searched(name)}`,
} as const;

function lateItem(job: PageJob, late: PageStraggler, { open, find }: JobLinks): HTMLElement {
  const { name, ranks, share, q, steps, lateIn, by, slowdown } = late;
  // The first rank represents all ranks of a machine.
  const rank = job.ranks.find((peer) => peer.profile !== null && (peer.name === name || (ranks > 1 && peer.node === late.node))); // prettier-ignore
  const work = (['layer', 'op', 'kernel'] as const).flatMap((key) => {
    const row = late[key];
    if (row === null) return [];
    const link = rank === undefined ? null : find(rank, row.name, CONDITIONS[key](row.name));
    const part = row.share === null ? '' : ` (${quantityText(row.share, 'share')})`;
    return [element('li', {}, `late in ${key} `, link ?? row.name, `: ${quantityText(row.excess, 'ns')} more${part}`)];
  });
  const alike =
    slowdown === null ? [] : [`all kernels are ${quantityText(slowdown - 1, 'share')} slower: is the clock lower?`];
  const cause = by === null ? '' : `, by ${by}`;
  const several = ranks > 1 ? ` (${ranks} ranks)` : '';
  const figures = `: ${quantityText(late.late, 'ns')} a step, ${quantityText(share, 'share')}, late in ${lateIn} of ${steps} steps, q ${q.toPrecision(2)}${cause}`;
  return element(
    'li',
    {},
    rank === undefined ? name : button(name, () => open(rank, null), { class: 'link' }),
    `${several}${figures}`,
    element('ul', {}, ...alike.map((text) => element('li', {}, text)), ...work),
  );
}

function waits({ ranks }: PageJob): HTMLElement {
  const number = numbersOf<PageJob['ranks'][number]>(RANK_ROWS);
  return table({
    caption: 'Waits and clocks',
    columns: [
      { title: 'Rank', cell: ({ name }) => name },
      { title: 'Machine', cell: ({ node }) => node },
      number('Waited', 'ns', 'waited', { group: 'waits' }),
      number('Could be clock error', 'share', 'unsure', { about: meaningOf('clock error') }),
      number('Joined last', 'share', 'last'),
      number('Delayed others', 'ns', 'delayed', { group: 'waits' }),
      { title: 'Clock', cell: ({ clock }) => clock },
      number('Clock ahead', 'ns', 'offset', { group: 'offsets' }),
      number('Maximum clock error', 'ns', 'bound', { group: 'bounds' }),
    ],
    rows: listed(ranks),
    sortedBy: null,
  });
}

function transfers({ classes }: PageJob): HTMLElement {
  const number = numbersOf<PageJob['classes'][number]>(CLASS_ROWS);
  return table({
    caption: 'Wait and transfer times',
    columns: [
      { title: 'Operation', cell: ({ kind }) => kind },
      { title: 'Group', cell: ({ groupKind }) => groupKind },
      number('Size from', 'memory', 'size'),
      number('Count', 'count', 'operations'),
      number('Mean wait', 'ns', 'wait'),
      number('Could be clock error', 'share', 'unsure', { about: meaningOf('clock error') }),
      number('Median transfer', 'ns', 'transfer'),
      number('Bus bandwidth', 'bytes/s', 'busBandwidth'),
    ],
    rows: listed(classes),
    sortedBy: null,
  });
}

/** Shows a rank at a step: in the timeline if the page has it, otherwise in the panel of step times. */
async function openRank(
  view: PanelView,
  { profile: at, device }: PageJob['ranks'][number],
  step: number | null,
): Promise<void> {
  const profile = at === null ? null : await view.choose(at);
  if (at === null || profile === null) return;
  const bar = profile.stepBars.shown.find((candidate) => candidate.step === step && candidate.device === device);
  const span = bar === undefined ? null : { from: bar.start, to: bar.start + bar.span };
  if (span !== null && isInTimeline({ profile, at }, span)) showTime({ profile, at }, span, { 't.ranks': null });
  else location.hash = withName(location.hash, 'panel', step === null ? 'verdict' : 'steps');
}

/** Shows a rank first, because the link leads to its timeline. */
function findIn(
  { data, choose }: PanelView,
  { profile: at }: PageJob['ranks'][number],
  text: string,
  condition: string,
): HTMLElement | null {
  const profile = at === null ? undefined : data.profiles[at];
  if (at === null || profile === undefined) return null;
  const link = timelineLink({ profile, at }, text, condition);
  link?.addEventListener('click', () => void choose(at), { capture: true });
  return link;
}

/**
 * Shows all ranks at a step, with the times of the shown rank if it has the step, otherwise of the first rank that has it.
 */
function openAllOf(view: PanelView): JobLinks['openAll'] {
  const ranks = pageRanks(view.data);
  if (ranks.length < 2) return null;
  const open = async (step: number | null): Promise<void> => {
    const name = step === null ? null : `step ${step}`;
    const pieceOf = ({ timeline: { pieces } }: PageRank): number =>
      name === null ? 0 : pieces.findIndex((piece) => piece.name === name || piece.name.startsWith(`${name},`));
    const found = byInterest(ranks, view.at).find((rank) => pieceOf(rank) !== -1);
    if (found === undefined) return;
    if (found.profile !== view.at) await view.choose(found.profile);
    showRanks(found.profile, pieceOf(found));
  };
  return (step) => void open(step);
}

/** The profiles that the page contains, if not all. */
function leftOutOf({ profiles, leftOut }: PanelView['data']): HTMLElement[] {
  if (leftOut === 0) return [];
  const all = grouped(profiles.length + leftOut);
  const which =
    'ranks that are late, that were delayed or that delay others most, the slowest ranks, some around the median, and a sample';
  const text = `The page holds ${grouped(profiles.length)} of ${all} profiles: ${which}. The others appear only in the rank tables below. To make a page for one of them:`;
  return [note(text), command('dprof html FILE -o PAGE')];
}

/** Whether the page has several ranks to compare: the devices of a single rank are not compared. */
export const hasRanks = ({ profiles, job }: PanelView['data']): boolean =>
  profiles.length > 1 || (job !== null && job.ranks.length > 1 && job.ranks.some(({ sharesRank }) => !sharesRank));

function make(view: PanelView): PanelContent {
  const { profiles, job } = view.data;
  if (!hasRanks(view.data))
    return 'The page holds one profile: there is nothing to compare. dparse takes several files.';
  const sections =
    job === null
      ? []
      : jobSections(job, {
          open: (rank, step) => void openRank(view, rank, step),
          openAll: openAllOf(view),
          find: (rank, text, condition) => findIn(view, rank, text, condition),
        });
  const isOne = profiles.length < 2;
  return [
    ...leftOutOf(view.data),
    ...sections,
    ...(isOne ? [] : [profileComparison(view.data.profiles, rankNames(view.data), view.at, view.choose)]),
  ];
}

export const RANKS: Panel = { id: 'ranks', title: 'Ranks compared', width: 6, make };
