/**
 * Simulates a training job: each rank runs the program of its pipeline stage, and messages tie the ranks together. Work
 * begins once all that it waits for has ended, so that work is visited in the order of its dependencies, each once.
 */
import { channelsOf, type Channel, type Channels } from './channels.js';
import { drawRank, drawTransfers, type RankDraws } from './draws.js';
import { layoutOf, type JobGroup, type JobRank, type Layout } from './layout.js';
import { busBytesOf, SLOTS, type Message, type Slot } from './messages.js';
import { completeOptions, type JobOptions, type JobRequest } from './options.js';
import { stageProgram, type JobOp, type StageProgram } from './program.js';

/** Between two pieces of work that wait for each other. */
const GAP_NS = 1000;
/** From the start of a launch to the earliest start of its work. */
const LATENCY_NS = 6000;
/** From the end of the last work of a step to its end on the host, and from there to the next step. */
const STEP_END_NS = 5000;
const STEP_GAP_NS = 2000;

export interface SimulatedJob {
  readonly options: JobOptions;
  readonly ranks: readonly JobRank[];
  readonly groups: readonly JobGroup[];
  /** By pipeline stage. */
  readonly programs: readonly StageProgram[];
  readonly channels: Channels;
  /** By rank. */
  readonly draws: readonly RankDraws[];
  /** By rank: when its work began and ended by its place in the program, true time in whole ns. */
  readonly starts: readonly Float64Array[];
  readonly ends: readonly Float64Array[];
  /** By rank: when its steps began on the host; one more for what would be the next. */
  readonly stepBegins: readonly Float64Array[];
  /** By message of the job: when its transfer began, and how long it took. */
  readonly transferBegins: Float64Array;
  readonly transfers: Float64Array;
  /** How often the simulation looked at something that work waits for. */
  readonly visits: number;
}

/** Runs a job. Linear in its work; about 30 bytes for each piece of it. */
export function simulateJob(request: JobRequest = {}): SimulatedJob {
  const options = completeOptions(request);
  return new Simulation(options, layoutOf(options)).run();
}

/** What comes after each piece of work of a program, and how many it waits for. */
interface Graph {
  readonly program: StageProgram;
  readonly waits: Uint8Array;
  readonly next: readonly (readonly number[])[];
}

function graphOf(program: StageProgram): Graph {
  const next = program.ops.map((): number[] => []);
  for (const { index, after } of program.ops) for (const before of after) next[before]?.push(index);
  return { program, next, waits: Uint8Array.from(program.ops, ({ after }) => after.length) };
}

const at = <T>(list: readonly T[], index: number): T => {
  const item = list[index];
  if (item === undefined) throw new RangeError(`nothing at ${index}`);
  return item;
};
const number = (list: Float64Array | Int32Array | Uint8Array, index: number): number => list[index] ?? NaN;

class Simulation {
  readonly #graphs: readonly Graph[];
  readonly #channels: Channels;
  readonly #draws: readonly RankDraws[];
  readonly #durations: readonly Int32Array[];
  readonly #starts: readonly Float64Array[];
  readonly #ends: readonly Float64Array[];
  readonly #stepBegins: readonly Float64Array[];
  /** By rank and piece of work: how many it still waits for. */
  readonly #waits: readonly Uint8Array[];
  /** By message: how many have arrived. */
  readonly #arrived: Int32Array;
  readonly #begins: Float64Array;
  readonly #transfers: Float64Array;
  /** Work that waits for nothing any more: ranks, and places in their programs. */
  readonly #readyRanks: number[] = [];
  readonly #readyOps: number[] = [];
  #visits = 0;
  #ended = 0;

  constructor(
    private readonly options: JobOptions,
    private readonly layout: Layout,
  ) {
    const programs = Array.from({ length: options.pp }, (_, stage) => stageProgram(options, stage));
    this.#graphs = programs.map(graphOf);
    this.#channels = channelsOf(layout, programs);
    const { ranks } = layout;
    const lengths = ranks.map((rank) => this.#graph(rank.rank).program.ops.length);
    this.#durations = lengths.map((length) => new Int32Array(length));
    this.#starts = lengths.map((length) => new Float64Array(length));
    this.#ends = lengths.map((length) => new Float64Array(length));
    this.#stepBegins = ranks.map(() => new Float64Array(options.steps + 1));
    this.#waits = ranks.map(({ rank }) => this.#graph(rank).waits.slice());
    this.#arrived = new Int32Array(this.#channels.messages);
    this.#begins = new Float64Array(this.#channels.messages);
    this.#transfers = this.#drawnTransfers();
    this.#draws = ranks.map((rank) => {
      const members = (op: JobOp): number =>
        op.message === null ? 1 : this.#channel(rank.rank, op.message.slot).members.length;
      return drawRank(options, rank, this.#graph(rank.rank).program, at(this.#durations, rank.rank), members);
    });
  }

