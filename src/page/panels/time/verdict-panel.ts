/** What the devices did with their time: one sentence, and a bar in which each moment of a device belongs to one part. */
import type { SpanPart, SpanPartName } from '../../../prof/advise/verdict/verdict-facts.js';
import { elementAt } from '../../../containers/element.js';
import { element, note, prose } from '../../document/dom-elements.js';
import { capitalised, quantityText } from '../../document/units.js';
import { panelLink, showPanel } from '../../document/panel-link.js';
import { BOUND_SIGNS, boundedTimeOf, fieldsOf, ratio, total, type Field } from '../../figures/field.js';
import { figure } from '../../figures/figure.js';
import { IDLE_NAMES, WORK_NAMES, type TimePartName } from '../../figures/shown-names.js';
import { legend, strip, swatch } from '../../figures/strip.js';
import { followsDevices, type Panel, type PanelContent, type PanelView } from '../../panel.js';
import { rankNames } from '../../profile-labels.js';
import { hasRanks } from '../ranks-panel.js';

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

/** Names of files are not capitalised. */
const sentence = (text: string): string =>
  /^(?:rank|device|machine|group|no|which) /.test(text) ? capitalised(text) : text;

/** The verdict on a job of several ranks: which one is late, and how long ranks waited for each other. */
function jobVerdict({ data }: PanelView): HTMLElement[] {
  if (data.job === null || !hasRanks(data)) return [];
  const { who, waits } = data.job.verdict;
  // Profiles that have nothing in common do not form a job.
  if (waits === null && (data.job.isChance || data.job.late.length === 0)) return [];
  const link = panelLink('ranks', sentence(who));
  return [element('p', { class: 'late-rank' }, link, ...prose(waits === null ? '.' : `. ${sentence(waits)}.`))];
}

/** With several profiles, the sentence begins with the one that it is about. */
const aboutProfile = ({ data, at }: PanelView): string =>
  data.profiles.length > 1 ? `${sentence(elementAt(rankNames(data), at))}: ` : '';

/** Total idle time: the legend shows only its parts. */
function idleNote(
  parts: readonly Field[],
  verdictField: (key: 'span' | 'devices') => Field,
  isMean: boolean,
  sign: string,
): HTMLElement {
  const sum = total(...parts);
  const idle = { ...sum, name: `(${sum.name})` };
  const time = figure(isMean ? ratio(idle, verdictField('devices')) : idle, 'ns');
  return element(
    'p',
    { class: 'note' },
    `Idle in total: ${sign}`,
    figure(ratio(idle, verdictField('span')), 'share'),
    ', ',
    time,
    '.',
  );
}

function make(view: PanelView): PanelContent {
  const { verdict } = view.profile;
  if (verdict === null) return withoutDevice(view);
  // Means over devices, because next to a span of 10 s a total of 40 s of idle time would be confusing.
  const isMean = verdict.devices > 1;
  const verdictField = fieldsOf('verdict', verdict);
  const shown = verdict.parts.map((part, at) => {
    const [name, colour] = namedPart(part);
    const field = fieldsOf(`verdict.parts.${at}`, part)('time');
    return {
      name,
      colour,
      field,
      said: isMean ? ratio(field, verdictField('devices')) : field,
      act: () => showPanel(PANELS[part.part]),
    };
  });
  const { sign } = boundedTimeOf('overview.devices.*', view.profile.overview.devices, 'idle');
  const signs: Partial<Record<SpanPartName, string>> = sign === '' ? {} : { idle: sign, copy: BOUND_SIGNS.busy };
  const idle = shown.flatMap(({ field }, at) => (verdict.parts[at]?.part === 'idle' ? [field] : []));
  const entries = shown.map(({ name, colour, field, said }, at) => {
    const { part } = elementAt(verdict.parts, at);
    const share = ratio(field, verdictField('span'));
    // '<0.1 %' is a bound already.
    const isSmall = quantityText(share.value, 'share').startsWith('<');
    return [
      swatch(colour),
      panelLink(PANELS[part], name),
      ` ${isSmall ? '' : (signs[part] ?? '')}`,
      figure(share, 'share'),
      ' ',
      figure(said, 'ns'),
    ];
  });
  return [
    ...(view.span === null ? jobVerdict(view) : []),
    element('p', { class: 'verdict' }, aboutProfile(view), ...prose(verdict.text)),
    strip('Time of the devices', shown, verdictField('span')),
    legend(entries),
    ...(idle.length < 2 ? [] : [idleNote(idle, verdictField, isMean, sign)]),
    ...(isMean ? [note(`Times are means over ${verdict.devices} devices.`)] : []),
  ];
}

export const VERDICT: Panel = { id: 'verdict', title: 'Verdict', width: 6, make, follows: followsDevices };
