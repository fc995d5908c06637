/** Changes of a program whose effect a replay predicts: `op==mm: 0.5`, `op==mm: roof`, `communication: 0`. */
import { nearest, UsageError } from '../../record/errors.js';
import type { Annotated } from '../annotate.js';
import { communicates } from '../steps/step-work.js';
import { deviceNamed, unknownDevice } from '../roofline/device-choice.js';
import type { Peaks } from '../roofline/peaks.js';
import { parseWhere, type KernelFilter } from '../query/kernel-query.js';
import { BOUND_NAMES, type Bound } from './bounds.js';

/** Maximum number of kinds of work to compare; work of further kinds keeps its time. */
const MOST_KINDS = 100_000;

/** Stands for work that is not compared. */
export const NO_KIND = 0;

/** Numbers for kinds of work that is the same on each rank. */
export class WorkKinds {
  readonly #numbers = new Map<string, number>();

  /** Kernels of one name, op, layer and grid. */
  ofKernel({ record, op, layer }: Annotated): number {
    return this.numberOf([record.short, op, layer, record.grid, record.block]);
  }

  numberOf(identity: readonly unknown[]): number {
    const key = JSON.stringify(identity);
    const number = this.#numbers.get(key);
    if (number !== undefined || this.#numbers.size >= MOST_KINDS) return number ?? NO_KIND;
    this.#numbers.set(key, this.#numbers.size + 1);
    return this.#numbers.size;
  }
}

/** Something that takes another time: kernels that match, or all time of a kind. */
interface Change {
  readonly text: string;
  readonly kernels: KernelFilter | null;
  readonly bound: Bound | null;
  /** Factor that multiplies its time; ROOF for the minimum time of each kernel. */
  readonly factor: number | typeof ROOF;
}

/** Instead of a factor: each kernel takes its minimum time under the roofline of its device. */
const ROOF = 'roof';

/** Other words for kinds of time. */
const ALSO: Readonly<Record<string, Bound>> = { collective: 'communication', collectives: 'communication' };

const CHANGEABLE = BOUND_NAMES.filter((bound) => bound !== 'unknown');

/**
 * The kind of time that a string names; null for a filter, which is more than a word.
 * @throws UsageError for another word
 */
function boundOf(text: string): Bound | null {
  if (!/^\w+$/.test(text)) return null;
  const bound = ALSO[text] ?? CHANGEABLE.find((name) => name === text);
  if (bound !== undefined) return bound;
  const near = nearest(text, CHANGEABLE);
  throw new UsageError(`unknown kind of time '${text}'`, near === null ? `for an op: op==${text}` : `did you mean ${near}?`); // prettier-ignore
}

/** @throws UsageError for a string without a factor, and for a filter that cannot be parsed */
function parseChange(text: string): Change {
  const [, what = '', factor = ''] = /^(.*\S) *: *(\d{1,9}(?:\.\d{1,9})?|roof)$/.exec(text.trim()) ?? [];
  if (factor === '')
    throw new UsageError(`--what-if takes EXPR: FACTOR or EXPR: roof, not '${text}'`, "for example --what-if 'op==mm: 0.5'"); // prettier-ignore
  const bound = boundOf(what);
  if (bound !== null && factor === ROOF)
    throw new UsageError(`roof takes a filter of kernels, not '${what}'`, "for all kernels: --what-if 'sil>0: roof'");
  const kernels = bound === null ? parseWhere(what) : null;
  return { text, bound, kernels, factor: factor === ROOF ? ROOF : Number(factor) };
}

/** The change that makes all ranks equally fast. */
const EQUAL = /^ranks *: *equal$/;

/** The change that makes one kernel of several. */
const FUSE = /^fuse *:(.*)$/;

/** @throws UsageError for fewer than two names */
function chainOf(text: string): readonly string[] {
  const names = text.split('+').map((name) => name.trim());
  if (names.length < 2 || names.includes(''))
    throw new UsageError(`--what-if takes fuse: A+B, not 'fuse:${text}'`, 'A and B are ops or kernels that follow each other'); // prettier-ignore
  return names;
}

/** The change to another device. */
const DEVICE = /^device *:(.*)$/;

/** @throws UsageError for a device that is not in the table */
function deviceOf(name: string): Peaks {
  const peaks = deviceNamed(name);
  if (peaks === null) throw unknownDevice(name);
  return peaks;
}

/** Counts kernels that keep their time, because their time after the change is not known. */
class UnchangedKernels {
  kernels = 0;
  /** Time in ns of these kernels, and of all kernels that the change applies to. */
  time = 0;
  all = 0;

  /**
   * @param change the change as a note has it: `on H100 SXM`
   * @param why why their time after it is not known
   */
  constructor(
    readonly change: string,
    readonly why: string,
  ) {}

