/** The records of one rank of a job, as `dparse` writes them for its trace. */
import { shortName } from '../../../src/parse/names/kernel-name.js';
import type { Collective } from '../../../src/record/fields/collective.js';
import {
  SCHEMA_VERSION,
  STEP_METRIC,
  type Context,
  type CopyLine,
  type KernelLine,
  type OpCall,
  type ProfileLine,
  type ProfileRecord,
  type SampleRecord,
} from '../../../src/record/record.js';
import {
  ACCUMULATE,
  ENGINE,
  groupsOf,
  KIND_OF_SLOT,
  layerOf,
  MESSAGE_EXTENTS,
  MOST_LISTED_RANKS,
  OPTIMIZER,
  traceName,
  type FormatOptions,
} from './context.js';
import { DEVICE, type KernelWork } from './kernels.js';
import { bytesPerElement, PROTOCOLS, type Message } from './messages.js';
import { isGradient, type JobOp } from './program.js';
import { RankView, type ObservedOp } from './rank-view.js';
import type { SimulatedJob } from './simulate.js';

export interface RecordOptions extends FormatOptions {
  /** Position of the profile in the stream; the rank by default. */
  readonly profile?: number;
}

/** Records in order of start time, the profile first and its end last. Memory: one object for each piece of work of the rank. */
export function* jobRecords(job: SimulatedJob, rank: number, options: RecordOptions = {}): Generator<ProfileLine> {
  yield* new RankRecords(new RankView(job, rank), {
    ordinals: true,
    descriptions: true,
    profile: rank,
    ...options,
  }).all();
}

class RankRecords {
  readonly #begin: number;
  #kernels = 0;

  constructor(
    private readonly view: RankView,
    private readonly options: Required<RecordOptions>,
  ) {
    this.#begin = view.begin;
  }

  *all(): Generator<ProfileLine> {
    yield this.#header();
    const { steps } = this.view.job.options;
    const runs = this.view.ops.map((op) => this.view.observed(op)).sort(inOrder);
    const begins = Array.from({ length: steps }, (_, step) => this.view.step(step).start);
    let step = 0;
    for (const run of runs) {
      while ((begins[step] ?? Infinity) <= run.start) yield this.#step(step++);
      yield run.op.copy === null ? this.#kernel(run) : this.#copy(run);
    }
    const { profile } = this.options;
    const counts = { kernel: this.#kernels, copy: runs.length - this.#kernels, sample: steps };
    yield { type: 'end', profile, counts, diagnostics: {} };
  }

  #header(): ProfileRecord {
    const { view, options } = this;
    const { rank, host, device } = view.rank;
    return {
      type: 'profile',
      v: SCHEMA_VERSION,
      profile: options.profile,
      format: 'kineto',
      tool: 'PyTorch Profiler',
      file: traceName(rank),
      rank,
      worldSize: view.job.ranks.length,
      host,
      groups: groupsOf(view, options.descriptions),
      startUnixNs: String(view.startUnixNs),
      dur: view.end - this.#begin,
      devices: [{ id: device, ...DEVICE }],
    };
  }

  #step(step: number): SampleRecord {
    const { pid } = this.view;
    const { start, end } = this.view.step(step);
    const labels = { text: `ProfilerStep#${step}`, pid, tid: pid };
    return {
      type: 'sample',
      profile: this.options.profile,
      start: start - this.#begin,
      dur: end - start,
      device: null,
      metric: STEP_METRIC,
      value: step,
      unit: null,
      labels,
    };
  }

  /** What all work has. */
  #work({ op, start, end, call }: ObservedOp, api: string) {
    const { view } = this;
    return {
      profile: this.options.profile,
      start: start - this.#begin,
      dur: end - start,
      device: view.rank.device,
      stream: op.stream,
      pid: view.pid,
      tid: view.threadOf(op),
      corr: op.index + 1,
      launch: { api, start: call.start - this.#begin, dur: call.end - call.start },
      step: op.step,
    };
  }

  #copy(run: ObservedOp): CopyLine {
    const { copy } = run.op;
    const fields = { kind: copy?.kind ?? null, bytes: copy?.bytes ?? null, hostMemory: 'pinned' } as const;
    return { type: 'copy', ...fields, ...this.#work(run, 'cudaMemcpyAsync') };
  }

  #kernel(run: ObservedOp): KernelLine {
    const { message } = run.op;
    return {
      id: ++this.#kernels,
      ...programFieldsOf(run.op),
      ...this.#work(run, run.op.kernel?.api ?? 'cudaLaunchKernelExC'),
      ...(message === null ? undefined : { collective: this.#collective(run.op, message) }),
    };
  }

  #collective(op: JobOp, message: Message): Collective {
    const { job, rank } = this.view;
    const group = job.groups[rank.groups[KIND_OF_SLOT[message.slot]]];
    const ranks = group?.ranks ?? [];
    const size = bytesPerElement(message);
    const peer = this.view.peerOf(op);
    const identity = { ordinal: op.ordinal, ...(peer === null ? undefined : { peer }) };
    return {
      op: message.kind,
      bytesIn: message.elementsIn * size,
      bytesOut: message.elementsOut * size,
      dtype: message.dtype,
      group: group?.name ?? null,
      groupSize: ranks.length,
      ranks: ranks.length > MOST_LISTED_RANKS ? null : ranks,
      ...(this.options.ordinals ? identity : undefined),
    };
  }
}