  run(): SimulatedJob {
    for (const { rank } of this.layout.ranks) {
      at(this.#stepBegins, rank)[0] = at(this.#draws, rank).firstBegin;
      this.#push(rank, 0);
    }
    for (;;) {
      const [rank, op] = [this.#readyRanks.pop(), this.#readyOps.pop()];
      if (rank === undefined || op === undefined) break;
      this.#start(rank, at(this.#graph(rank).program.ops, op));
    }
    const work = this.#starts.reduce((sum, { length }) => sum + length, 0);
    if (this.#ended !== work) throw new Error(`the job hangs: ${work - this.#ended} of ${work} never end`);
    return {
      ...this.layout,
      options: this.options,
      programs: this.#graphs.map(({ program }) => program),
      channels: this.#channels,
      draws: this.#draws,
      starts: this.#starts,
      ends: this.#ends,
      stepBegins: this.#stepBegins,
      transferBegins: this.#begins,
      transfers: this.#transfers,
      visits: this.#visits,
    };
  }

  #graph(rank: number): Graph {
    return at(this.#graphs, at(this.layout.ranks, rank).pipeline);
  }

  #channel(rank: number, slot: Slot): Channel {
    return at(this.#channels.all, number(this.#channels.of, rank * SLOTS.length + SLOTS.indexOf(slot)));
  }

  /** By message of the job: its transfer, which does not depend on when it happens. */
  #drawnTransfers(): Float64Array {
    const transfers = new Float64Array(this.#channels.messages);
    for (const channel of this.#channels.all) {
      const { ops, messages } = this.#graph(channel.members[0] ?? 0).program;
      const own = messages[channel.slots[0] ?? 'world'];
      drawTransfers(this.options, channel).forEach((factor, ordinal) => {
        const { message } = at(ops, at(own, ordinal));
        if (message !== null) transfers[channel.first + ordinal] = transferNs(this.options, channel, message, factor);
      });
    }
    return transfers;
  }

  #push(rank: number, op: number): void {
    this.#readyRanks.push(rank);
    this.#readyOps.push(op);
  }

  #start(rank: number, op: JobOp): void {
    const ends = at(this.#ends, rank);
    let start = launchStart(at(this.#draws, rank), at(this.#stepBegins, rank), op) + LATENCY_NS;
    for (const before of op.after) start = Math.max(start, number(ends, before) + GAP_NS);
    this.#visits += op.after.length;
    at(this.#starts, rank)[op.index] = start;
    if (op.message === null) this.#end(rank, op, start + number(at(this.#durations, rank), op.index));
    else this.#arrive(this.#channel(rank, op.message.slot), op.ordinal, start);
  }

  /** The transfer begins when the last member has arrived. */
  #arrive({ first, members, slots }: Channel, ordinal: number, start: number): void {
    const message = first + ordinal;
    const arrived = number(this.#arrived, message) + 1;
    const begin = Math.max(number(this.#begins, message), start);
    this.#arrived[message] = arrived;
    this.#begins[message] = begin;
    if (arrived < members.length) return;
    const end = begin + number(this.#transfers, message);
    members.forEach((rank, i) => {
      const { ops, messages } = this.#graph(rank).program;
      const op = at(ops, at(messages[at(slots, i)], ordinal));
      this.#end(rank, op, end + number(at(this.#durations, rank), op.index));
    });
  }

  #end(rank: number, { index, step }: JobOp, end: number): void {
    const { next, program } = this.#graph(rank);
    at(this.#ends, rank)[index] = end;
    this.#ended++;
    // The host waits for the last work of a step before it begins the next one.
    if (program.ops[index + 1]?.step !== step) at(this.#stepBegins, rank)[step + 1] = end + STEP_END_NS + STEP_GAP_NS;
    const waits = at(this.#waits, rank);
    for (const op of at(next, index)) {
      const left = number(waits, op) - 1;
      waits[op] = left;
      if (left === 0) this.#push(rank, op);
    }
  }
}

/** Latency and bus bytes over bandwidth, in whole ns. */
function transferNs(
  { links, inject }: JobOptions,
  { group, members }: Channel,
  message: Message,
  factor: number,
): number {
  const { latencyNs, bytesPerS } = group.betweenNodes ? links.betweenNodes : links.inNode;
  const { slowLink } = inject;
  const isSlow = slowLink !== undefined && group.kind === (slowLink.kind ?? 'data') && members.includes(slowLink.rank);
  const transfer = (busBytesOf(message, members.length) / bytesPerS) * 1e9;
  return Math.round((latencyNs + transfer * (isSlow ? slowLink.factor : 1)) * factor);
}

/** When the host began to launch a piece of work, true time in whole ns. */
export const launchStart = ({ loading, launch }: RankDraws, stepBegins: Float64Array, op: JobOp): number =>
  number(stepBegins, op.step) + number(loading, op.step) + Math.round(op.place * number(launch, op.step));

/** When a step ended on the host. */
export const stepEnd = (stepBegins: Float64Array, step: number): number => number(stepBegins, step + 1) - STEP_GAP_NS;
