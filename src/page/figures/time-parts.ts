/** Names and colours of the parts of a device's time, the same wherever they are shown. */
import type { IdleCause } from '../../prof/advise/idle/idle-causes.js';
import type { StepBarPart } from '../../prof/html/idle/idle-data.js';

export type TimePartName = readonly [name: string, colour: string];

export const WORK_NAMES = {
  compute: ['Computing', 'var(--compute)'],
  communication: ['Communicating, nothing computed', 'var(--communication)'],
  copy: ['Copying, nothing computed', 'var(--memory)'],
  missing: ['Not in the trace', 'var(--missing)'],
} as const satisfies Readonly<Record<string, TimePartName>>;

export const IDLE_NAMES: Readonly<Record<IdleCause, TimePartName>> = {
  launch: ['Idle: late launches', 'var(--idle-host)'],
  loading: ['Idle: loading data', 'var(--idle-loading)'],
  call: ['Idle: one long call', 'var(--idle-call)'],
  copy: ['Idle: waiting for copies', 'var(--idle-copy)'],
  garbage: ['Idle: collecting garbage', 'var(--idle-garbage)'],
  overhead: ['Idle: profiler or driver', 'var(--idle-overhead)'],
  host: ['Idle: host busy otherwise', 'var(--idle-other)'],
  queue: ['Idle: launched work waits', 'var(--idle-queue)'],
  unknown: ['Idle: cause not recorded', 'var(--idle)'],
};

/** Parts of a bar of a step, from its foot up. */
export const STEP_PARTS: readonly (readonly [part: StepBarPart, ...TimePartName])[] = [
  ['compute', ...WORK_NAMES.compute],
  ['communication', ...WORK_NAMES.communication],
  ['copies', ...WORK_NAMES.copy],
  ['other', 'Work of other steps, or of none', 'var(--hue-8)'],
  ['missing', 'Not in the trace', 'var(--idle)'],
  ...(Object.entries(IDLE_NAMES) as [IdleCause, TimePartName][]).map(([cause, name]) => [cause, ...name] as const),
];

/** What a step took, by whose clock it is read: everywhere on the page under these names. */
export const STEP_NAMES = { host: 'Step (host)', device: 'Step (device)' } as const;
