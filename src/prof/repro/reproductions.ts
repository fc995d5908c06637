/**
 * `dprof repro`: the kernels whose ops a script runs, with the times that the profile has for them. One kernel by its id, or
 * the calls that take most of the time among kernels that match, each distinct call once.
 *
 * Memory: 1,024 kernels around the one with the id; or 5,000 distinct calls with one kernel each, and at most 16 million
 * characters of arguments.
 */
import { lineOnly } from '../limits.js';
import { entryOf } from '../../containers/map-entry.js';
import { UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import { KERNEL_TYPES, withoutKernels, type Analysis, type Answer, type Item } from '../analysis.js';
import { Annotated } from '../annotate.js';
import type { KernelFilter } from '../query/kernel-query.js';
import { isKernel, type KernelId } from '../report/explain.js';
import { hasStrides } from './product-layout.js';
import { isRefusal, reproduce, type Refusal, type Reproduction } from './reproduction.js';

/** A kernel that the op launched in the profile. */
interface RecordedKernel {
  readonly name: string;
  /** Mean duration in ns; null when no duration is known. */
  readonly ns: number | null;
  readonly count: number;
}

/** A call to reproduce, with its kernels and times in the profile. */
export interface ReproducedOp {
  readonly row: Annotated;
  readonly found: Reproduction;
  readonly kernels: readonly RecordedKernel[];
  /** Whether a product of FP32 operands ran in TF32, which a setting of PyTorch allows; null for all other calls. */
  readonly tf32: boolean | null;
  /** Time of all kernels of one call in ns; null where the profile does not say which kernels a call launched. */
  readonly callNs: number | null;
  /** Number of these calls in the profile, and share of the time of all kernels in %; null for a single kernel. */
  readonly calls: number | null;
  readonly share: number | null;
}

/** Kernels before and after the wanted one that are searched for other kernels of its call. */
const NEAR = 512;
/** Maximum distinct calls, and characters of their arguments; kernels beyond either are counted. */
const [MOST_CALLS, MOST_TEXT] = [5000, 16_000_000];

/** Whether a kernel computes a product of FP32 operands in TF32; null for one that computes no such product. */
function usesTf32({ unitUse }: Annotated): boolean | null {
  const dtype = unitUse?.dtype ?? null;
  return dtype === 'tf32' ? true : dtype === 'fp32' ? false : null;
}

/** Durations of kernels by name. */
class KernelSums {
  tf32: boolean | null = null;
  readonly #sums = new Map<string, { ns: number; timed: number; count: number }>();
  ns = 0;

  add(row: Annotated): void {
    const { name, dur } = row.record;
    this.tf32 ??= usesTf32(row);
    const sum = entryOf(this.#sums, name, () => ({ ns: 0, timed: 0, count: 0 }));
    sum.count++;
    if (dur === null || !Number.isFinite(dur)) return;
    sum.timed++;
    sum.ns += dur;
    this.ns += dur;
  }

  addAll(other: KernelSums): void {
    for (const [name, { ns, timed, count }] of other.#sums) {
      const sum = entryOf(this.#sums, name, () => ({ ns: 0, timed: 0, count: 0 }));
      sum.ns += ns;
      sum.timed += timed;
      sum.count += count;
    }
    this.ns += other.ns;
    this.tf32 ??= other.tf32;
  }

  get kernels(): RecordedKernel[] {
    const sums = [...this.#sums].map(([name, { ns, timed, count }]) => ({ name, ns, timed, count }));
    sums.sort((a, b) => b.ns - a.ns);
    return sums.map(({ name, ns, timed, count }) => ({ name, ns: timed === 0 ? null : ns / timed, count }));
  }
}

const errorOf = ({ refused, hint }: Refusal): UserError => new UserError(refused, hint === null ? {} : { hint });

/** One kernel by its id. */
export class OneReproduction implements Analysis<readonly ReproducedOp[]> {
  readonly types = KERNEL_TYPES;
  #found: Annotated | null = null;
  #hasStrides = false;
  #isAny = false;
  /** Kernels before and after the wanted one. */
  readonly #near: Annotated[] = [];

  constructor(private readonly wanted: KernelId) {}

  take(item: Item): void {
    if (!(item instanceof Annotated)) return;
    this.#isAny = true;
    this.#hasStrides ||= item.calls.some(hasStrides);
    if (this.#found === null && isKernel(this.wanted, item.record)) this.#found = item;
    const isAfter = this.#found !== null;
    if (isAfter && this.#near.length >= 2 * NEAR) return;
    this.#near.push(item);
    if (!isAfter && this.#near.length > NEAR) this.#near.shift();
  }

  finish(): Answer<readonly ReproducedOp[]> {
    const { profile, id } = this.wanted;
    if (!this.#isAny) throw withoutKernels();
    const row = this.#found;
    if (row === null)
      throw new UserError(`no kernel ${profile === null ? '' : `${profile}:`}${id}`, {
        hint: 'see the columns idx and profile',
      });
    const found = reproduce(row, { hasStrides: this.#hasStrides });
    if (isRefusal(found)) throw errorOf(found);
    return { facts: [{ row, found, ...this.#recorded(row, found), calls: null, share: null }] };
  }

  /** The kernels of the call, as far as the profile says which ones it launched. */
  #recorded(row: Annotated, { index, backward }: Reproduction): Pick<ReproducedOp, 'kernels' | 'tf32' | 'callNs'> {
    const call = backward ? undefined : row.record.callIds?.[index];
    const sums = new KernelSums();
    const isOfCall = ({ record }: Annotated): boolean =>
      record.profile === row.record.profile && record.callIds?.[index] === call;
    const others = call === undefined ? [row] : this.#near.filter(isOfCall);
    for (const other of others) sums.add(other);
    const isWhole = call !== undefined && row.record.callKernels?.[index] === others.length;
    return { kernels: sums.kernels, tf32: sums.tf32, callNs: isWhole && sums.ns > 0 ? sums.ns : null };
  }
}

const byTime = (a: KernelSums, b: KernelSums): number => b.ns - a.ns;

/** Kernels with the same calls around their launch. */
class CallSums extends KernelSums {
  /** Number of calls, by index among the calls around a launch: a kernel counts as one n-th of a call of n kernels. */
  readonly parts: number[] = [];

  constructor(readonly row: Annotated) {
    super();
  }

  override add(row: Annotated): void {
    super.add(row);
    for (const [i, count] of (row.record.callKernels ?? []).entries())
      this.parts[i] = (this.parts[i] ?? 0) + (count > 0 ? 1 / count : 0);
  }
}

/** Calls of one op with equal arguments, whatever calls are around them. */
class EqualCalls extends KernelSums {
  #calls: number | null = 0;

  /** @param row the first of the kernels */
  constructor(
    private readonly row: Annotated,
    private readonly found: Reproduction,
  ) {
    super();
  }

  /** @param found the same call, which has another index among those around the launch */
  merge(sums: CallSums, { index, backward }: Reproduction): void {
    this.addAll(sums);
    const calls = backward ? undefined : sums.parts[index];
    this.#calls = calls === undefined || this.#calls === null ? null : this.#calls + calls;
  }

  /** @param all time of all kernels, in ns */
  reproduced(all: number): ReproducedOp {
    const { row, found, kernels, tf32, ns } = this;
    const calls = this.#calls ?? kernels[0]?.count ?? 1;
    return {
      ...{ row, found, kernels, tf32 },
      callNs: this.#calls === null || this.#calls === 0 || ns === 0 ? null : ns / this.#calls,
      calls: Math.max(1, Math.round(calls)),
      share: all === 0 ? 0 : (100 * ns) / all,
    };
  }
}

/** The calls that take most of the time, each distinct one once. */
export class TopReproductions implements Analysis<readonly ReproducedOp[]> {
  readonly types = KERNEL_TYPES;
  readonly #calls = new Map<string, CallSums>();
  #hasStrides = false;
  #kernels = 0;
  #text = 0;
  #matching = 0;
  #leftOut = 0;
  #ns = 0;

  /**
   * @param top number of calls
   * @param isWanted which calls count; all by default
   */
  constructor(
    private readonly where: KernelFilter | undefined,
    private readonly top: number,
    private readonly isWanted: (found: Reproduction) => boolean = () => true,
  ) {}

  take(item: Item): void {
    if (!(item instanceof Annotated)) return;
    this.#kernels++;
    const { dur } = item.record;
    this.#ns += dur !== null && Number.isFinite(dur) ? dur : 0;
    if (this.where?.(item) === false) return;
    this.#matching++;
    const { calls, record } = item;
    this.#hasStrides ||= calls.some(hasStrides);
    const key = JSON.stringify([calls, record.dir, calls.length === 0 ? record.name : '']);
    const known = this.#calls.get(key);
    const isFull = this.#calls.size >= MOST_CALLS || this.#text + key.length > MOST_TEXT;
    if (known === undefined && isFull) this.#leftOut++;
    else if (known === undefined) this.#addTo(key, item);
    else known.add(item);
  }

  #addTo(key: string, item: Annotated): void {
    const sums = new CallSums(item);
    sums.add(item);
    this.#calls.set(key, sums);
    this.#text += key.length;
  }

  finish(): Answer<readonly ReproducedOp[]> {
    if (this.#kernels === 0) throw withoutKernels();
    if (this.#matching === 0) throw new UserError(`none of ${counted(this.#kernels, 'kernel')} matches --where`);
    const distinct = new Map<string, EqualCalls>();
    const refused = new Refusals(this.#ns);
    for (const sums of [...this.#calls.values()].sort(byTime)) {
      const found = reproduce(sums.row, { hasStrides: this.#hasStrides });
      if (isRefusal(found)) refused.add(found, sums);
      else if (this.isWanted(found)) {
        const { name, args, backward } = found;
        entryOf(distinct, JSON.stringify([name, args, backward]), () => new EqualCalls(sums.row, found)).merge(
          sums,
          found,
        );
      }
    }
    if (distinct.size === 0) throw refused.error();
    const longest = [...distinct.values()].sort(byTime).slice(0, this.top);
    return {
      facts: longest.map((calls) => calls.reproduced(this.#ns)),
      notes: [...refused.notes(), ...this.#leftOutNotes()].map(lineOnly),
    };
  }

  #leftOutNotes(): string[] {
    return this.#leftOut === 0
      ? []
      : [`${counted(this.#leftOut, 'kernel')} left out: too many distinct calls (--where selects some)`];
  }
}

/** Refusals, and the time of their kernels in ns. */
class Refusals {
  #count = 0;
  #ns = 0;
  #first: Refusal | null = null;

  /** @param all time of all kernels, in ns */
  constructor(private readonly all: number) {}

  add(refused: Refusal, { ns }: CallSums): void {
    this.#count++;
    this.#ns += ns;
    this.#first ??= refused;
  }

  error(): UserError {
    return this.#first === null ? withoutKernels() : errorOf(this.#first);
  }

  notes(): string[] {
    if (this.#first === null) return [];
    const share = this.all === 0 ? 0 : (100 * this.#ns) / this.all;
    const { refused, hint } = this.#first;
    const first = `${refused}${hint === null ? '' : ` (${hint})`}`;
    return [
      `${counted(this.#count, 'call')} left out, ${share.toFixed(1)} % of the kernels' time; the longest: ${first}`,
    ];
  }
}
