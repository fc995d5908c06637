/** What the devices did with their time: one sentence, and a bar in which each moment of a device belongs to one part. */
import type { SpanPart, SpanPartName } from '../../../prof/advise/verdict/verdict-facts.js';
import { element, note } from '../../document/dom-elements.js';
import { quantityText } from '../../document/units.js';
import { panelLink, showPanel } from '../../document/panel-link.js';
import { boundedTimeOf, fieldsOf, ratio } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import { IDLE_NAMES, WORK_NAMES, type TimePartName } from '../../figures/shown-names.js';
import { legend, strip, swatch } from '../../figures/strip.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../../panel.js';

const namedPart = ({ part, cause }: SpanPart): TimePartName => {
  return part === 'idle' ? IDLE_NAMES[cause ?? 'unknown'] : WORK_NAMES[part];
};

/** The panels with more about the parts. */
const PANELS: Readonly<Record<SpanPartName, string>> = {
  compute: 'ops',
  communication: 'collectives',
  copy: 'memory-operations',
  idle: 'idle',
  missing: 'diagnostics',
};

/** The main activity of the host, when no device work is recorded. */
function withoutDevice({ profile }: PanelView): PanelContent {
  const { host } = profile.overview;
  const [most] = host === null ? [] : [...host.ops, ...host.annotations, ...host.layers];
  if (host === null || most === undefined || host.time <= 0) return 'The profile has no device work with a time.';
  const share = quantityText(most.time / host.time, 'share');
  const text = `No device work was recorded. On the CPU, ${most.name} takes ${share} of the time.`;
  return [element('p', { class: 'verdict' }, text)];
}

/** With several ranks, the first question is which one is late; everything below is about one of them. */
function lateRanks({ data: { job }, profile }: PanelView): HTMLElement[] {
  const first = job?.isChance === true ? undefined : job?.late[0];
  if (job === null || first === undefined) return [];
  const { name, late, share, op, kernel } = first;
  const most = op ?? kernel;
  const figures = `: ${quantityText(late, 'ns')} a step (${quantityText(share, 'share')})`;
  const others = job.late.length > 1 ? `; ${quantityText(job.late.length - 1, 'count')} more` : '';
  const link = panelLink('ranks', `${name} is late`);
  const mostly = most === null ? '' : `, mostly ${op === null ? 'kernel' : 'op'} ${most.name}`;
  const { rank = null } = profile.overview.header ?? {};
  const shown = rank === null ? 'one profile' : `rank ${rank}`;
  return [element('p', { class: 'late-rank' }, link, `${figures}${mostly}${others}.`), note(`Below: ${shown}.`)];
}

function make(view: PanelView): PanelContent {
  const { verdict } = view.profile;
  if (verdict === null) return withoutDevice(view);
  // Means over devices, because next to a span of 10 s a total of 40 s of idle time would be confusing.
  const isMean = verdict.devices > 1;
  const of = fieldsOf('verdict', verdict);
  const shown = verdict.parts.map((part, at) => {
    const [name, colour] = namedPart(part);
    const field = fieldsOf(`verdict.parts.${at}`, part)('time');
    return {
      name,
      colour,
      field,
      said: isMean ? ratio(field, of('devices')) : field,
      act: () => showPanel(PANELS[part.part]),
    };
  });
  const { sign } = boundedTimeOf('overview.devices.*', view.profile.overview.devices, 'idle');
  const entries = shown.map(({ name, colour, field, said }, at) => [
    swatch(colour),
    panelLink(PANELS[verdict.parts[at]?.part ?? 'compute'], name),
    ` ${verdict.parts[at]?.part === 'idle' ? sign : ''}`,
    figure(ratio(field, of('span')), 'share'),
    ' ',
    figure(said, 'ns'),
  ]);
  return [
    ...(view.span === null ? lateRanks(view) : []),
    element('p', { class: 'verdict' }, verdict.text),
    strip('Time of the devices', shown, of('span')),
    legend(entries),
    ...(isMean ? [note(`Times are means over ${verdict.devices} devices.`)] : []),
  ];
}

export const VERDICT: Panel = { id: 'verdict', title: 'Verdict', width: 6, make, follows: followsDevices };
