/** Copies between host and device for which the host waits. */
import { isBlocking, isHostCopy, isSynchronous, type HostCopy, type HostCopyKind } from '../blocking.js';
import { ByDevice } from '../by-device.js';
import { Cover } from '../cover.js';
import type { Answer, Rule } from '../rule.js';
import { workOf } from '../../steps/work.js';
import { size, time } from '../words.js';

const ACTIONS: Readonly<Record<HostCopyKind, string>> = {
  HtoD: 'keep host memory pinned (pin_memory=True) and copy with non_blocking=True, on a stream beside the kernels',
  DtoH: 'read results back less often (.item(), .cpu(), prints, conditions on tensors), or into pinned memory with non_blocking=True',
};

const NS_PER_S = 1e9;

class Copies {
  count = 0;
  /** Of these, by calls that are synchronous by their name. */
  synchronous = 0;
  bytes = 0;
  time = 0;
  /** Time in the calls. */
  waited = 0;
  /** Everything but these copies. */
  readonly others = new Cover();
  readonly all = new Cover();

  add({ bytes, dur, launch }: HostCopy): void {
    this.count++;
    if (isSynchronous(launch.api)) this.synchronous++;
    this.bytes += bytes ?? 0;
    this.time += dur;
    this.waited += launch.dur;
  }
}

const KINDS: readonly HostCopyKind[] = ['HtoD', 'DtoH'];
const both = (): Record<HostCopyKind, Copies> => ({ HtoD: new Copies(), DtoH: new Copies() });

export const copies: Rule = {
  name: 'copies',
  doc: 'copies that the host waits for: synchronous calls, memory that is not pinned, results read back',
  watch: () => {
    const devices = new ByDevice(both);
    let told = 0;
    return {
      take: (record) => {
        const work = workOf(record)?.record;
        if (work === undefined || work.dur === null || !Number.isFinite(work.start + work.dur)) return;
        const blocking = isHostCopy(work) && isBlocking(work) ? work : null;
        if (isHostCopy(work)) told++;
        const of = devices.of(work);
        for (const kind of KINDS) {
          const { all, others } = of[kind];
          all.add(work.start, work.start + work.dur);
          if (blocking?.kind !== kind) others.add(work.start, work.start + work.dur);
        }
        if (blocking !== null) of[blocking.kind].add(blocking);
      },
      end: ({ host }): Answer => {
        if (told === 0) return { found: [], why: 'no copy between host and device whose launch is known' };
        const gaps = new ByDevice(() => ({ HtoD: 0, DtoH: 0 }));
        for (const { profile, device, of } of host.all) {
          const idle = gaps.of({ profile, device });
          for (const kind of KINDS) idle[kind] = of.by[kind].time;
        }
        const found = devices.all.flatMap((place) =>
          KINDS.filter((kind) => place.of[kind].count > 0).map((kind) => {
            const { count, synchronous, bytes, time: ns, waited, all, others } = place.of[kind];
            const exposed = all.total - others.total;
            const after = gaps.of(place)[kind];
            const stake = exposed + after;
            return {
              profile: place.profile,
              device: place.device,
              what: `the host waited for ${count} ${kind} cop${count === 1 ? 'y' : 'ies'} of ${size(bytes)} in all (${time(waited)} in the calls): ${time(exposed)} in which nothing else ran, and ${time(after)} idle after them`,
              action: ACTIONS[kind],
              stake,
              gain: { ns: stake, how: 'copies while nothing else runs + idle time right after them until a later launch', isBound: true },
              kernels: [],
              count,
              evidence: {
                copies: count,
                synchronousCalls: synchronous,
                bytes,
                copyNs: ns,
                bytesPerS: ns > 0 ? (bytes / ns) * NS_PER_S : 0,
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
}; // prettier-ignore
