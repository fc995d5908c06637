/**
 * The busy time of a step by op, collective and copy, in one pass over work in order of start. Each moment counts once:
 * for compute if there is any, else for communication, else for copies. If several works of one kind run at once, it
 * counts for the one that began first. So the times add up to the parts of the step's bar.
 */
import { entryOf, boundedEntryOf } from '../../../containers/map-entry.js';
import { PS_PER_NS } from '../../../containers/interval-union.js';
import { operationName, type StepActivity, type StepWorkKind } from '../../steps/step-work.js';
import type { Annotated } from '../../annotate.js';
import { copyTitle } from '../timeline/names/event-names.js';
import type { StepBar, StepWork } from './idle-data.js';

/** Maximum number of steps of a device, and of names in a step: 100 bytes a name. */
const MOST_STEPS = 100;
const MOST_NAMES = 2000;
/** Number of running works above which ended ones are removed. */
const MOST_ENDED = 64;
/** Minimum share of a step's span for a name to be shown separately. */
const LEAST_SHARE = 0.005;

const PARTS = ['compute', 'communication', 'copies'] as const;
const KINDS: readonly StepWorkKind[] = ['computing', 'communication', 'copy'];

/** Time in ps of a name, or of a kernel until its op is known. */
interface Claim {
  time: number;
  /** The work that gets the kernel's time once its op is known. */
  sum: Claim | null;
}

interface RunningWork {
  readonly rank: number;
  readonly claim: Claim;
  readonly to: number;
}

/** Divides the time of a step on a device among the running works. Times are in ps. */
export class StepWorks {
  /** Running work, in the order in which it claims time. */
  #running: RunningWork[] = [];
  #at = -Infinity;
  /** Indexed like PARTS. */
  readonly #sums = PARTS.map(() => new Map<string, Claim>());

  /** @param name null for a kernel whose op is unknown yet. @returns the work, for `settle` to name later */
  add(work: StepWorkKind, name: string | null, from: number, to: number): Claim {
    this.#advance(from);
    this.#at = Math.max(this.#at, from);
    const rank = KINDS.indexOf(work);
    if (this.#running.length > MOST_ENDED) this.#running = this.#running.filter(({ to: end }) => end > this.#at);
    const claim = { time: 0, sum: name === null ? null : this.#sumOf(rank, name) };
    const after = this.#running.findIndex((running) => running.rank > rank);
    this.#running.splice(after === -1 ? this.#running.length : after, 0, { rank, claim, to });
    return claim;
  }

  /** Sets the op of a kernel. */
  settle(claim: Claim, op: string): void {
    claim.sum = this.#sumOf(0, op);
    if (claim.sum !== null) claim.sum.time += claim.time;
  }

  /** The time of each name in ns. */
  get times(): { readonly work: StepWork; readonly time: number }[] {
    this.#advance(Infinity);
    return this.#sums.flatMap((sums, i) =>
      [...sums].map(([name, { time }]) => ({ work: { part: PARTS[i] ?? 'compute', name }, time: time / PS_PER_NS })),
    );
  }

  /** Null when the step has too many names. Their time is missing from the part. */
  #sumOf(rank: number, name: string): Claim | null {
    const sums = this.#sums[rank];
    return sums === undefined ? null : boundedEntryOf(sums, name, MOST_NAMES, () => ({ time: 0, sum: null }));
  }

  #advance(until: number): void {
    for (let [first] = this.#running; first !== undefined && this.#at < until; [first] = this.#running) {
      const end = Math.min(first.to, until);
      const target = first.claim.sum ?? first.claim;
      target.time += Math.max(0, end - this.#at);
      this.#at = Math.max(this.#at, end);
      if (first.to <= this.#at) this.#running.shift();
    }
  }
}

/** A device's steps that a page compares. */
type Place = Pick<StepBar, 'device' | 'step' | 'span'>;

/** The works of the first steps of a profile's devices. */
export class WorksOfSteps {
  readonly #devices = new Map<number, Map<number, StepWorks>>();
  /** Kernels whose op is unknown yet, by id. */
  readonly #open = new Map<number, { readonly works: StepWorks; readonly claim: Claim }>();

  /** Must be called in order of start. @param from in ps, as is `to` */
  add(step: number, work: StepWorkKind, record: StepActivity, from: number, to: number): void {
    const steps = entryOf(this.#devices, record.device, () => new Map<number, StepWorks>());
    const works = boundedEntryOf(steps, step, MOST_STEPS, () => new StepWorks());
    if (works === null) return;
    const name = nameOf(record, work);
    const claim = works.add(work, name, from, to);
    if (name === null && record.type === 'kernel') this.#open.set(record.id, { works, claim });
  }

  /** Must be called for each kernel after `add`. */
  kernel({ record, op }: Annotated): void {
    const found = this.#open.get(record.id);
    if (found === undefined) return;
    this.#open.delete(record.id);
    found.works.settle(found.claim, op ?? record.short);
  }

  /**
   * The works that took a notable share of at least one of these steps, and their times in each step.
   * @returns times by index in `works`; null for a step that is not among the first
   */
  timesIn(places: readonly Place[]): { readonly works: StepWork[]; readonly times: StepBar['works'][] } {
    const lists = places.map(({ device, step }) => this.#devices.get(device)?.get(step)?.times ?? null);
    const keyOf = ({ part, name }: StepWork): string => `${part} ${name}`;
    const notable = lists.flatMap((list, i) => {
      const least = LEAST_SHARE * (places[i]?.span ?? 0);
      return (list ?? []).filter(({ time }) => time > least).map(({ work }) => [keyOf(work), work] as const);
    });
    const works = new Map(notable);
    const indices = new Map([...works.keys()].map((key, i) => [key, i] as const));
    const times = lists.map(
      (list) =>
        list?.flatMap(({ work, time }) => {
          const at = indices.get(keyOf(work));
          return at === undefined || time === 0 ? [] : [[at, time] as const];
        }) ?? null,
    );
    return { works: [...works.values()], times };
  }
}

/** Null for a kernel, which is named by its op. */
function nameOf(record: StepActivity, work: StepWorkKind): string | null {
  if (record.type === 'copy') return copyTitle(record);
  if (record.type === 'set') return 'set memory';
  if (record.type === 'graph') return 'graph';
  return work === 'communication' ? operationName(record) : null;
}
