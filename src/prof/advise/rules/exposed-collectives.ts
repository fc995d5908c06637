/** Communication that nothing is computed under. */
import type { ProfileLine } from '../../../record/record.js';
import { ByDevice } from '../device-times.js';
import type { LongestTime } from '../finding.js';
import { addTo } from '../../../containers/map-entry.js';
import { atLongest, longerOf, Longest, Ranking } from '../longest.js';
import { communicationOf } from '../moved-times.js';
import type { RuleAnswer, Rule } from '../rule.js';
import { many, percent, ranked, time } from '../wording.js';

class Operations {
  count = 0;
  readonly names = new Ranking();
  readonly longest = new Longest();
  /** Time of operations by stream, and streams on which kernels compute. */
  readonly #streams = new Map<number, number>();
  readonly #computing = new Set<number>();
  /** Of those that no kernel stands for. */
  longestOther: LongestTime | null = null;

  add(record: ProfileLine): void {
    if (record.type !== 'collective' && record.type !== 'kernel') return;
    const operation = communicationOf(record);
    const { start, dur, stream } = record;
    if (operation === null) {
      if (stream !== null) this.#computing.add(stream);
      return;
    }
    this.count++;
    if (stream !== null) addTo(this.#streams, stream, dur ?? 0);
    this.names.add(operation.name, dur ?? 0);
    if (record.type === 'kernel') this.longest.add(record);
    else if (dur !== null) this.longestOther = longerOf(this.longestOther, { start, end: start + dur });
  }

  /** ns of operations on streams that compute too. */
  get onComputing(): number {
    return [...this.#streams].reduce((sum, [stream, time]) => (this.#computing.has(stream) ? sum + time : sum), 0);
  }
}

const START_EARLIER =
  'start it earlier or in smaller parts, so that it runs beside computing (gradient buckets, prefetch of shards); where it waits for slower ranks, see stragglers';
/** A stream does one thing after another. */
const MOVE =
  'move it off the stream that computes, where nothing can run beside it: a stream or process group of its own (async_op=True), then start it earlier';

export const exposedCollectives: Rule = {
  name: 'exposed-collectives',
  doc: 'communication while the device computes and copies nothing',
  watch: () => {
    const devices = new ByDevice(() => new Operations());
    return {
      take: (record) => {
        if (record.type === 'collective' || record.type === 'kernel') devices.of(record).add(record);
      },
      end: ({ devices: times }): RuleAnswer => {
        const talking = times.all.filter(({ of }) => of.communication.total > 0);
        if (talking.length === 0) return { found: [], why: 'no communication between devices' };
        if (talking.every(({ of }) => of.disordered > 0))
          return { found: [], why: 'records are not in order of start' };
        const found = talking.map(({ of, ...place }) => {
          const { names, longest, longestOther, count, onComputing } = devices.of(place);
          const { communication, computing, either, busy, local } = of;
          const exposed = busy.total - local.total;
          // Communication can only hide under computing that hides none yet.
          const room = computing.total - (communication.total + computing.total - either.total);
          const ns = Math.min(exposed, room);
          return {
            ...place,
            what: `${time(exposed)} of ${time(communication.total)} of communication (${percent(exposed / communication.total)}) runs while nothing else does`,
            details: `${many(count, 'operation')}: ${ranked(names)}`,
            action: onComputing > communication.total / 2 ? MOVE : START_EARLIER,
            stake: exposed,
            gain: { ns, how: 'min(exposed communication, computing without communication)', isBound: true },
            kernels: longest.ids,
            ...(longest.ids.length === 0 ? atLongest(longestOther) : {}),
            count,
            evidence: {
              exposedNs: exposed,
              communicationNs: communication.total,
              computingNs: computing.total,
              computingAloneNs: room,
              operations: count,
              onComputingStreamsNs: onComputing,
            },
            see: 'dprof steps FILE',
          };
        });
        const useful = found.filter(({ gain }) => gain.ns > 0);
        const exposed = found.some(({ stake }) => stake > 0);
        return {
          found: useful,
          ...(exposed && useful.length === 0 ? { why: 'nothing is computed that could hide it' } : undefined),
        };
      },
    };
  },
};
