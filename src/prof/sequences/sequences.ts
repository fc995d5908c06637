/** `dprof sequences`: turns kernels into the sequences that occur most, as candidates for one fused kernel. One pass. */
import { UserError } from '../../record/errors.js';
import { isNeuronInstruction } from '../../record/neuron/neuron-cores.js';
import { addTimes, durationOf } from '../../record/fields/times.js';
import type { Category } from '../../ops/category.js';
import { TextPool } from '../../containers/text-pool.js';
import { entryOf } from '../../containers/map-entry.js';
import { many } from '../../record/plural.js';
import { column, knownColumn, int, real, str, textOf, type Column } from '../../table/column.js';
import { withoutKernels, type Analysis, type Answer, type Item, type RecordTypes } from '../analysis.js';
import { countNotes, limit } from '../limits.js';
import { Annotated, type KernelColumn } from '../annotate.js';
import { isDeviceActivity, launchOf } from '../input/device-activity.js';
import type { KernelFilter } from '../query/kernel-query.js';
import { communicates, workOf } from '../steps/step-work.js';
import { BREAK, KernelOrder } from './kernel-order.js';
import { RepeatedSequences, SMALL, type SequenceRow } from './repeated-sequences.js';

/** Maximum number of kernels, copies and memsets; later ones are counted. */
export const MOST_KERNELS = 2_000_000;

/** Number of sequences, by default. */
export const MOST_SEQUENCES = 50;

/** Between the kernels of a sequence. */
const THEN = ' > ';

/** Time of the launch calls in % of the time on the device, where all launch calls of an occurrence are known. */
const launchShare = ({ launched: { launch, device } }: SequenceRow): number | null =>
  device > 0 ? (100 * launch) / device : null;

export const SEQUENCE_COLUMNS: readonly Column<SequenceRow>[] = [
  knownColumn(
    'saved',
    'Saved(ns)',
    int(11, 'ns'),
    'small + gaps: the most that one fused kernel could save',
    ({ saved }) => saved,
  ),
  knownColumn('count', 'Count', int(7), 'number of occurrences that do not overlap', ({ count }) => count),
  knownColumn('kernels', 'Kernels', int(3), 'number of kernels in the sequence', ({ sequence }) => sequence.length, {
    narrowHeader: 'K',
  }),
  knownColumn('time', 'Time(ns)', int(11, 'ns'), 'total time of its kernels', ({ time }) => time),
  knownColumn(
    'share',
    'Share%',
    real(6, 1, '%'),
    'share of the time of all kernels that could be fused',
    ({ share }) => 100 * share,
  ),
  knownColumn(
    'small',
    'Small(ns)',
    int(11, 'ns'),
    `time of its kernels that take less than ${SMALL / 1000} us`,
    ({ small }) => small,
  ),
  knownColumn('gaps', 'Gaps(ns)', int(11, 'ns'), 'time between its kernels', ({ gaps }) => gaps),
  knownColumn(
    'launched',
    'Launched',
    int(7),
    'number of occurrences whose launch calls are all known',
    ({ launched }) => launched.count,
  ),
  column(
    'launch',
    'Launch(ns)',
    int(11, 'ns'),
    'time of the launch calls of these occurrences',
    ({ launched: { count, launch } }) => (count > 0 ? launch : null),
  ),
  column(
    'launchshare',
    'Launch%',
    real(6, 1, '%'),
    'launch in % of the time and gaps of these occurrences: above 100, the host takes longer than the device',
    launchShare,
    { narrowHeader: 'Lau%' },
  ),
  knownColumn('sequence', 'Sequence', str(0), 'names of the kernels, in order', ({ sequence }) => sequence, {
    list: 'str',
    separator: THEN,
  }),
];

export interface SequenceFacts {
  readonly rows: readonly SequenceRow[];
  /** Number of kernels that were looked at, and their time in ns. */
  readonly kernels: number;
  readonly time: number;
  readonly streams: number;
}

export interface SequenceOptions {
  /** Columns that name a kernel. */
  readonly keys: readonly KernelColumn[];
  /** Number of kernels of a sequence; null for any from 2 to 8. */
  readonly length: number | null;
  /** Maximum number of sequences. */
  readonly most: number;
  /** Selects kernels; any other ends a sequence. All when absent. */
  readonly where?: KernelFilter | undefined;
}

