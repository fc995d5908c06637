/** Records of a long training run: those of a short one, as dparse writes them, over and over, each time later. */
import { STEP_METRIC, type KernelLine, type ProfileLine, type SampleRecord } from '../src/record/record.js';
import { writePieces } from './write-pieces.js';

/** ns between the end of one copy and the start of the next. */
const GAP = 100_000;
const PIECE = 1 << 22;
/** So many copies make longer steps together: a run of a million kernels has thousands of steps, not tens of them. */
const COPIES_OF_A_STEP = 4;

/** What the numbers of one copy lie above those of the copy before. */
interface Stride {
  readonly time: number;
  readonly id: number;
  readonly corr: number;
  readonly call: number;
  readonly step: number;
}

const isKernel = (record: ProfileLine): record is KernelLine => record.type === 'kernel';
const isTimed = (record: ProfileLine): boolean => record.type !== 'profile' && record.type !== 'end';
const isStep = (record: ProfileLine): boolean => record.type === 'sample' && record.metric === STEP_METRIC;
const highest = (numbers: readonly number[]): number => numbers.reduce((most, one) => Math.max(most, one), 0);

function strideOf(records: readonly ProfileLine[]): Stride {
  const kernels = records.filter(isKernel);
  const ends = records.map((record) =>
    'dur' in record && 'start' in record ? (record.start ?? 0) + (record.dur ?? 0) : 0,
  );
  const steps = kernels.flatMap(({ step }) => (typeof step === 'number' ? [step] : []));
  return {
    time: highest(ends) + GAP,
    id: kernels.length,
    corr: highest(records.map((record) => ('corr' in record ? (record.corr ?? 0) : 0))) + 1,
    call: highest(kernels.flatMap(({ callIds }) => callIds ?? [])) + 1,
    step: steps.length === 0 ? 0 : highest(steps) - Math.min(...steps) + 1,
  };
}

/** A record of copy `copy`, from 0. */
function shifted<R extends ProfileLine>(record: R, { time, id, corr, call, step }: Stride, copy: number): R {
  const later = <T extends { readonly start: number }>(part: T): T => ({ ...part, start: part.start + copy * time });
  const next: Record<string, unknown> = { ...record };
  if ('start' in record && record.start !== null) next['start'] = record.start + copy * time;
  if ('corr' in record && typeof record.corr === 'number') next['corr'] = record.corr + copy * corr;
  if ('launch' in record && record.launch) next['launch'] = later(record.launch);
  if (record.type === 'sync' && record.event !== undefined)
    next['event'] = { ...record.event, recorded: record.event.recorded + copy * time };
  if (isKernel(record)) {
    next['id'] = record.id + copy * id;
    if (typeof record.step === 'number') next['step'] = record.step + Math.floor(copy / COPIES_OF_A_STEP) * step;
    if (record.callIds) next['callIds'] = record.callIds.map((number) => number + copy * call);
    if (record.forward) next['forward'] = later(record.forward);
  }
  return next as unknown as R;
}

interface RepeatOptions {
  /** Of equally many copies each; without it a step has a few copies. */
  readonly steps?: number;
  /** Which rank of how many the profile says that it is. */
  readonly rank?: { readonly rank: number; readonly worldSize: number };
  /** Values of the device's memory in each copy, evenly over its time. */
  readonly samples?: number;
}

/** A rising and falling curve of memory over one copy. */
function memorySamples({ time }: Stride, samples: number): SampleRecord[] {
  const at = { type: 'sample', profile: 0, device: 0, metric: 'memory_allocated', unit: 'bytes' } as const;
  return Array.from({ length: samples }, (_, i) => {
    const value = 2 ** 30 + Math.round(2 ** 29 * Math.sin((2 * Math.PI * i) / samples));
    return { ...at, start: Math.floor((i * time) / samples), dur: null, value };
  });
}

/**
 * Writes at least `kernels` kernels, with what else belongs to as many copies.
 * @param text the records of one profile, a line each
 * @returns how many kernels there are
 */
export function writeRepeatedRecords(text: string, kernels: number, path: string, options: RepeatOptions = {}): number {
  const { steps, rank, samples = 0 } = options;
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ProfileLine);
  // The steps of the host are those of the kernels, where their number is given.
  const own = records.filter((record) => isTimed(record) && (steps === undefined || !isStep(record)));
  const stride = strideOf(records);
  const timed = [...own, ...memorySamples(stride, samples)];
  if (stride.id === 0) throw new Error('no kernels to repeat');
  const copies = Math.ceil(kernels / stride.id);
  const lineOf = (record: unknown): string => `${JSON.stringify(record)}\n`;
  writePieces(path, (write) => {
    let piece = records
      .filter(({ type }) => type === 'profile')
      .map((record) => lineOf({ ...record, ...rank }))
      .join('');
    for (let copy = 0; copy < copies; copy++) {
      const step = steps === undefined ? {} : { step: 1 + Math.floor((copy * steps) / copies) };
      for (const record of timed) {
        const one = shifted(record, stride, copy);
        piece += lineOf(isKernel(one) ? { ...one, ...step } : one);
      }
      if (piece.length < PIECE) continue;
      write(Buffer.from(piece));
      piece = '';
    }
    const types = [...new Set(timed.map(({ type }) => type))];
    const counts = Object.fromEntries(
      types.map((type) => [type, copies * timed.filter((one) => one.type === type).length]),
    );
    write(Buffer.from(`${piece}${lineOf({ type: 'end', profile: 0, counts, diagnostics: {} })}`));
  });
  return copies * stride.id;
}
