/** Names of the parts of a device's time with their colours, of kernels' bounds, and of each vendor's matrix unit. */
import type { IdleCause } from '../../prof/advise/idle/cause-names.js';
import type { StepBarPart } from '../../prof/html/idle/idle-data.js';
import type { LayerReason } from '../../prof/html/page-data.js';
import { deviceWords, inDeviceWords, meaningOf } from '../../record/glossary.js';
import { quantityText } from '../document/units.js';
import type { ProfileSummary } from '../../prof/summary/summary-data.js';

export const matrixUnitName = (header: ProfileSummary['header']): string => deviceWords(header).matrixUnit;

type RooflineBound = NonNullable<LayerReason['bound']>;

const BOUND_NAMES: Readonly<Record<RooflineBound, string>> = {
  compute: 'compute',
  memory: 'memory',
  latency: 'latency (too small)',
};

/** Shares from this one on are shown without a number. */
const ALMOST_ALL = 0.995;

/** A name with its share of the time, which is left out when it is almost all; null when it is unknown. */
export const withShare = (name: string, share: number | null): string =>
  share !== null && share > ALMOST_ALL ? name : `${name} ${quantityText(share, 'share')}`;

/** @param share share of the time with this bound; null when it is unknown */
export const boundText = (bound: RooflineBound, share: number | null): string => withShare(BOUND_NAMES[bound], share);

export const ABOUT_BOUNDS = meaningOf('bound by');

export type TimePartName = readonly [name: string, colour: string];

export const WORK_NAMES = {
  compute: ['Compute', 'var(--compute)'],
  communication: ['Exposed communication', 'var(--communication)'],
  copy: ['Exposed copies', 'var(--memory)'],
  missing: ['Not in the trace', 'var(--missing)'],
} as const satisfies Readonly<Record<string, TimePartName>>;

export const IDLE_NAMES: Readonly<Record<IdleCause, TimePartName>> = {
  launch: ['Idle: waiting for launches', 'var(--idle-host)'],
  loading: ['Idle: loading data', 'var(--idle-loading)'],
  call: ['Idle: slow API call', 'var(--idle-call)'],
  copy: ['Idle: waiting for copies', 'var(--idle-copy)'],
  garbage: ['Idle: garbage collection', 'var(--idle-garbage)'],
  overhead: ['Idle: profiler or driver', 'var(--idle-overhead)'],
  host: ['Idle: CPU doing other work', 'var(--idle-other)'],
  queue: ['Idle: gaps between queued kernels', 'var(--idle-queue)'],
  semaphore: ['Idle: engines waiting for semaphores', 'var(--idle-semaphore)'],
  transfer: ['Idle: program waiting for transfers', 'var(--idle-transfer)'],
  unknown: ['Idle: cause not recorded', 'var(--idle)'],
};

/** A cause of idle time in a table of causes, in the words of the vendor. */
export const causeName = (cause: IdleCause, header: ProfileSummary['header']): string =>
  inDeviceWords(IDLE_NAMES[cause][0].replace('Idle: ', ''), header);

/** Parts of a step's bar, from bottom to top. */
export const STEP_PARTS: readonly (readonly [part: StepBarPart, ...TimePartName])[] = [
  ['compute', ...WORK_NAMES.compute],
  ['communication', ...WORK_NAMES.communication],
  ['copies', ...WORK_NAMES.copy],
  ['other', "Other steps' work", 'var(--hue-8)'],
  ['missing', 'Not in the trace', 'var(--idle)'],
  ...(Object.entries(IDLE_NAMES) as [IdleCause, TimePartName][]).map(([cause, name]) => [cause, ...name] as const),
];

/** Names for the durations of steps on the host and on the device. The page uses these names everywhere. */
export const STEP_NAMES = { host: 'Step (host)', device: 'Step (device)' } as const;
