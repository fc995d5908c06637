/** Waits of a program for transfers that it started itself, as one of XLA does for copies of tensors that the host keeps. */
import { IntervalUnion } from '../../../containers/interval-union.js';
import { awaitedTransfer, type AwaitedTransfer } from '../../../ops/families/hlo.js';
import { workOf } from '../../steps/step-work.js';
import { ByDevice, type Place } from '../device-times.js';
import type { Found, LongestTime } from '../finding.js';
import { atLongest, longerOf, Longest } from '../kernel-tally.js';
import { MovedAmounts } from '../moved-times.js';
import type { Rule, RuleAnswer } from '../rule.js';
import { grouped, many, percent, size, time } from '../wording.js';

/** Number of transfers to name. */
const NAMED = 3;
/** Minimum share of the waits that copies between host and device take for the advice to be about these. */
const MOST = 0.5;

class Waits {
  count = 0;
  /** Total; null when the size of any transfer is unknown. */
  bytes: number | null = 0;
  /** Sum of the waits, and of those for copies between host and device, in ns. */
  time = 0;
  ofHost = 0;
  readonly computing = new IntervalUnion();
  /** Compute and communication; these and the waits. */
  readonly work = new IntervalUnion();
  readonly either = new IntervalUnion();
  readonly kinds = new MovedAmounts();
  readonly longest = new Longest();
  at: LongestTime | null = null;

  add({ wait, name, tensor, bytes }: AwaitedTransfer, dur: number): void {
    const { profile, id, start } = wait;
    this.count++;
    this.time += dur;
    if (/HtoD|DtoH/.test(name)) this.ofHost += dur;
    this.bytes = this.bytes === null || bytes === null ? null : this.bytes + bytes;
    this.either.add(start, start + dur);
    const each = bytes === null ? '' : ` (${size(bytes)})`;
    this.kinds.move(`${name}${tensor === null ? '' : ` of ${tensor}`}${each}`, wait, bytes);
    this.longest.add({ profile, id, dur });
    this.at = longerOf(this.at, { start, end: start + dur });
  }

  /** Time in ns of waits while the device neither computes nor communicates. */
  get alone(): number {
    return this.either.total - this.work.total;
  }

  /** `37.2 s in 300 waits for HtoD copies of float32 (5,1024) (20.48 kB); …`, and whether computing could hide them. */
  get text(): string {
    const { kinds, computing, alone } = this;
    const named = kinds
      .top(NAMED)
      .map(([kind, ns]) => `${time(ns)} in ${many(kinds.countOf(kind), 'wait')} for ${kind}`);
    const more = kinds.size - named.length;
    const others = more > 0 ? ` and ${grouped(more)} more` : '';
    const limit =
      computing.total < alone ? `; all computing takes ${time(computing.total)}, so overlap cannot hide more` : '';
    return `${named.join('; ')}${others}${limit}`;
  }
}

const OF_HOST =
  'copy less between host and device: keep tensors in device memory as far as they fit, and offload fewer parameters and activations to the host; start the other copies earlier (prefetch), so that they run while the program computes';
const START_EARLIER = 'start these transfers earlier, so that they run while the program computes, or transfer less';

function foundOf({ of: waits, ...place }: Place & { of: Waits }, span: number): Found {
  const { alone, count, bytes, computing, time: all } = waits;
  return {
    ...place,
    what: `the program waits ${percent(alone / span)} of the time for transfers that it started: ${time(alone)} in ${many(count, 'wait')}, while nothing is computed`,
    details: waits.text,
    action: waits.ofHost > MOST * all ? OF_HOST : START_EARLIER,
    stake: alone,
    gain: { ns: alone, how: 'time of the waits without compute or communication', isBound: true },
    kernels: waits.longest.ids,
    ...atLongest(waits.at),
    count,
    evidence: {
      waits: count,
      waitNs: all,
      aloneNs: alone,
      computingNs: computing.total,
      ...(bytes === null ? {} : { bytes }),
    },
    see: "dprof --where 'op==copy-done' --by device,kernel -f table FILE",
  };
}

export const transferWaits: Rule = {
  name: 'transfer-waits',
  vendors: ['tpu'],
  doc: 'an XLA program waits for copies or other transfers that it started',
  watch: () => {
    const devices = new ByDevice(() => new Waits());
    return {
      take: (record) => {
        const [awaited, work] = [awaitedTransfer(record), workOf(record)];
        const { start, dur, device } = awaited?.wait ?? work?.record ?? {};
        if (start === undefined || device === undefined || typeof dur !== 'number' || !Number.isFinite(start + dur))
          return;
        const waits = devices.of({ profile: record.profile, device });
        if (awaited !== null) waits.add(awaited, dur);
        if (work === null || work.work === 'copy') return;
        for (const union of [waits.work, waits.either, ...(work.work === 'computing' ? [waits.computing] : [])])
          union.add(start, start + dur);
      },
      end: ({ devices: times }): RuleAnswer => {
        const waiting = devices.all.filter(({ of: waits }) => waits.count > 0);
        if (waiting.length === 0) return { found: [], why: 'no instruction waits for a transfer' };
        return { found: waiting.map((place) => foundOf(place, times.span(place.profile, place.device))) };
      },
    };
  },
};
