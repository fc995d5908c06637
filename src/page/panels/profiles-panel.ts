/** The profiles of a page with several, one line each, with the verdict of each. */
import { elementAt } from '../../containers/element.js';
import { button, element } from '../document/dom-elements.js';
import type { ProfileOutline } from '../../prof/html/page-elements.js';
import { figureColumn, listed, type Listed } from '../figures/listed-rows.js';
import { span } from '../figures/ranks/profile-comparison.js';
import { table } from '../figures/sorted-table.js';
import type { Panel, PanelContent, PanelView } from '../panel.js';
import { deviceTexts, rankNames } from '../profile-labels.js';

/** Rows that leave room for the figures of the shown profile below. */
const SHOWN = 8;

function make({ data, at: current, choose }: PanelView): PanelContent {
  const names = rankNames(data);
  const index = table({
    caption: 'Profiles of this page',
    rows: listed(data.profiles),
    sortedBy: null,
    most: SHOWN,
    isMarked: ({ at }) => at === current,
    columns: [
      {
        title: 'Profile',
        cell: ({ at }) => elementAt(names, at),
        link: ({ at }, text) => button(text, () => void choose(at), { class: 'link' }),
      },
      {
        title: 'Device',
        cell: ({ overview: { header, devices } }) =>
          header === null ? null : deviceTexts(header.devices, new Set(devices.map(({ device }) => device))).join(', '),
      },
      figureColumn<Listed<ProfileOutline>>('Span', 'ns', (row) => span(row, `profiles.${row.at}`)),
      { title: 'Verdict', cell: ({ verdict }) => verdict?.text ?? null, isProse: true },
    ],
  });
  return [element('div', { class: 'index' }, index)];
}

export const PROFILES: Panel = {
  id: 'profiles',
  title: 'Profiles',
  width: 6,
  make,
  isFor: ({ data }) => data.profiles.length > 1,
};
