/** Kernels by time and by number of launches, the longest as bars and all in a table. */
import { deviceWords, inDeviceWords } from '../../../record/glossary.js';
import { lacking } from '../../capture-hints.js';
import type { CommonExtent, KernelTotal, LaunchShape } from '../../../prof/html/kernels/kernel-data.js';
import { elementAt } from '../../../containers/element.js';
import { element, note } from '../../document/dom-elements.js';
import { kernelsNamed } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { listed, meanTimes, numbersOf, waitsNote, withValues, type Listed } from '../../figures/listed-rows.js';
import { sortedRows } from '../../figures/table-sort.js';
import { followsWork, type Panel, type PanelContent, type PanelView } from '../../panel.js';
import { swatch } from '../../figures/strip.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { capitalised, quantityText } from '../../document/units.js';

type KernelRow = Listed<KernelTotal>;

const PATH = 'kernels.shown';
const number = numbersOf<KernelTotal>(PATH);

const TOP = 15;
/** Times of single launches have a separate scale, because they are far smaller than sums. */
const SINGLE = { group: 'single' };

/** Bars of one quantity, the longest first. */
function bars(
  view: PanelView,
  title: string,
  rows: readonly KernelRow[],
  quantity: 'time' | 'count',
  colour: string,
): HTMLElement {
  const ordered = sortedRows(rows, (row) => row[quantity], true).slice(0, TOP);
  const most = elementAt(ordered, 0)[quantity];
  const bar = (row: KernelRow): number => (most > 0 ? row[quantity] / most : 0);
  const columns = [
    nameColumn(view),
    quantity === 'time' ? number('Time', 'ns', 'time', { bar }) : number(runsTitle(view), 'count', 'count', { bar }),
  ];
  const made = table({ caption: title, columns, rows: ordered, sortedBy: null, isChart: true });
  made.classList.add('bars');
  made.style.setProperty('--bar', colour);
  return element('section', {}, element('h3', {}, swatch(colour), title), made);
}

const runsTitle = (view: PanelView): string => capitalised(deviceWords(view.profile.overview.header).runs);

const nameColumn = (view: PanelView): TableColumn<KernelRow> => ({
  title: inDeviceWords('Kernel', view.profile.overview.header),
  cell: ({ name }) => name,
  link: ({ name }, text) => eventsLink(view, text, kernelsNamed(name)),
});

/** `128 × 2`, and the number of other extents. */
function extentText(common: CommonExtent | null | undefined): string | null {
  if (common === null || common === undefined) return null;
  const [x = 1, ...others] = common.extent;
  const last = others.findLastIndex((size) => size !== 1);
  const text = [x, ...others.slice(0, last + 1)].join(' × ');
  return common.different > 1 ? `${text} (of ${common.different})` : text;
}

/** A column with the minimum or maximum of a value over all launches. */
const extreme = (
  title: string,
  unit: 'count' | 'memory' | 'share',
  key: 'registers' | 'sharedBytes' | 'occupancy',
  end: 0 | 1,
): TableColumn<KernelRow> => ({
  ...{ title, unit },
  cell: ({ launch }) => launch?.[key]?.[end] ?? null,
  field: ({ at }) => `${PATH}.${at}.launch.${key}.${end}`,
});

const LAUNCH_COLUMNS: readonly TableColumn<KernelRow>[] = [
  { title: 'Grid', cell: ({ launch }) => extentText(launch?.grid) },
  { title: 'Block', cell: ({ launch }) => extentText(launch?.block) },
  extreme('Registers', 'count', 'registers', 1),
  extreme('Shared memory', 'memory', 'sharedBytes', 1),
  extreme('Occupancy', 'share', 'occupancy', 0),
  { title: 'Limited by', cell: ({ launch }) => launch?.limit ?? null, isExtra: true },
];

const EXPLAINED: readonly (readonly [key: keyof LaunchShape, text: string])[] = [
  ['grid', 'Grid and block: the most common values; (of 3) means three different values.'],
  ['registers', 'Registers per thread and shared memory per block: the maximum of all launches.'],
  ['occupancy', 'Occupancy: theoretical, the minimum of all launches.'],
];

/** Explains the columns about launches, if there are any. */
const launchNote = (rows: readonly KernelRow[]): HTMLElement[] => {
  const texts = EXPLAINED.filter(([key]) => rows.some(({ launch }) => (launch?.[key] ?? null) !== null));
  return texts.length === 0 ? [] : [note(texts.map(([, text]) => text).join(' '))];
};

function columnsOf(view: PanelView, rows: readonly KernelRow[]): TableColumn<KernelRow>[] {
  /** Time of all kernels; null when there are none. */
  const whole = view.profile.overview.kernels?.time ?? null;
  const share = ({ time }: KernelRow): number | null => (whole === null || whole <= 0 ? null : time / whole);
  return [
    nameColumn(view),
    number('Time', 'ns', 'time'),
    {
      title: 'Share',
      unit: 'share',
      cell: share,
      field: ({ at }) => `${PATH}.${at}.time / overview.kernels.time`,
      bar: share,
    },
    number(runsTitle(view), 'count', 'count'),
    meanTimes(PATH, SINGLE),
    number('Minimum', 'ns', 'min', { ...SINGLE, isExtra: true }),
    number('Maximum', 'ns', 'max', { ...SINGLE, isExtra: true }),
    number('On matrix unit', 'share', 'tc'),
    ...withValues(LAUNCH_COLUMNS, rows),
  ];
}

function make(view: PanelView): PanelContent {
  const {
    kernels,
    overview: { header },
  } = view.profile;
  const worded = (text: string): string => inDeviceWords(text, header);
  const { shown, count, restTime } = kernels;
  if (shown.length === 0) return lacking(view, 'kernels');
  const rows = listed(shown);
  const columns = columnsOf(view, rows);
  const rest = count - shown.length;
  const further = `${rest} more kernels, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  return [
    element(
      'div',
      { class: 'pair' },
      bars(view, `Top ${Math.min(TOP, rows.length)} by time`, rows, 'time', 'var(--compute)'),
      bars(
        view,
        `Top ${Math.min(TOP, rows.length)} by ${deviceWords(header).runs}`,
        rows,
        'count',
        'var(--idle-queue)',
      ),
    ),
    element('h3', {}, worded(rest > 0 ? `The first ${shown.length} of ${count} kernels` : `All ${count} kernels`)),
    table({ caption: worded('Kernels'), columns, rows, sortedBy: 1 }),
    ...launchNote(rows),
    ...waitsNote(view),
    ...(rest > 0 ? [note(worded(further))] : []),
  ];
}

export const KERNELS: Panel = { id: 'kernels', title: 'Kernels', width: 6, make, follows: followsWork };
