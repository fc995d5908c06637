/**
 * Sums over the kernels of one input: in total, and by sample. A sample is one step of one run, or the part of a run
 * outside of steps. Bounded: only sums are kept, and those of the first samples only when there are too many.
 */
import { entryOf } from '../../containers/map-entry.js';
import { elementAt } from '../../containers/element.js';
import { addTimes } from '../../record/fields/times.js';
import { UserError } from '../../record/errors.js';

/** Maximum number of sums by row and sample to keep for one input, 8 bytes each. */
export const MOST_SUMS = 2_000_000;
/** Maximum number of samples of one input. */
const MOST_SAMPLES = 200_000;

interface Sample {
  readonly run: number;
  /** Null for kernels outside of steps. */
  readonly step: number | null;
}

/**
 * Samples of one input, numbered in order of appearance. Profiles of different ranks belong to one run, so that the same
 * step of all of them is one sample. Profiles of the same rank, or without a rank, are separate runs.
 */
export class Samples {
  readonly #numbers = new Map<string, number>();
  readonly #all: Sample[] = [];
  readonly #runs = new Map<number, number>();
  readonly #profilesOfRank = new Map<number | null, number>();
  #room: number;
  /** Index of the first sample without complete sums. */
  #cut = Infinity;

  constructor(mostSums = MOST_SUMS) {
    this.#room = mostSums;
  }

  /** Adds a profile, before its kernels. */
  open(profile: number, rank: number | null): number {
    const known = this.#runs.get(profile);
    if (known !== undefined) return known;
    const run = this.#profilesOfRank.get(rank) ?? 0;
    this.#profilesOfRank.set(rank, run + 1);
    this.#runs.set(profile, run);
    return run;
  }

  /**
   * Number of the sample that a kernel belongs to.
   * @throws UserError when there are too many
   */
  at(profile: number, step: number | null): number {
    const run = this.#runs.get(profile) ?? this.open(profile, null);
    const name = `${run}:${step ?? ''}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#all.push({ run, step }) - 1;
    if (number >= MOST_SAMPLES) {
      throw new UserError(`more than ${MOST_SAMPLES} steps`, { hint: 'pass fewer records' });
    }
    this.#numbers.set(name, number);
    return number;
  }

  isStep(sample: number): boolean {
    return this.#all[sample]?.step !== null;
  }

  /** Whether this many more sums may be kept. If not, sums are incomplete from that sample on. */
  grant(sums: number, sample: number): boolean {
    if (sample >= this.#cut) return false;
    if (sums > this.#room) {
      this.#cut = sample;
      return false;
    }
    this.#room -= sums;
    return true;
  }

  /** Marks sums as incomplete from a sample on. */
  cutAt(sample: number): void {
    this.#cut = Math.min(this.#cut, sample);
  }

  isKept(sample: number): boolean {
    return sample < this.#cut;
  }

  get isCut(): boolean {
    return this.#cut < Infinity;
  }
  /** The run that a sample is part of. */
  runOf(sample: number): number {
    return elementAt(this.#all, sample).run;
  }

  get steps(): number {
    return this.#all.filter(({ step }) => step !== null).length;
  }
  get runs(): number {
    return new Set(this.#all.map(({ run }) => run)).size;
  }

  /**
   * Samples to test, each as a list of sample numbers to add up: steps, or whole runs. Excludes those whose sums were not
   * kept; empty when a run has samples that were not kept.
   */
  tested(basis: Basis): readonly (readonly number[])[] {
    if (basis === 'step') {
      return this.#all.flatMap(({ step }, number) => (step !== null && this.isKept(number) ? [[number]] : []));
    }
    if (this.isCut) return [];
    const runs = new Map<number, number[]>();
    for (const [number, { run }] of this.#all.entries()) entryOf(runs, run, (): number[] => []).push(number);
    return [...runs.values()];
  }
}

/** Unit of the comparison: means are over steps, runs, or calls of a kernel. */
export type Basis = 'step' | 'run' | 'call';

const NOTHING = new Float64Array(0);

/** Sums over some kernels of one input. Times are ns. */
export class Sums {
  count = 0;
  /** Number of kernels without a duration, which are not in `count`. */
  untimed = 0;
  time = 0;
  /** Part of the time within steps. */
  timeInSteps = 0;
  #times = NOTHING;
  /** Number of kernels by run. */
  readonly #calls: number[] = [];

  /**
   * @param ns total time of the kernels
   * @param sample number of the sample that the kernels belong to
   */
  add(ns: number, sample: number, samples: Samples, kernels = 1): void {
    this.count += kernels;
    this.time = addTimes(this.time, ns);
    if (samples.isStep(sample)) this.timeInSteps = addTimes(this.timeInSteps, ns);
    const run = samples.runOf(sample);
    this.#calls[run] = (this.#calls[run] ?? 0) + kernels;
    if (sample >= this.#times.length && !this.#grow(sample, samples)) return;
    if (samples.isKept(sample)) this.#times[sample] = addTimes(elementAt(this.#times, sample), ns);
  }

  #grow(sample: number, samples: Samples): boolean {
    const size = Math.max(sample + 1, Math.ceil(1.5 * this.#times.length));
    if (!samples.grant(size - this.#times.length, sample)) return false;
    const times = new Float64Array(size);
    times.set(this.#times);
    this.#times = times;
    return true;
  }

  /** Time of each sample; 0 for samples without such a kernel. */
  timesOf(samples: readonly (readonly number[])[]): Float64Array {
    return Float64Array.from(samples, (numbers) => numbers.reduce((sum, at) => sum + (this.#times[at] ?? 0), 0));
  }

  /**
   * Mean time of a kernel in each run, without runs that have none.
   * @param runs the samples of each run
   */
  timesOfCalls(runs: readonly (readonly number[])[], samples: Samples): Float64Array {
    const times = this.timesOf(runs);
    const means = runs.map(([first], i) => {
      const calls = first === undefined ? 0 : (this.#calls[samples.runOf(first)] ?? 0);
      return calls === 0 ? [] : [elementAt(times, i) / calls];
    });
    return Float64Array.from(means.flat());
  }
}