/** Work that no kernel could do together with its neighbours, by category. */
const SEPARATE: ReadonlySet<Category | null> = new Set<Category>(['communication', 'set', 'other']);

/** The start or the end of an asynchronous instruction of XLA, by its opcode. */
const ASYNCHRONOUS = /-(?:start|done)$/;

/** Neuron's instructions are parts of one program, which its compiler has fused. */
const isSeparate = ({ record, category }: Annotated): boolean =>
  isNeuronInstruction(record) ||
  workOf(record) === null ||
  communicates(record) ||
  SEPARATE.has(category) ||
  ASYNCHRONOUS.test(String(record.labels?.['category']));

export class Sequences implements Analysis<SequenceFacts> {
  readonly types: RecordTypes = new Set(['profile', 'kernel', 'copy', 'set', 'graph', 'collective', 'end'] as const);
  readonly #order = new KernelOrder();
  readonly #names = new TextPool();
  readonly #streams = new Map<string, number>();
  #kernels = 0;
  #time = 0;
  #untimed = 0;
  /** Number of kernels that could not be fused. */
  #separate = 0;
  #beyond = 0;

  constructor(private readonly options: SequenceOptions) {}

  take(item: Item): void {
    if (item instanceof Annotated) this.#addKernel(item);
    // Other work on a stream ends a sequence, if it is known when; kernels come annotated.
    else if (isDeviceActivity(item) && item.type !== 'kernel' && item.type !== 'sync' && Number.isFinite(item.start))
      this.#add(item, BREAK, item.start, durationOf(item) ?? 0, null);
  }

  #addKernel(row: Annotated): void {
    const { record } = row;
    const time = durationOf(record);
    if (time === null || !Number.isFinite(record.start)) {
      this.#untimed++;
      return;
    }
    const isApart = isSeparate(row);
    if (isApart) this.#separate++;
    const isOther = isApart || this.options.where?.(row) === false;
    if (!isOther) {
      this.#kernels++;
      this.#time = addTimes(this.#time, time);
    }
    const text = (): string => this.options.keys.map((key) => textOf(key, key.value(row))).join(' ');
    // A graph is launched by one call for all its kernels.
    const launch = record.graph === undefined ? (launchOf(record)?.dur ?? null) : null;
    this.#add(record, isOther ? BREAK : this.#names.numberOf(text()), record.start, time, launch);
  }

  #add(
    { profile, device, stream }: { profile: number; device: number | null; stream?: number | null },
    name: number,
    start: number,
    time: number,
    launch: number | null,
  ): void {
    if (this.#order.length >= MOST_KERNELS) {
      this.#beyond++;
      return;
    }
    const number = entryOf(this.#streams, `${profile}/${device ?? ''}/${stream ?? ''}`, () => this.#streams.size);
    this.#order.add(number, name, start, time, launch);
  }

  /** The best sequences, in order. */
  get rows(): SequenceRow[] {
    const found = new RepeatedSequences(this.#order.ordered).best(this.options.most, this.options.length);
    return found.map(({ names, ...sums }): SequenceRow => ({
      ...sums,
      sequence: names.map((name) => this.#names.at(name)),
      share: this.#time > 0 ? sums.time / this.#time : 0,
      saved: addTimes(sums.small, sums.gaps),
    }));
  }

  /** @throws UserError when no kernel has a start and a duration */
  finish(): Answer<SequenceFacts> {
    if (this.#kernels === 0 && this.#separate > 0)
      throw new UserError('no kernels that could be fused', {
        hint: 'Neuron instructions, communication, transfers and memsets do not count',
      });
    if (this.#kernels === 0) throw withoutKernels(this.#untimed);
    const { rows } = this;
    return {
      table: { columns: SEQUENCE_COLUMNS, rows },
      facts: { rows, kernels: this.#kernels, time: this.#time, streams: this.#streams.size },
      notes: [
        ...countNotes([this.#untimed, 'kernel', ' left out', 'no start or no duration']),
        ...(this.#beyond > 0
          ? [
              limit(
                `${many(this.#beyond, 'activity')} left out`,
                `only the first ${many(MOST_KERNELS, 'kernel')} count`,
              ),
            ]
          : []),
      ],
    };
  }
}
