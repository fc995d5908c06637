/** What happened in truth: every message of the job with the arrivals of its members. */
import type { Channel } from './channels.js';
import type { JobGroup } from './layout.js';
import { busBytesOf, sizeOf, type Message } from './messages.js';
import type { SimulatedJob } from './simulate.js';

/** One collective operation, or one message between two ranks; times are true ones, in whole ns. */
export interface MessageTruth {
  readonly group: JobGroup;
  /** Among those of its group; between two ranks among those from the one to the other. */
  readonly ordinal: number;
  /** Of a message between two: `send`. */
  readonly kind: Message['kind'];
  readonly step: number;
  /** Who takes part; of a message between two the sender first. */
  readonly ranks: readonly number[];
  /** By member: when its kernel began, and ended. */
  readonly arrivals: readonly number[];
  readonly ends: readonly number[];
  /** The member that arrived last; the first of them where several did. */
  readonly lastRank: number;
  /** When it arrived, and the transfer began. */
  readonly begin: number;
  readonly transferNs: number;
  /** S of NCCL's tests. */
  readonly bytes: number;
  /** Of the transfer, bytes/s, by the definition of NCCL's tests. */
  readonly busBytesPerS: number;
}

/** Every message, channel by channel in order. */
export function* messagesOf(job: SimulatedJob): Generator<MessageTruth> {
  for (const channel of job.channels.all) {
    for (let ordinal = 0; ordinal < channel.length; ordinal++) yield messageAt(job, channel, ordinal);
  }
}

/** One message of a channel. */
function messageAt(job: SimulatedJob, channel: Channel, ordinal: number): MessageTruth {
  const { group, members: ranks, slots, first } = channel;
  const places = ranks.map((rank, i) => programOf(job, rank).messages[slots[i] ?? 'world'][ordinal] ?? -1);
  const timesIn = (times: readonly Float64Array[]): number[] =>
    ranks.map((rank, i) => times[rank]?.[places[i] ?? -1] ?? NaN);
  const arrivals = timesIn(job.starts);
  const op = programOf(job, ranks[0] ?? -1).ops[places[0] ?? -1];
  const message = op?.message ?? null;
  if (op === undefined || message === null) throw new RangeError(`no message ${ordinal} in ${group.name}`);
  const begin = job.transferBegins[first + ordinal] ?? NaN;
  const transferNs = job.transfers[first + ordinal] ?? NaN;
  return {
    group,
    ordinal,
    kind: message.kind,
    step: op.step,
    ranks,
    arrivals,
    ends: timesIn(job.ends),
    lastRank: ranks[arrivals.indexOf(begin)] ?? -1,
    begin,
    transferNs,
    bytes: sizeOf(message),
    busBytesPerS: busBytesOf(message, ranks.length) / (transferNs / 1e9),
  };
}

/** The program that a rank runs. */
export function programOf({ ranks, programs }: SimulatedJob, rank: number): SimulatedJob['programs'][number] {
  const program = programs[ranks[rank]?.pipeline ?? -1];
  if (program === undefined) throw new RangeError(`no rank ${rank}`);
  return program;
}
