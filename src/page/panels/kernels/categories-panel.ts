/** What kernels compute, by category; and the sequences of kernels that one fused kernel could replace. */
import type { CategoryTotal } from '../../../prof/html/kernels/kernel-data.js';
import type { PageProfile } from '../../../prof/html/page-data.js';
import { meaningOf } from '../../../record/glossary.js';
import { note } from '../../document/dom-elements.js';
import { eventsLink } from '../../document/timeline-link.js';
import { inCategory } from '../../document/timeline-target.js';
import { sumOf } from '../../figures/field.js';
import { listed, numbersOf, PARTIAL, waitsNote, withValues, type Listed } from '../../figures/listed-rows.js';
import { matrixUnitName } from '../../figures/shown-names.js';
import { table, type TableColumn } from '../../figures/sorted-table.js';
import { followsWork, type PanelContent, type Panel, type PanelView } from '../../panel.js';

const numberOfCategory = numbersOf<CategoryTotal>('categories');

function categories(view: PanelView): PanelContent {
  const { categories: rows, overview } = view.profile;
  const whole = sumOf('categories.*', rows, 'time').value ?? 0;
  const share = ({ time }: CategoryTotal): number | null => (whole > 0 ? time / whole : null);
  const columns: TableColumn<Listed<CategoryTotal>>[] = [
    {
      ...{ title: 'Category', cell: ({ category }) => category, about: meaningOf('category') },
      link: ({ category }, text) => (category === null ? null : eventsLink(view, text, inCategory(category))),
    },
    numberOfCategory('Time', 'ns', 'time', { about: meaningOf('kernel time') }),
    {
      ...{ title: 'Share', unit: 'share', cell: share, bar: share },
      field: ({ at }) => `categories.${at}.time / sum(categories.*.time)`,
    },
    numberOfCategory('Kernels', 'count', 'count'),
    numberOfCategory('FLOPs', 'flop', 'flops', { about: meaningOf('FLOP'), ...PARTIAL.flops }),
    numberOfCategory('Bytes', 'bytes', 'bytes', PARTIAL.bytes),
    numberOfCategory(matrixUnitName(overview.header), 'share', 'tc', { about: meaningOf('on the matrix unit') }),
  ];
  const made = table({ caption: 'Categories', columns: withValues(columns, listed(rows)), rows: listed(rows), sortedBy: 1 }); // prettier-ignore
  return [made, note('FLOPs and bytes cover the kernels for which they are known.'), ...waitsNote(view)];
}

export const CATEGORIES: Panel = {
  ...{ id: 'categories', title: 'Categories', width: 6, make: categories, follows: followsWork },
  isFor: ({ profile }) => profile.categories.some(({ category }) => category !== null),
};

type SequenceRow = PageProfile['sequences'][number];

const numberOfSequence = numbersOf<SequenceRow>('sequences');

function sequences({ profile: { sequences: rows } }: PanelView): PanelContent {
  const most = rows[0]?.saved ?? 0;
  const columns: TableColumn<Listed<SequenceRow>>[] = [
    { title: 'Kernels, in order', cell: ({ sequence }) => sequence.join(' > '), about: meaningOf('sequence') },
    numberOfSequence('Saves at most', 'ns', 'saved', {
      ...{ about: meaningOf('saved by fusing'), bar: ({ saved }) => (most > 0 ? saved / most : null) },
    }),
    numberOfSequence('Occurrences', 'count', 'count'),
    numberOfSequence('Time', 'ns', 'time'),
    numberOfSequence('Share', 'share', 'share', { about: 'Share of the time of all kernels.' }),
    numberOfSequence('Small kernels', 'ns', 'small', { about: 'Time of its kernels that take less than 10 us.' }),
    numberOfSequence('Gaps', 'ns', 'gaps', { about: 'Time between its kernels.' }),
  ];
  return [
    table({ caption: 'Sequences', columns, rows: listed(rows), sortedBy: 1 }),
    note(`${meaningOf('sequence')} No kernel counts for two sequences. dprof sequences lists more of them.`),
  ];
}

export const SEQUENCES: Panel = {
  ...{ id: 'sequences', title: 'Sequences to fuse', width: 6, make: sequences, command: 'sequences' },
  isFor: ({ profile }) => profile.sequences.some(({ saved }) => saved > 0),
};
