/** Columns of `dprof steps`. Times are ns. */
import { rankOn } from '../../record/fields/stated-device.js';
import { column, knownColumn, int, real, str, type ColumnFormat, type Column } from '../../table/column.js';
import type { ProfileRecord } from '../../record/record.js';
import type { ServingStep } from '../../record/serving-step.js';
import { stepTime, timePerOutputToken, tokensPerSecond, type ModelPart, type Served } from './serving/served-times.js';
import type { StepSums } from './step-sums.js';

export interface StepRow {
  readonly profile: number;
  /** Null for records without a profile line. */
  readonly header: ProfileRecord | null;
  /** Null for a host step whose device is unknown. */
  readonly device: number | null;
  /** The step's number, '-' for work outside of steps, or 'all' for the whole profile. */
  readonly step: number | '-' | 'all';
  /** Numbers of operations that compute, and that communicate. */
  readonly sums: Pick<StepSums, 'kernels' | 'collectives'>;
  /** `free` and `idle` are null when work is missing. */
  readonly times: Omit<StepSums['times'], 'free' | 'idle'> & Readonly<Record<'free' | 'idle', number | null>>;
  readonly kernelTimes: Pick<StepSums['kernelTimes'], 'all' | 'own'>;
  /** Null when no work belongs to a server's step. */
  readonly served: Served | null;
  /**
   * Duration of the step on the host in ns: from its start to the start of the next step, or to its end for the last; null
   * when unknown.
   */
  readonly iteration: number | null;
  /** Present when the profiler lost all work of the device in the step, so that only the host's times are known. */
  readonly isLost?: true;
  /** Whether it is known which copies belong to the row. */
  readonly hasCopies: boolean;
  /** Time from the step's start on the host to its first work on the device, in ns; null when unknown. */
  readonly preparing: number | null;
}

const MACHINE_ONLY = { machineOnly: true } as const;

type TimeOf = (row: StepRow) => number | null;

const time = (key: string, doc: string, value: TimeOf, more?: Partial<Column<StepRow>>): Column<StepRow> =>
  column(key, `${key}_ns`, int(Math.max(13, key.length + 3), 'ns'), doc, value, more);

/** Whether anything is known about the device's work. */
const isKnown = ({ device, isLost }: StepRow): boolean => device !== null && isLost !== true;

/** A time on the device, which is unknown when the device is. */
const timeOnDevice: typeof time = (key, doc, value, more) =>
  time(key, doc, (row) => (isKnown(row) ? value(row) : null), more);

/** A number of kernels or operations on the device, which is unknown when the device is. */
const count = (key: string, doc: string, value: (row: StepRow) => number): Column<StepRow> =>
  column(key, key, int(11), doc, (row) => (isKnown(row) ? value(row) : null));

const timeOfCopies = (
  key: string,
  doc: string,
  lengthOf: (times: StepRow['times']) => number | null,
): Column<StepRow> => timeOnDevice(key, doc, ({ times, hasCopies }) => (hasCopies ? lengthOf(times) : null));

export const STEP_PLACE_COLUMNS: readonly Column<StepRow>[] = [
  knownColumn('profile', 'profile', int(7), 'number of the input, from 0', ({ profile }) => profile, MACHINE_ONLY),
  column('file', 'file', str(20), "the profile's file", ({ header }) => header?.file ?? null, MACHINE_ONLY),
  column('rank', 'rank', int(4), 'rank of the process', ({ header, device }) => rankOn(header, device), MACHINE_ONLY),
  column('device', 'device', int(6), 'device', ({ device }) => device),
  knownColumn(
    'step',
    'step',
    str(9),
    'number of the step; - for work outside steps, all for the total',
    ({ step }) => step,
    { hasNumbers: true, toTheRight: true, vocabulary: true },
  ),
];

