/** Copies between host and device for which the host waits. */
import { LAUNCHING } from '../../../record/glossary.js';
import { waitOf, isHostCopy, type HostCopy, type HostCopyKind, type Wait } from '../idle/idle-causes.js';
import { CallsSeen } from '../../input/device-activity.js';
import { ByDevice } from '../device-times.js';
import { IntervalUnion } from '../../../containers/interval-union.js';
import type { LongestTime } from '../finding.js';
import type { Action } from '../framework-words.js';
import { atLongest, longerOf } from '../kernel-tally.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { workOf, type StepActivity } from '../../steps/step-work.js';
import { TransferRate } from '../../steps/transfers.js';
import { grouped, many, size, time, percent, rate } from '../wording.js';
import { MovedAmounts } from '../moved-times.js';

class BoundCopies {
  count = 0;
  /** Bytes of the copies whose size is known; null when no size is known. */
  bytes: number | null = null;
  longest: LongestTime | null = null;
  /** Time in ns of copies between host and device, and of those that are not known to use pinned memory. */
  ofHost = 0;
  unpinned = 0;
  readonly kinds = new MovedAmounts();
  /** Unions of the times of all work, of all work except these copies, of these copies, and of these copies and compute. */
  readonly all = new IntervalUnion();
  readonly others = new IntervalUnion();
  readonly own = new IntervalUnion();
  readonly ownOrComputing = new IntervalUnion();
}

/** Minimum share of the copies between host and device that is worth mentioning. */
const UNPINNED = 0.1;

const isOfHost = (kind: string | null): boolean => kind === 'HtoD' || kind === 'DtoH';

/** `HtoD 920.9 ms, 25.48 GB at 27.7 GB/s; DtoD 19.6 ms, …`, because rates of the kinds differ widely. */
const kindsText = (kinds: MovedAmounts): string =>
  kinds
    .top(kinds.size)
    .map(([kind, ns]) => {
      const [bytes, bytesPerS] = [kinds.bytesOf(kind), kinds.rateOf(kind)];
      const amount = bytes === null || bytesPerS === null ? '' : `, ${size(bytes)} at ${rate(bytesPerS)}`;
      return `${kind} ${time(ns)}${amount}`;
    })
    .join('; ');

/** A copy or set for which the host does not wait; null for any other work. */
function copyOf(record: StepActivity): Extract<StepActivity, { type: 'copy' | 'set' }> | null {
  if (record.type !== 'copy' && record.type !== 'set') return null;
  return isHostCopy(record) && waitOf(record) !== null ? null : record;
}

/**
 * Copies that do not overlap with compute and for which no host waits; the rule `copies` is about those for which one
 * waits.
 */
export const copyBound: Rule = {
  name: 'copy-bound',
  vendors: LAUNCHING,
  doc: 'copies and memsets that run while nothing is computed (without those that the CPU waits for)',
  watch: () => {
    const devices = new ByDevice(() => new BoundCopies());
    return {
      take: (record) => {
        const found = workOf(record);
        if (found === null || found.record.dur === null) return;
        const { start, dur } = found.record;
        const end = start + dur;
        if (!Number.isFinite(end)) return;
        const boundCopies = devices.of(found.record);
        boundCopies.all.add(start, end);
        const copy = copyOf(found.record);
        if (copy === null) boundCopies.others.add(start, end);
        else boundCopies.own.add(start, end);
        if (copy !== null || found.work === 'computing') boundCopies.ownOrComputing.add(start, end);
        if (copy === null) return;
        boundCopies.count++;
        boundCopies.longest = longerOf(boundCopies.longest, { start, end });
        boundCopies.kinds.move(copy.type === 'copy' ? (copy.kind ?? 'copy') : 'set', copy, copy.bytes);
        if (copy.bytes !== null) boundCopies.bytes = (boundCopies.bytes ?? 0) + copy.bytes;
        if (copy.type !== 'copy' || !isOfHost(copy.kind)) return;
        boundCopies.ofHost += dur;
        if (copy.hostMemory !== 'pinned') boundCopies.unpinned += dur;
      },
      end: ({ devices: times, neuron }): RuleAnswer => {
        // The engines of a NeuronCore move the data that they compute on; separate rules rate that.
        const copying = devices.all.filter(
          ({ of: boundCopies, profile }) => boundCopies.count > 0 && !neuron.has(profile),
        );
        if (copying.length === 0) return { found: [], why: 'no copies other than those the CPU waits for' };
        return {
          found: copying.map(({ of: boundCopies, ...place }) => {
            const { count, bytes, ofHost, unpinned, kinds, all, others, own: ownUnion, ownOrComputing } = boundCopies;
            const exposed = all.total - others.total;
            // Copies can only hide behind compute that does not overlap with copies yet.
            const room = ownOrComputing.total - ownUnion.total;
            const span = times.span(place.profile, place.device);
            return {
              ...place,
              what: `exposed copies take ${percent(exposed / span)} of the time: ${time(exposed)} of ${grouped(count)} copies and memsets without any other work`,
              details: kindsText(kinds),
              action: `copy ahead of use on a separate stream while kernels run, and copy less: once instead of every step, or in a smaller type${unpinned > UNPINNED * ofHost ? '; use pinned memory' : ''}`,
              stake: exposed,
              gain: {
                ns: Math.min(exposed, room),
                how: 'min(exposed copies, compute without copies)',
                isBound: true,
              },
              kernels: [],
              ...atLongest(boundCopies.longest),
              count,
              evidence: {
                copies: count,
                ...(bytes === null ? {} : { bytes }),
                exposedNs: exposed,
                computingAloneNs: room,
              },
              see: 'dparse FILE | jq \'select(.type=="copy" or .type=="set")\'',
            };
          }),
        };
      },
    };
  },
};

