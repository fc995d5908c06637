/** Findings of `dprof advise`, most gain first. */
import type { Finding } from '../../prof/advise/finding.js';
import { command } from '../document/copy-command.js';
import { button, definitions, element, note } from '../document/dom-elements.js';
import { figure } from '../figures/figure.js';
import { listed, type Listed } from '../figures/listed-rows.js';
import type { PanelContent, Panel, PanelView } from '../panel.js';

const SHOWN_AT_FIRST = 6;

function shownOf(view: PanelView, finding: Listed<Finding>): HTMLElement {
  const { at, what, action, gain, device, see, evidence, kernels } = finding;
  const field = (name: string): string => `advice.${at}.${name}`;
  const facts = element(
    'p',
    { class: 'facts' },
    ...(gain === null
      ? ['Gain: unknown. ']
      : [gain.isBound ? 'Gain, at most: ' : 'Gain: ', figure(view, field('gain.ns'), 'ns'), '. ']),
    'Time at stake: ',
    figure(view, field('stake'), 'ns'),
    '. Activities: ',
    figure(view, field('count'), 'count'),
    device === null ? '.' : `. Device ${device}.`,
  );
  const lines = [
    ...(gain === null ? [] : [['How the gain is computed', gain.how] as const]),
    ...Object.entries(evidence).map(([name, value]) => [name, String(value)] as const),
    ...(kernels.length === 0 ? [] : [['kernels', kernels.join(', ')] as const]),
  ];
  const heading = element('summary', {}, `Evidence (${finding.rule})`);
  return element(
    'li',
    {},
    element('h3', {}, what),
    element('p', {}, action),
    facts,
    element('details', {}, heading, element('dl', { class: 'evidence' }, ...definitions(lines))),
    command(see),
  );
}

function make(view: PanelView): PanelContent {
  const { data, profile } = view;
  const own = listed(data.advice).filter((finding) => finding.profile === profile.overview.profile);
  const others = data.advice.length - own.length;
  const elsewhere = others === 0 ? [] : [note(`${others} findings are about other profiles of this page.`)];
  if (own.length === 0) return others === 0 ? 'No rule found anything that can be shown to be worth doing.' : elsewhere;
  const list = element('ol', { class: 'advice' }, ...own.map((one) => shownOf(view, one)));
  const hidden = [...list.children].slice(SHOWN_AT_FIRST) as HTMLElement[];
  for (const one of hidden) one.classList.add('later');
  const more = button(`Show all ${own.length} findings`, () => {
    for (const one of hidden) one.classList.remove('later');
    more.remove();
  });
  const file = note(`FILE in a command stands for the input, ${data.title}.`);
  return [list, ...(hidden.length > 0 ? [more] : []), file, ...elsewhere];
}

export const ADVICE: Panel = { id: 'advice', title: 'Advice', width: 6, make };