  /** Takes a kernel. @returns the factor, or 1 when it is not known */
  take(factor: number | null, { record }: Annotated): number {
    const time = Math.max(0, record.dur ?? 0);
    this.all += time;
    if (factor !== null) return factor;
    this.kernels++;
    this.time += time;
    return 1;
  }
}

/** Several changes at once; their factors multiply. */
export class WhatIf {
  readonly #changes: readonly Change[];
  readonly #matched = new Set<Change>();
  /** Kinds of work by which ranks are compared; null unless they are to be equally fast. */
  readonly kinds: WorkKinds | null;

  /** Names of ops or kernels that are fused, in order. */
  readonly chains: readonly (readonly string[])[];
  /** Whether any kernels follow each other like one of the chains. */
  hasFused = false;
  /** Peak rates of another device; null for the one in the profile. */
  readonly device: Peaks | null;
  readonly #onDevice: UnchangedKernels | null;
  readonly #underRoof: ReadonlyMap<Change, UnchangedKernels>;

  /** Whether values derived from ops are needed: minimum times depend on FLOPs and bytes. */
  get needsWork(): boolean {
    return this.device !== null || this.#underRoof.size > 0;
  }

  /** Kernels that keep their time, counted as `factorOf` is called, for each change that keeps any. */
  get unchanged(): readonly UnchangedKernels[] {
    const all = [...(this.#onDevice === null ? [] : [this.#onDevice]), ...this.#underRoof.values()];
    return all.filter(({ kernels }) => kernels > 0);
  }

  /** @throws UsageError for a string that is not a change */
  constructor(given: readonly string[]) {
    const texts = given.map((text) => text.trim());
    const devices = texts.flatMap((text) => DEVICE.exec(text)?.[1]?.trim() ?? []);
    if (devices.length > 1) throw new UsageError('--what-if takes one device');
    this.device = devices[0] === undefined ? null : deviceOf(devices[0]);
    this.kinds = texts.some((text) => EQUAL.test(text)) ? new WorkKinds() : null;
    this.chains = texts.flatMap((text) => FUSE.exec(text)?.slice(1).map(chainOf) ?? []);
    this.#changes = texts
      .filter((text) => ![EQUAL, DEVICE, FUSE].some((pattern) => pattern.test(text)))
      .map(parseChange);
    this.#onDevice = this.device && new UnchangedKernels(`on ${this.device.name}`, 'work unknown, or bound by neither arithmetic nor memory'); // prettier-ignore
    this.#underRoof = new Map(
      this.#changes
        .filter(({ factor }) => factor === ROOF)
        .map((change) => [change, new UnchangedKernels(`by '${change.text}'`, 'minimum time unknown')]),
    );
  }

  /** Factor that multiplies the time of a kernel. Call it once for each kernel. */
  factorOf(kernel: Annotated): number {
    const first = this.device === null || communicates(kernel.record) ? 1 : this.#factorOn(this.device, kernel);
    const matching = this.#changes.filter(({ kernels }) => kernels?.(kernel) === true);
    for (const change of matching) this.#matched.add(change);
    const roof = this.#roofFactor(matching, kernel);
    return matching.reduce((all, { factor }) => (factor === ROOF ? all : all * factor), roof ?? first);
  }

  /** Filters that no kernel has matched so far, as they were given. */
  get unmatched(): readonly string[] {
    return this.#changes
      .filter((change) => change.kernels !== null && !this.#matched.has(change))
      .map(({ text }) => text);
  }

  /**
   * A kernel that its device's arithmetic or memory bounds is as far from the roofline of the other device. Others keep
   * their time: those without known work, and those that neither bounds.
   */
  #factorOn(device: Peaks, kernel: Annotated): number {
    const { bound, floor } = kernel.placement;
    const other = kernel.placementOn(device).floor;
    const isKnown = (bound === 'compute' || bound === 'memory') && floor !== null && floor > 0 && other !== null;
    const factor = isKnown ? other / floor : null;
    return this.#onDevice?.take(factor, kernel) ?? 1;
  }

  /**
   * The factor that leaves a kernel its minimum time on the device that is asked about; null without such a
   * change, and when it is not known. A kernel that is already faster, for example because its data is in a cache, keeps its
   * time.
   */
  #roofFactor(matching: readonly Change[], kernel: Annotated): number | null {
    const roofs = matching.flatMap((change) => this.#underRoof.get(change) ?? []);
    if (roofs.length === 0) return null;
    const { floor } = this.device === null ? kernel.placement : kernel.placementOn(this.device);
    const time = kernel.record.dur ?? 0;
    const factor = floor === null || time <= 0 ? null : Math.min(1, floor / time);
    for (const roof of roofs) roof.take(factor, kernel);
    return factor;
  }

  factorOfBound(bound: Bound): number {
    return this.#changes.reduce(
      (all, change) => (change.bound === bound && change.factor !== ROOF ? all * change.factor : all),
      1,
    );
  }
}