class Copies {
  count = 0;
  /** Number of calls. One call may copy in many pieces. */
  calls = 0;
  /** Number of calls by what shows that the CPU waited in them. */
  readonly waits: Record<Wait, number> = { synchronous: 0, pageable: 0, 'late-return': 0 };
  /** Number of calls with pageable memory, and with unknown memory. */
  pageable = 0;
  unknown = 0;
  /** Bytes of the copies whose size is known; null when no size is known. */
  bytes: number | null = null;
  /** Number of copies whose size is unknown. */
  unsized = 0;
  time = 0;
  readonly rate = new TransferRate();
  /** Time of the calls. */
  waited = 0;
  longest: LongestTime | null = null;
  /** Time of everything except these copies. */
  readonly others = new IntervalUnion();
  readonly all = new IntervalUnion();
  readonly #seen = new CallsSeen();

  add({ bytes, device, start, dur, launch, hostMemory, pid, tid }: HostCopy, wait: Wait): void {
    this.count++;
    this.longest = longerOf(this.longest, { start, end: start + dur });
    this.time += dur;
    if (bytes === null) this.unsized++;
    else {
      this.bytes = (this.bytes ?? 0) + bytes;
      this.rate.add(device, start, dur, bytes);
    }
    if (!this.#seen.isNew({ start: launch.start, pid, tid })) return;
    this.calls++;
    this.waited += launch.dur;
    this.waits[wait]++;
    if (hostMemory === 'pageable') this.pageable++;
    if (hostMemory === undefined) this.unknown++;
  }

  /** The evidence that the host waited, and the kind of memory. */
  get signs(): string {
    const { waits, pageable } = this;
    return [
      ...(waits.synchronous > 0 ? [`${grouped(waits.synchronous)} by synchronous calls`] : []),
      ...(pageable > 0 ? [`${grouped(pageable)} with pageable memory`] : []),
      ...(waits['late-return'] > 0
        ? [`${grouped(waits['late-return'])} inferred from calls that returned after the copy`]
        : []),
    ].join(', ');
  }

  /** Pinning helps where the memory is or may be pageable. */
  action(kind: HostCopyKind): Action {
    const mayPin = this.pageable + this.unknown > 0;
    if (kind === 'HtoD')
      return ({ pin, copyAsync }) => `${mayPin ? pin : ''}copy asynchronously${copyAsync} on a separate stream`;
    return ({ readLess, readAsync }) => `${readLess}, or ${mayPin ? 'into pinned memory ' : ''}${readAsync}`;
  }
}

const KINDS: readonly HostCopyKind[] = ['HtoD', 'DtoH'];
const both = (): Record<HostCopyKind, Copies> => ({ HtoD: new Copies(), DtoH: new Copies() });

export const copies: Rule = {
  name: 'copies',
  vendors: LAUNCHING,
  doc: 'copies that the CPU waits for: synchronous calls, pageable memory, results read back',
  watch: () => {
    const devices = new ByDevice(both);
    let launched = 0;
    return {
      take: (record) => {
        const work = workOf(record)?.record;
        if (work === undefined || work.dur === null || !Number.isFinite(work.start + work.dur)) return;
        const copy = isHostCopy(work) ? work : null;
        const wait = copy === null ? null : waitOf(copy);
        if (copy !== null) launched++;
        const byKind = devices.of(work);
        for (const kind of KINDS) {
          const { all, others } = byKind[kind];
          all.add(work.start, work.start + work.dur);
          if (wait === null || copy?.kind !== kind) others.add(work.start, work.start + work.dur);
        }
        if (copy !== null && wait !== null) byKind[copy.kind].add(copy, wait);
      },
      end: ({ host }): RuleAnswer => {
        if (launched === 0) return { found: [], why: 'no copy between host and device has a known launch' };
        const gaps = new ByDevice(() => ({ HtoD: 0, DtoH: 0 }));
        for (const { of: hostGaps, ...place } of host.all) {
          for (const kind of KINDS) gaps.of(place)[kind] = hostGaps.by[kind].time;
        }
        const found = devices.all.flatMap(({ of: byKind, ...place }) =>
          KINDS.filter((kind) => byKind[kind].count > 0).map((kind) => {
            const found = byKind[kind];
            const { count, calls, waits, pageable, bytes, unsized, time: ns, waited, all, others } = found;
            const { bytesPerS } = found.rate;
            const exposed = all.total - others.total;
            const after = gaps.of(place)[kind];
            const stake = exposed + after;
            return {
              ...place,
              what: `the CPU waits ${calls < count ? `in ${many(calls, 'call')} ` : ''}for ${many(count, `${kind} copy`)}${bytes === null ? '' : ` (${unsized > 0 ? '≥ ' : ''}${size(bytes)})`}: ${time(exposed)} with nothing else running, then ${time(after)} idle until the next launch`,
              details: `the calls took ${time(waited)}; ${found.signs}`,
              action: found.action(kind),
              stake,
              gain: {
                ns: stake,
                how: 'exposed copies + the idle time from their end to the next launch',
                isBound: true,
              },
              kernels: [],
              ...atLongest(found.longest),
              count,
              evidence: {
                copies: count,
                calls,
                synchronousCalls: waits.synchronous,
                pageable,
                inferred: waits['late-return'],
                ...(bytes === null ? {} : { bytes }),
                copyNs: ns,
                ...(bytesPerS === null ? {} : { bytesPerS }),
                waitedNs: waited,
                exposedNs: exposed,
                idleAfterNs: after,
              },
              see: `dparse FILE | jq 'select(.type=="copy" and .kind=="${kind}")'`,
            };
          }),
        );
        return { found };
      },
    };
  },
};