const inOrder = (a: ObservedOp, b: ObservedOp): number =>
  a.start - b.start ||
  a.end - b.end ||
  Number(a.op.copy !== null) - Number(b.op.copy !== null) ||
  a.op.stream - b.op.stream ||
  a.op.index - b.op.index;

/** What a kernel's record has from the program alone, which is the same on all ranks of a stage. */
type ProgramFields = Omit<KernelLine, 'id' | 'profile' | 'start' | 'dur' | 'device' | 'stream'>;

const programFields = new WeakMap<JobOp, ProgramFields>();

function programFieldsOf(op: JobOp): ProgramFields {
  let fields = programFields.get(op);
  if (fields === undefined) programFields.set(op, (fields = makeProgramFields(op)));
  return fields;
}

function makeProgramFields(op: JobOp): ProgramFields {
  const { kernel, message, part } = op;
  const name = message === null ? (kernel?.name ?? '') : PROTOCOLS[message.kind].kernel;
  const { grid, block } = message === null ? (kernel ?? MESSAGE_EXTENTS) : MESSAGE_EXTENTS;
  const calls = callsOf(op);
  return {
    type: 'kernel',
    name,
    short: shortName(name),
    grid,
    block,
    dir: part?.pass.dir ?? (isGradient(op) ? 'bprop' : 'fprop'),
    layer: layerOf(op),
    trace: [],
    calls,
    mod: calls.map(({ mod }) => mod),
    op: calls.map((call) => call.op),
    repr: [],
    ...sequenceOf(op),
    altSeq: [],
    sub: 0,
    ranges: rangesOf(op),
  };
}

/** Ranges around the launch: the step, where it is on the thread itself, and what is no op. */
function rangesOf(op: JobOp): string[] {
  if (isGradient(op)) return [ACCUMULATE];
  if (op.part?.pass.dir === 'bprop') return [];
  const step = `ProfilerStep#${op.step}`;
  return op.kernel !== null && op.part === null ? [step, OPTIMIZER] : [step];
}

/** Sequence numbers around the launch: of the forward op, or of the node that computes its gradient. */
function sequenceOf({ kernel, part }: JobOp): Pick<Context, 'seqMarker' | 'seq'> {
  if (part === null || (part.pass.dir === 'fprop' && kernel === null)) return { seqMarker: [], seq: [] };
  const names = part.pass.dir === 'fprop' ? [kernel?.op ?? ''] : [`${ENGINE}${part.node}`, part.node];
  return { seqMarker: names.map((name) => `${name}, seq = ${part.sequence}`), seq: [part.sequence] };
}

/** The ops around a launch, outermost first. */
function callsOf({ kernel, message }: JobOp): OpCall[] {
  const names = message === null ? [kernel?.op ?? ''] : [PROTOCOLS[message.kind].op, 'c10d::record_param_comms'];
  return names.map((name) => {
    const [mod = '', op = ''] = name.split('::');
    return { mod, op, args: kernel === null ? [] : tensorsOf(kernel), from: 'dispatcher' };
  });
}

const tensorsOf = ({ dims }: KernelWork): OpCall['args'] =>
  dims.map((shape) => ({ name: '', type: 'tensor', shape, dtype: 'bfloat16' }));
