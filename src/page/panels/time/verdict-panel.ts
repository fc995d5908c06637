/** What the devices did with their time: one sentence, and one bar of which each moment of a device is a part. */
import type { SpanPart } from '../../../prof/advise/verdict/verdict-facts.js';
import { element, note } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { figure } from '../../figures/figure.js';
import { IDLE_NAMES, WORK_NAMES, type TimePartName } from '../../figures/time-parts.js';
import { legend, strip, swatch } from '../../figures/strip.js';
import type { Panel, PanelContent, PanelView } from '../../panel.js';

const namedPart = ({ part, cause }: SpanPart): TimePartName =>
  part === 'idle' ? IDLE_NAMES[cause ?? 'unknown'] : WORK_NAMES[part];

/** What the host did most where no work of a device is recorded. */
function withoutDevice({ profile }: PanelView): PanelContent {
  const { host } = profile.overview;
  const [most] = host === null ? [] : [...host.ops, ...host.annotations, ...host.layers];
  if (host === null || most === undefined || host.time <= 0)
    return 'The profile holds no work of a device that has a time.';
  const share = quantityText(most.time / host.time, 'share');
  const text = `No work of a device is recorded. On the host ${most.name} takes ${share} of the time.`;
  return [element('p', { class: 'verdict' }, text)];
}

function make(view: PanelView): PanelContent {
  const { verdict } = view.profile;
  if (verdict === null) return withoutDevice(view);
  // Beside a span of 10 s nobody expects 40 s of idle time, whatever the number of devices.
  const isMean = verdict.devices > 1;
  const shown = verdict.parts.map((part, at) => {
    const [name, colour] = namedPart(part);
    const field = `verdict.parts.${at}.time`;
    return { name, colour, field, said: isMean ? `${field} / verdict.devices` : field };
  });
  const entries = shown.map(({ name, colour, field, said }) => [
    swatch(colour),
    `${name} `,
    figure(view, `${field} / verdict.span`, 'share'),
    ' ',
    figure(view, said, 'ns'),
  ]);
  return [
    element('p', { class: 'verdict' }, verdict.text),
    strip(view, 'Time of the devices', shown, 'verdict.span'),
    legend(entries),
    ...(isMean ? [note(`Times are those of a device: means over ${verdict.devices} devices.`)] : []),
  ];
}

export const VERDICT: Panel = { id: 'verdict', title: 'Verdict', width: 6, make };
