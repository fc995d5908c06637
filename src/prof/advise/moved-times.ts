/** Data movement of a profile's devices, by communication operation and by kind of copy. */
import { largest } from '../../containers/element.js';
import { addTo, entryOf } from '../../containers/map-entry.js';
import type { CollectiveLine, KernelLine, ProfileLine, ProfileRecord } from '../../record/record.js';
import { describedKind } from '../ranks/group-kinds.js';
import { MESSAGES } from '../ranks/part/rank-part.js';
import { linkPeakOf } from '../roofline/peaks.js';
import { TransferRate } from '../steps/transfers.js';
import { operationName, operationOf, UNKNOWN_OPERATION, communicates, isCut, workOf } from '../steps/step-work.js';
import type { LongestTime } from './finding.js';
import { Ranking } from './kernel-tally.js';
import { spokenName } from './wording.js';

/**
 * The communication operation of a record that moves data between devices, and its message size; null for any other record.
 */
export function communicationOf(record: ProfileLine): { readonly name: string; readonly bytes: number | null } | null {
  if (record.type !== 'collective' && (record.type !== 'kernel' || !communicates(record))) return null;
  const name = operationName(record);
  // When the operation is unknown, the kernel's name is the most informative.
  const isUnknown = name === UNKNOWN_OPERATION && record.type === 'kernel';
  return { name: isUnknown ? spokenName(record.short) : name, bytes: operationOf(record).bytes };
}

type Moving = Pick<CollectiveLine, 'start' | 'dur' | 'device'>;

/**
 * Times by name, and bytes where they are known; kept by name because rates of different kinds and operations differ
 * widely.
 */
export class MovedAmounts extends Ranking {
  readonly #bytes = new Map<string, number>();
  readonly #rates = new Map<string, TransferRate>();
  /** Time in ns of transfers with known bytes. */
  readonly #sized = new Map<string, number>();
  readonly #counts = new Map<string, number>();