export const STEP_TIME_COLUMNS: readonly Column<StepRow>[] = [
  count('kernels', 'number of kernels that compute', ({ sums }) => sums.kernels),
  count('collectives', 'number of operations that communicate', ({ sums }) => sums.collectives),
  timeOnDevice('computing', 'time during which any kernel computes', ({ times }) => times.computing),
  timeOnDevice('communication', 'time during which any operation communicates', ({ times }) => times.communication),
  timeOnDevice('overlapped', 'time during which both run', ({ times }) => times.overlapped),
  timeOnDevice('not_overlapped', 'communication while no kernel computes', ({ times }) => times.exposed),
  timeOnDevice(
    'free',
    'time during which neither runs, between the first start and the last end',
    ({ times }) => times.free,
  ),
  timeOnDevice(
    'stage',
    'time from the first start to the last end of computing and communication, minus bubble',
    ({ times }) => times.stage,
  ),
  timeOnDevice('bubble', 'total duration of receive operations', ({ times }) => times.bubble),
  timeOnDevice(
    'not_overlapped_no_receive',
    'not_overlapped without bubble',
    ({ times }) => times.notOverlappedNoReceive,
    MACHINE_ONLY,
  ),
  timeOnDevice(
    'preparing',
    "time from the start of the step on the CPU to the device's first work",
    ({ preparing }) => preparing,
  ),
  timeOfCopies('copies', 'time during which any copy or memset runs', ({ copies }) => copies),
  timeOnDevice('exposed', 'the same as not_overlapped', ({ times }) => times.exposed),
  timeOfCopies('busy', 'time during which anything runs', ({ busy }) => busy),
  timeOfCopies(
    'idle',
    'time during which nothing runs on the device; the rest of the span is work of other steps',
    ({ idle }) => idle,
  ),
  timeOnDevice(
    'span',
    'step (device): time from the first start to the last end of any work',
    ({ times }) => times.span,
  ),
  time(
    'iteration',
    'step (host): time from its start to the start of the next (for the last step, to its end); also known without a device',
    ({ iteration }) => iteration,
  ),
  timeOnDevice(
    'kernel_time',
    'total duration of the kernels launched in the step',
    ({ kernelTimes }) => kernelTimes.all,
  ),
  timeOnDevice(
    'own_kernel_time',
    "kernel_time of the kernels that the step's own thread launched, not autograd's threads",
    ({ kernelTimes }) => kernelTimes.own,
  ),
];

/** Columns when no row is a server's step. */
export const STEP_COLUMNS: readonly Column<StepRow>[] = [...STEP_PLACE_COLUMNS, ...STEP_TIME_COLUMNS];

const timeOf = ({ iteration, times }: StepRow): number | null => stepTime(iteration, times.busy);

const served = (
  key: string,
  format: ColumnFormat,
  doc: string,
  value: (step: ServingStep, row: StepRow) => number | string | null,
): Column<StepRow> =>
  column(key, format.unit === 'ns' ? `${key}_ns` : key, format, doc, (row) => {
    const step = row.served?.step ?? null;
    return step === null ? null : value(step, row);
  });

const PART_DOCS: Readonly<Record<Exclude<ModelPart, 'communication'>, string>> = {
  attention: 'total duration of attention and KV-cache kernels',
  projection: 'total duration of matrix products outside attention and experts',
  experts: 'total duration of mixture-of-experts kernels, including routing',
  sampling: 'total duration of sampling kernels',
  other: 'total duration of all other compute kernels',
};

/** Columns about steps of inference servers for language models. */
export const SERVING_STEP_COLUMNS: readonly Column<StepRow>[] = [
  served(
    'phase',
    str(7),
    'prefill (requests read their context), decode (all requests generate) or mixed',
    ({ phase }) => phase,
  ),
  served('batch', int(5), 'requests', ({ batch }) => batch),
  served('context_tokens', int(14), 'tokens of the contexts that prefill reads', ({ context }) => context.tokens),
  served('generation_tokens', int(17), 'tokens that requests generate', ({ generation }) => generation.tokens),
  served(
    'tokens_per_s',
    real(12, 1),
    "tokens divided by the step's time, which is its iteration, or busy if that is longer",
    ({ tokens }, row) => tokensPerSecond(tokens, timeOf(row)),
  ),
  served(
    'time_per_output_token',
    int(24, 'ns'),
    "the step's time, if each generating request gets one token",
    (step, row) => timePerOutputToken(step, timeOf(row)),
  ),
  ...Object.entries(PART_DOCS).map(([part, doc]) =>
    time(part, doc, (row) => row.served?.parts[part as ModelPart] ?? null),
  ),
];

/** @param rows rows of one or several profiles */
export const columnsOf = (rows: readonly StepRow[]): readonly Column<StepRow>[] =>
  rows.some(({ served }) => served !== null) ? [...STEP_COLUMNS, ...SERVING_STEP_COLUMNS] : STEP_COLUMNS;
