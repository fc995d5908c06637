/**
 * Divides each step's time into parts that add up to its span, in one pass over work in order of start time. A device's gap
 * lies in a step if work of the step runs before and after it. Idle time by cause within a step is therefore the sum at
 * the step's last work minus the sum at its first. Memory: up to MOST_STEPS steps.
 */
import { elementAt } from '../../../containers/element.js';
import { IntervalUnion, PS_PER_NS } from '../../../containers/interval-union.js';
import { boundedEntryOf, entryOf } from '../../../containers/map-entry.js';
import type { ProfileLine, RangeRecord } from '../../../record/record.js';
import { LOADER, type IdleGap } from '../../advise/idle/host-gaps.js';
import { IDLE_CAUSES, type IdleCause } from '../../advise/idle/cause-names.js';
import { HostSteps, MOST_STEPS, stepOf } from '../../steps/host-steps.js';
import { workOf, operationName, type StepActivity, type StepWorkKind } from '../../steps/step-work.js';
import { inNs, Reach, WorkUnions } from '../../steps/work-unions.js';
import type { Annotated } from '../../annotate.js';
import type { StepBar, StepBarPart, StepBarList, StepOnHost, StepWork } from './idle-data.js';
import { copyTitle } from '../timeline/names/event-names.js';

/** Causes of idle time, and time that is neither idle nor busy. */
const IDLE_PARTS = [...(Object.keys(IDLE_CAUSES) as IdleCause[]), 'missing'] as const;
const MISSING = IDLE_PARTS.indexOf('missing');

/** Time in ns by part, in the order of IDLE_PARTS. */
type IdleSums = Float64Array;

class DeviceSteps {
  /** Idle time so far. */
  readonly idle: IdleSums = new Float64Array(IDLE_PARTS.length);
  readonly steps = new Map<number, OpenStep>();
}

class OpenStep {
  readonly unions = new WorkUnions();
  /** Unit: ps. */
  readonly reach = new Reach();
  /** First start of compute or communication, in ns. */
  first = Infinity;
  /** Idle time of the device before the first work of the step. */
  readonly before: IdleSums;
  /** Idle time of the device before the latest work of the step. */
  readonly last: IdleSums;

  constructor(before: IdleSums) {
    this.before = before.slice();
    this.last = before.slice();
  }
}

/** Times of the host in a step, from ranges that began in it. */
class HostOfStep {
  readonly ops = new IntervalUnion();
  readonly loading = new IntervalUnion();
}

// The busy time of a step by op, collective and copy, in one pass over work in order of start time. Each moment counts
// once: for compute if there is any, else for communication, else for copies. If several works of one kind run at once, it
// counts for the one that began first. So the times add up to the parts of the step's bar.

/** Maximum number of steps of a device, and of names in a step: 100 bytes a name. */
const MOST_LISTED_STEPS = 100;
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
class WorksOfSteps {
  readonly #devices = new Map<number, Map<number, StepWorks>>();
  /** Kernels whose op is unknown yet, by id. */
  readonly #open = new Map<number, { readonly works: StepWorks; readonly claim: Claim }>();

