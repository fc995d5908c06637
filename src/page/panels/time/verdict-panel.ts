/** What the devices did with their time: one sentence, and one bar of which each moment is a part. */
import type { SpanPart } from '../../../prof/advise/verdict/verdict-facts.js';
import { element, note } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { figure } from '../../figures/figure.js';
import { IDLE_NAMES, WORK_NAMES, type TimePartName } from '../../figures/time-parts.js';
import { legend, strip, swatch } from '../../figures/strip.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';

const namedPart = ({ part, cause }: SpanPart): TimePartName =>
  part === 'idle' ? IDLE_NAMES[cause ?? 'unknown'] : WORK_NAMES[part];

/** What the host did most where no device worked. */
function withoutDevice({ profile }: PanelView): PanelContent {
  const { host } = profile.overview;
  const [most] = host === null ? [] : [...host.ops, ...host.annotations, ...host.layers];
  if (host === null || most === undefined || host.time <= 0)
    return 'The profile holds no work of a device that has a time.';
  const share = quantityText(most.time / host.time, 'share');
  return [element('p', { class: 'verdict' }, `No device worked: on the host ${most.name} takes ${share} of the time.`)];
}

function make(view: PanelView): PanelContent {
  const { verdict } = view.profile;
  if (verdict === null) return withoutDevice(view);
  const shown = verdict.parts.map((part, at) => {
    const [name, colour] = namedPart(part);
    return { name, colour, field: `verdict.parts.${at}.time` };
  });
  const entries = shown.map(({ name, colour, field }) => [
    swatch(colour),
    `${name} `,
    figure(view, `${field} / verdict.span`, 'share'),
    ' ',
    figure(view, field, 'ns'),
  ]);
  return [
    element('p', { class: 'verdict' }, verdict.text),
    strip(view, 'Time of the devices', shown, 'verdict.span'),
    legend(entries),
    ...(verdict.devices > 1 ? [note(`Times are the sums over ${verdict.devices} devices.`)] : []),
  ];
}

export const VERDICT: Panel = { id: 'verdict', title: 'Verdict', width: 6, make };
