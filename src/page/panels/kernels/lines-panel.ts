/** Lines of the program, by the time of the kernels that they launched. */
import type { LineTotal } from '../../../prof/html/kernels/kernel-data.js';
import { stackMarks } from '../../../prof/work/capture-options.js';
import { lacking } from '../../capture-hints.js';
import { note } from '../../document/dom-elements.js';
import { ofOp } from '../../document/timeline-target.js';
import { eventsLink } from '../../document/timeline-link.js';
import { quantityText } from '../../document/units.js';
import { listed, numbersOf, PARTIAL, withValues, type Listed } from '../../figures/listed-rows.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import type { PanelContent, Panel, PanelView } from '../../panel.js';

type LineRow = Listed<LineTotal>;

const PATH = 'lines.shown';
const number = numbersOf<LineTotal>(PATH);
const ABOUT = [
  'A line is the innermost frame of the call stack around a launch, without the frames of the framework itself.',
  'Backward kernels count for the line of their forward op. FLOPs cover the kernels whose FLOPs are known.',
].join(' ');

function make(view: PanelView): PanelContent {
  const { lines } = view.profile;
  if (lines === null) return lacking(view, 'stacks');
  const { shown, count, restTime, time: whole } = lines;
  const rows = listed(shown);
  const share = ({ time }: LineRow): number | null => (whole > 0 ? time / whole : null);
  const columns: TableColumn<LineRow>[] = [
    { title: 'Line', cell: ({ line }) => line ?? 'no line known' },
    number('Device time', 'ns', 'time'),
    { title: 'Share', unit: 'share', cell: share, field: ({ at }) => `${PATH}.${at}.time / lines.time`, bar: share },
    number('Kernels', 'count', 'count'),
    {
      title: 'Longest op',
      cell: ({ op }) => op,
      link: ({ op }, text) => (op === null ? null : eventsLink(view, text, ofOp(op))),
    },
    number('Ops', 'count', 'ops'),
    number('FLOPs', 'flop', 'flops', PARTIAL.flops),
  ];
  const rest = count - shown.length;
  const further = `${rest} more lines, ${quantityText(restTime, 'ns')} together, are not on this page.`;
  const made = table({ caption: 'Lines', columns: withValues(columns, rows), rows, sortedBy: 1 });
  return [made, ...(rest > 0 ? [note(further)] : []), note(ABOUT)];
}

export const LINES: Panel = {
  ...{ id: 'lines', title: 'Lines', width: 6, make },
  // A profiler that never records stacks, such as that of compiled programs, has no lines, so nothing is missing.
  isFor: ({ profile: { lines, overview } }) => lines !== null || stackMarks(overview.header) !== null,
  follows: (_, within) => within.lines !== null,
};