  /** Adds a transfer, in order of start time; one whose duration is unknown is ignored. */
  move(name: string, { start, dur, device }: Moving, bytes: number | null): void {
    if (dur === null || !this.add(name, dur)) return;
    addTo(this.#counts, name, 1);
    if (bytes === null) return;
    addTo(this.#bytes, name, bytes);
    addTo(this.#sized, name, dur);
    entryOf(this.#rates, name, () => new TransferRate()).add(device, start, dur, bytes);
  }

  countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  bytesOf(name: string): number | null {
    return this.#bytes.get(name) ?? null;
  }

  /** Bytes/s of the transfers with known bytes; null when these are less than half of the time. */
  rateOf(name: string): number | null {
    const time = this.#sized.get(name) ?? 0;
    return 2 * time >= this.timeOf(name) ? (this.#rates.get(name)?.bytesPerS ?? null) : null;
  }
}

/**
 * Time in ns in which the device moved data for an operation: that of its busiest link, because links work
 * concurrently. Messages of all sizes between two ranks are added up. If the ranks are unknown, messages over one
 * kind of link are added up, which gives an upper bound. The result is never more than the operation's duration.
 */
function movingOf({ transfers = [], dur: longest }: CollectiveLine): number | null {
  const links = new Map<string, number>();
  for (const { src, dst, link, dur } of transfers) {
    if (dur !== null) addTo(links, `${link},${src ?? ''},${dst ?? ''}`, dur);
  }
  return links.size === 0 ? null : Math.min(largest([...links.values()]), longest ?? Infinity);
}

/** The longest communication operation, with the number of others of the same name and the sum of their times in ns. */
export interface LongOperation extends LongestTime {
  readonly name: string;
  readonly others: number;
  readonly othersTime: number;
}

export class MovedTimes {
  readonly communicated = new MovedAmounts();
  /** Time in ns in which data is moved, and total time in ns of the operations for which it is known. */
  #moving = 0;
  #watched = 0;
  /** Time in ns in which operations are known not to move data, and the part of it between pipeline stages. */
  #waiting = 0;
  #waitingForStages = 0;
  readonly #groups = new Map<string, string | null>();
  readonly copied = new MovedAmounts();
  #longest: (LongestTime & { readonly name: string }) | null = null;

  /**
   * Takes a record. If its recorded end is not plausible, the record is ignored, because it is unknown how long it
   * moved data.
   */
  take(record: ProfileLine): void {
    if (record.type === 'profile')
      for (const { name, description } of record.groups ?? []) this.#groups.set(name, description);
    const work = workOf(record)?.record;
    if (work !== undefined && isCut(work)) return;
    const operation = communicationOf(record);
    if (operation !== null && (record.type === 'collective' || record.type === 'kernel')) {
      this.#communicate(operation.name, record, operation.bytes);
      this.#watch(record);
    }
    if (record.type === 'copy') this.copied.move(record.kind ?? 'copy', record, record.bytes);
    else if (record.type === 'set') this.copied.move('set', record, record.bytes);
  }

  #communicate(name: string, moving: Moving, bytes: number | null): void {
    const { start, dur } = moving;
    this.communicated.move(name, moving, bytes);
    if (dur === null || (this.#longest !== null && dur <= this.#longest.end - this.#longest.start)) return;
    this.#longest = { name, start, end: start + dur };
  }

  get longest(): LongOperation | null {
    const longest = this.#longest;
    if (longest === null) return null;
    const { name, start, end } = longest;
    const { communicated } = this;
    const othersTime = communicated.timeOf(name) - (end - start);
    return { ...longest, others: communicated.countOf(name) - 1, othersTime };
  }

  #watch(record: CollectiveLine | KernelLine): void {
    const { dur } = record;
    if (dur === null || !Number.isFinite(dur)) return;
    const moving = record.type === 'collective' ? movingOf(record) : null;
    const waiting = dur - (moving ?? 0);
    this.#waiting += waiting;
    if (this.#isBetweenStages(record)) this.#waitingForStages += waiting;
    if (moving === null) return;
    this.#moving += moving;
    this.#watched += dur;
  }

  /**
   * Whether an operation is between pipeline stages: in a group for a pipeline, or the framework's send or receive in a group
   * without a known purpose. Kernels alone do not say, because an all-to-all runs the same ones.
   */
  #isBetweenStages(record: CollectiveLine | KernelLine): boolean {
    const { kind, group } = operationOf(record);
    const purpose = describedKind(group === null ? null : (this.#groups.get(group) ?? null));
    if (purpose !== null && purpose !== 'world') return purpose === 'pipeline';
    const isStated = record.type === 'collective' || record.collective !== undefined;
    return isStated && kind !== null && MESSAGES.has(kind);
  }

  /**
   * Whether operations mostly wait for another pipeline stage. The schedule of the pipeline causes these waits (the
   * pipeline bubble).
   */
  get isBubble(): boolean {
    return this.#waitingForStages > this.#waiting / 2;
  }

  /**
   * Share of the operations' time in which data is moved; the rest is waiting. Null when the profiler records no messages.
   */
  get movingShare(): number | null {
    return this.#watched > 0 ? this.#moving / this.#watched : null;
  }
}

/**
 * Minimum share of the links' peak rate, and of the time in which data is moved. Below these, an operation mostly
 * waits.
 */
const [SLOW, WAITING] = [0.1, 0.5];

/** Why communication takes long although little data is moved. */
export interface MostlyWaiting {
  /** Share of the time in which data moves, or of the peak rate of links within a machine. */
  readonly share: number;
  readonly of: 'time' | 'peak';
  /** Whether they mostly wait for another pipeline stage. */
  readonly isBubble: boolean;
}

/**
 * Whether operations between ranks mostly wait: for a late rank, another pipeline stage, or a slow link. If so, overlap
 * does not help.
 * @returns null when they do not wait, or when the profile does not show it
 */
export function mostlyWaiting(
  { movingShare, communicated, isBubble }: Pick<MovedTimes, 'movingShare' | 'communicated' | 'isBubble'>,
  profile: ProfileRecord | null,
): MostlyWaiting | null {
  if (movingShare !== null && movingShare < WAITING) return { share: movingShare, of: 'time', isBubble };
  const bytesPerS = communicated.rateOf(communicated.top(1)[0]?.[0] ?? '');
  const peak = linkPeakOf(profile?.devices[0]?.name ?? null);
  return bytesPerS !== null && peak !== null && bytesPerS < SLOW * peak
    ? { share: bytesPerS / peak, of: 'peak', isBubble }
    : null;
}
