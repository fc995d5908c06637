/** Copies while nothing is computed, that no host waits for: those it waits for are said in `copies.ts`. */
import { IntervalUnion } from '../../../containers/interval-union.js';
import { workOf, type StepActivity } from '../../steps/step-work.js';
import { percent, rate, size, time } from '../wording.js';
import { isHostCopy, waitOf } from '../idle/idle-causes.js';
import { ByDevice } from '../device-times.js';
import type { LongestTime } from '../finding.js';
import { atLongest, longerOf } from '../longest.js';
import { MovedAmounts } from '../moved-times.js';
import type { Rule, RuleAnswer } from '../rule.js';

class Copies {
  count = 0;
  bytes = 0;
  longest: LongestTime | null = null;
  /** ns of copies between host and device; of those whose memory is not known to be pinned. */
  ofHost = 0;
  unpinned = 0;
  readonly kinds = new MovedAmounts();
  /** All work; all but these copies; these; these and what is computed. */
  readonly all = new IntervalUnion();
  readonly others = new IntervalUnion();
  readonly own = new IntervalUnion();
  readonly ownOrComputing = new IntervalUnion();
}

/** Part of the copies between host and device that is worth a word. */
const UNPINNED = 0.1;

const isOfHost = (kind: string | null): boolean => kind === 'HtoD' || kind === 'DtoH';

/** `HtoD 920.9 ms, 25.48 GB at 27.7 GB/s; DtoD 19.6 ms, …`: rates of kinds are far apart. */
const kindsText = (kinds: MovedAmounts): string =>
  kinds
    .top(kinds.size)
    .map(([kind, ns]) => {
      const [bytes, bytesPerS] = [kinds.bytesOf(kind), kinds.rateOf(kind)];
      const amount = bytes === null || bytesPerS === null ? '' : `, ${size(bytes)} at ${rate(bytesPerS)}`;
      return `${kind} ${time(ns)}${amount}`;
    })
    .join('; ');

/** A copy or set that the host does not wait for; null for any other work. */
function copyOf(record: StepActivity): Extract<StepActivity, { type: 'copy' | 'set' }> | null {
  if (record.type !== 'copy' && record.type !== 'set') return null;
  return isHostCopy(record) && waitOf(record) !== null ? null : record;
}

export const copyBound: Rule = {
  name: 'copy-bound',
  doc: 'copies and sets that the device does while it computes nothing, and that the host does not wait for',
  watch: () => {
    const devices = new ByDevice(() => new Copies());
    return {
      take: (record) => {
        const found = workOf(record);
        if (found === null || found.record.dur === null) return;
        const { start, dur } = found.record;
        const end = start + dur;
        if (!Number.isFinite(end)) return;
        const of = devices.of(found.record);
        of.all.add(start, end);
        const copy = copyOf(found.record);
        if (copy === null) of.others.add(start, end);
        else of.own.add(start, end);
        if (copy !== null || found.work === 'computing') of.ownOrComputing.add(start, end);
        if (copy === null) return;
        of.count++;
        of.longest = longerOf(of.longest, { start, end });
        of.kinds.move(copy.type === 'copy' ? (copy.kind ?? 'copy') : 'set', dur, copy.bytes);
        of.bytes += copy.bytes ?? 0;
        if (copy.type !== 'copy' || !isOfHost(copy.kind)) return;
        of.ofHost += dur;
        if (copy.hostMemory !== 'pinned') of.unpinned += dur;
      },
      end: ({ devices: times, neuron }): RuleAnswer => {
        // The engines of a NeuronCore move what they compute on: rules of their own say how well.
        const copying = devices.all.filter(({ of, profile }) => of.count > 0 && !neuron.has(profile));
        if (copying.length === 0) return { found: [], why: 'no copies that the host does not wait for' };
        return {
          found: copying.map(({ of, ...place }) => {
            const { count, bytes, ofHost, unpinned, kinds, all, others, own, ownOrComputing } = of;
            const exposed = all.total - others.total;
            // Copies can only hide under computing that hides none yet.
            const room = ownOrComputing.total - own.total;
            const span = times.span(place.profile, place.device);
            return {
              ...place,
              what: `${count} copies and sets, ${time(exposed)} of them while nothing else runs (${percent(exposed / span)} of the span)`,
              details: kindsText(kinds),
              action: `copy on a stream of its own while kernels run, ahead of use; move less: once instead of every step, smaller types${unpinned > UNPINNED * ofHost ? '; from pinned memory' : ''}`,
              stake: exposed,
              gain: {
                ns: Math.min(exposed, room),
                how: 'min(copies while nothing else runs, computing without copies)',
                isBound: true,
              },
              kernels: [],
              ...atLongest(of.longest),
              count,
              evidence: { copies: count, bytes, exposedNs: exposed, computingAloneNs: room },
              see: 'dparse FILE | jq \'select(.type=="copy" or .type=="set")\'',
            };
          }),
        };
      },
    };
  },
};
