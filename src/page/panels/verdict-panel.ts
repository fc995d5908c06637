/** What the devices did with their time: one sentence, and one bar of which each moment is a part. */
import type { SpanPart } from '../../prof/advise/verdict/verdict-facts.js';
import { element } from '../document/dom-elements.js';
import { quantityText } from '../document/units.js';
import { figure } from '../figures/figure.js';
import { legend, strip, swatch } from '../figures/strip.js';
import type { Panel, PanelContent, PanelView } from '../panel.js';

type Named = readonly [name: string, colour: string];

const PARTS: Readonly<Record<Exclude<SpanPart['part'], 'idle'>, Named>> = {
  compute: ['Computing', 'var(--compute)'],
  communication: ['Communicating, nothing computed', 'var(--communication)'],
  copy: ['Copying, nothing computed', 'var(--memory)'],
  missing: ['Not in the trace', 'var(--missing)'],
};

const CAUSES: Readonly<Record<NonNullable<SpanPart['cause']>, Named>> = {
  launch: ['Idle: late launches', 'var(--idle-host)'],
  loading: ['Idle: loading data', 'var(--idle-loading)'],
  call: ['Idle: one long call', 'var(--idle-call)'],
  copy: ['Idle: waiting for copies', 'var(--idle-copy)'],
  garbage: ['Idle: collecting garbage', 'var(--idle-garbage)'],
  host: ['Idle: host busy otherwise', 'var(--idle-other)'],
  queue: ['Idle: launched work waits', 'var(--idle-queue)'],
  unknown: ['Idle: cause not recorded', 'var(--idle)'],
};

const namedPart = ({ part, cause }: SpanPart): Named => (part === 'idle' ? CAUSES[cause ?? 'unknown'] : PARTS[part]);

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
  ];
}

export const VERDICT: Panel = { id: 'verdict', title: 'Verdict', width: 6, make };