  /** Must be called in order of start time. @param from in ps, as is `to` */
  add(step: number, work: StepWorkKind, record: StepActivity, from: number, to: number): void {
    const steps = entryOf(this.#devices, record.device, () => new Map<number, StepWorks>());
    const works = boundedEntryOf(steps, step, MOST_LISTED_STEPS, () => new StepWorks());
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

export class StepBarSums {
  readonly #devices = new Map<number, DeviceSteps>();
  readonly #host = new HostSteps();
  readonly #works = new WorksOfSteps();
  readonly #onHost = new Map<number, HostOfStep>();
  /** Whether the profile has such ranges at all. */
  #hasOps = false;
  #hasLoading = false;

  gap({ gap, cause, time }: IdleGap): void {
    const { idle } = this.#deviceOf(gap.device);
    addAt(idle, IDLE_PARTS.indexOf(cause), time);
    addAt(idle, MISSING, gap.end - gap.start - time);
  }

  /** Whether work of a step has run on a device: a gap before further work of the step then lies in it. */
  hasBegun(device: number, step: number | null): boolean {
    return step !== null && this.#devices.get(device)?.steps.has(step) === true;
  }

  /** Must be called after the gap that the record ends. */
  take(record: ProfileLine): void {
    const marked = stepOf(record);
    if (marked !== null && this.#host.size < MOST_STEPS) this.#host.add(marked);
    if (record.type === 'range') this.#range(record);
    const found = workOf(record);
    if (found !== null) this.#work(found);
  }

  /** Must be called for each kernel after `take` of its record. */
  takeKernel(row: Annotated): void {
    this.#works.kernel(row);
  }

  #work({ work, record }: NonNullable<ReturnType<typeof workOf>>): void {
    const { start, dur, device, step = null } = record;
    if (dur === null || !Number.isFinite(start + dur) || !Number.isFinite(device) || typeof step !== 'number') return;
    // Copies have a step only if the host's steps are known.
    if (work === 'copy' && this.#host.size === 0) return;
    const deviceSteps = this.#deviceOf(device);
    const open = boundedEntryOf(deviceSteps.steps, step, MOST_STEPS, () => new OpenStep(deviceSteps.idle));
    if (open === null) return;
    const [rest, more] = record.ps ?? [0, 0];
    const from = start * PS_PER_NS + rest;
    const to = from + dur * PS_PER_NS + more;
    open.unions.add(work, from, to);
    this.#works.add(step, work, record, from, to);
    open.reach.add(from, to);
    open.last.set(deviceSteps.idle);
    if (work !== 'copy') open.first = Math.min(open.first, from / PS_PER_NS);
  }

  #range({ kind, text, start, dur }: RangeRecord): void {
    const isLoading = LOADER.test(text);
    if ((kind !== 'op' && !isLoading) || !Number.isFinite(start + dur)) return;
    const step = this.#host.at(start);
    if (isLoading) this.#hasLoading = true;
    if (kind === 'op') this.#hasOps = true;
    if (step === null) return;
    const onHost = entryOf(this.#onHost, step, () => new HostOfStep());
    if (isLoading) onHost.loading.add(start, start + dur);
    if (kind === 'op') onHost.ops.add(start, start + dur);
  }

  #deviceOf(device: number): DeviceSteps {
    return entryOf(this.#devices, device, () => new DeviceSteps());
  }

  /**
   * In order of device and step, the first steps of each device.
   * @param most maximum number of bars over all devices
   */
  bars(most: number): StepBarList {
    const devices = [...this.#devices].filter(([, { steps }]) => steps.size > 0).sort(([a], [b]) => a - b);
    const each = Math.max(1, Math.floor(most / Math.max(1, devices.length)));
    const shown = devices.flatMap(([device, { steps }]) =>
      [...steps]
        .sort(([a], [b]) => a - b)
        .slice(0, each)
        .map(([step, open]) => this.#barOf(device, step, open)),
    );
    const { works, times } = this.#works.timesIn(shown);
    const bars = shown.map((bar, i) => ({ ...bar, works: times[i] ?? null }));
    return { shown: bars, works, count: devices.reduce((sum, [, { steps }]) => sum + steps.size, 0) };
  }

  #barOf(device: number, step: number, open: OpenStep): Omit<StepBar, 'works'> {
    const start = open.reach.from / PS_PER_NS;
    return { step, device, start, ...partsOf(open), host: this.#hostOf(step, open.first) };
  }

  #hostOf(step: number, first: number): StepOnHost {
    const begun = this.#host.startOf(step);
    const onHost = this.#onHost.get(step);
    return {
      iteration: this.#host.lengthOf(step),
      preparing: begun === null || first === Infinity ? null : first - begun,
      ops: this.#hasOps && begun !== null ? (onHost?.ops.total ?? 0) : null,
      loading: this.#hasLoading && begun !== null ? (onHost?.loading.total ?? 0) : null,
    };
  }
}

const addAt = (sums: Float64Array, at: number, amount: number): void => {
  sums[at] = elementAt(sums, at) + amount;
};

function partsOf({ unions, reach, before, last }: OpenStep): Pick<StepBar, 'span' | 'parts'> {
  const { span, computing, device, busy } = inNs({
    ...{ span: reach.length, computing: unions.computing.total },
    ...{ device: unions.device.total, busy: unions.busy.total },
  });
  const idle = IDLE_PARTS.map((part, i) => [part, elementAt(last, i) - elementAt(before, i)] as const);
  const known = idle.reduce((sum, [, time]) => sum + time, busy);
  const parts: (readonly [StepBarPart, number])[] = [
    ...([
      ['compute', computing],
      ['communication', device - computing],
      ['copies', busy - device],
      // Gaps are in whole ns. If the clock has picoseconds, each may exceed the remaining time by less than 1 ns.
      ['other', Math.max(0, span - known)],
    ] as const),
    ...idle,
  ];
  return { span, parts: Object.fromEntries(parts.filter(([, time]) => time > 0)) };
}
