/** Kernels whose op is unknown, and those whose op lacks arguments: how to profile so that they are known. */
import type { KernelLine } from '../../../record/record.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import {
  asksForArguments,
  captureOption,
  opMarks,
  profilerOf,
  traceOfTable,
  type Recorded,
  recordsCpu,
} from '../../work/capture-options.js';
import { WITHOUT_CALL, type Annotated } from '../../annotate.js';
import { workOf } from '../../steps/step-work.js';
import { many, percent, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

/**
 * Minimum share of the kernels' time for a finding and for a limit of the check. Helper kernels of libraries and of the
 * profiler, which no op launches, take a smaller share.
 */
export const LEAST_SHARE = 0.1;

/** Name of the time that shares refer to; it says whether collectives were left out. */
export const kernelTimeName = (collectiveTime: number): string =>
  `kernel time${collectiveTime > 0 ? ' (excluding collectives)' : ''}`;

/** Evidence for a share that leaves out collectives: their time. */
export const collectiveEvidence = (collectiveTime: number): { readonly collectiveNs?: number } =>
  collectiveTime > 0 ? { collectiveNs: collectiveTime } : {};

/** Kernel time by whether its op and the op's arguments are known, for the rule and for the check. Times in ns. */
export class KernelOps {
  /** Time of all kernels except those that only wait, and the part of it in collectives, which need no op. */
  time = 0;
  collectiveTime = 0;
  /** Streams of kernels whose launch is known. */
  readonly #launched = new Set<number | null>();
  /** Kernels without a launch: `lost` for those after a kernel of the same stream that has one, `early` for the rest. */
  lost = 0;
  early = 0;
  /** Whether any op was recorded: the name of a kernel alone may imply one too. */
  named = false;
  /** Whether the kernels are instructions of a compiled program, which nothing launches. */
  #isProgram = false;
  /** Kernels without an op, by reason; kernels with an op but without its arguments, by op. */
  readonly nameless = new KernelTally();
  readonly shapeless = new KernelTally();

  /** Takes a kernel, in order of start time; returns its time, or null for one that only waits or has no duration. */
  add(row: Annotated): number | null {
    const { record, op } = row;
    const { dur } = record;
    const work = workOf(record)?.work;
    if (dur === null || !Number.isFinite(dur) || work === undefined) return null;
    this.time += dur;
    this.named ||= row.calls.length > 0 || (op !== null && record.op.includes(op));
    this.#isProgram ||= isNeuronInstruction(record);
    this.#addLaunch(record, dur);
    // The name of a collective's kernel identifies its operation.
    if (work === 'communication') {
      this.collectiveTime += dur;
      return dur;
    }
    // A kernel whose own operands determine its work has no reason.
    const reason = row.reason ?? WITHOUT_CALL[record.launch === null ? 'no-launch' : 'no-op'];
    if (op === null) this.nameless.add(record, reason.replace(/\d+/g, 'N'), dur);
    else if (asksForArguments(reason)) this.shapeless.add(record, op, dur);
    return dur;
  }

  /** A stream runs kernels in the order of their launches. */
  #addLaunch({ stream, launch = null }: KernelLine, dur: number): void {
    if (launch !== null) this.#launched.add(stream);
    else if (this.#launched.has(stream)) this.lost += dur;
    else this.early += dur;
  }

  /** Time of kernels without a launch call; 0 where no kernel has one, since then calls were not recorded. */
  get launchless(): number {
    return this.#launched.size === 0 ? 0 : this.lost + this.early;
  }

  /** How to record the missing launches of some kernels. */
  launchRemedy(profile: Recorded | null): string {
    return actionFor(this.lost > this.early ? 'lost' : 'no-launch', profile);
  }

  /** Time of the kernels that need an op. */
  get computing(): number {
    return this.time - this.collectiveTime;
  }

  /** What is unknown for a notable share of the computing time, and how to record it. */
  limits(profile: Recorded | null): OpLimit[] {
    return (['nameless', 'shapeless'] as const)
      .filter((kind) => this[kind].time > LEAST_SHARE * this.computing)
      .map((kind) => ({
        kind,
        what: `${percent(this[kind].time / this.computing)} of ${kernelTimeName(this.collectiveTime)} ${KINDS[kind].work}`,
        remedy: kind === 'shapeless' ? recording(profile) : actionFor(this.#cause, profile),
      }));
  }

  get #cause(): Cause {
    if (this.#isProgram) return 'no-ops';
    const main = CAUSES.get(this.nameless.names.top(1)[0]?.[0] ?? '') ?? 'other';
    if (main === 'no-launch') return this.lost > this.early ? 'lost' : this.#launched.size > 0 ? main : 'no-launches';
    return main === 'no-op' && !this.named ? 'no-ops' : main;
  }
}

interface OpLimit {
  readonly kind: 'nameless' | 'shapeless';
  readonly what: string;
  readonly remedy: string;
}

/**
 * The main reason for which advice differs: one of a single kernel, or `no-launches` and `no-ops` if the whole profile has
 * none. Calls are `lost` where launches are missing between others: those were not made before the profiler started.
 */
type Cause = KernelCause | 'no-launches' | 'lost' | 'no-ops' | 'other';
type KernelCause = keyof typeof WITHOUT_CALL;

const CAUSES: ReadonlyMap<string, KernelCause> = new Map(
  Object.entries(WITHOUT_CALL).map(([cause, text]) => [text, cause as KernelCause]),
);

const HOST =
  'profile the CPU too, with shapes (activities=[ProfilerActivity.CPU, ...], record_shapes=True): ops are CPU events';
const NVTX =
  'put NVTX ranges around ops: in PyTorch torch.autograd.profiler.emit_nvtx(record_shapes=True), or PyProf markers';

type Advice = readonly (readonly [profile: RegExp, action: string])[];

/** Advice for any cause. */
const USUAL: Advice = [
  [
    /^(?:kineto|ascend)/,
    'these launches are outside any op of the framework: wrap custom kernels in ops (torch.library.custom_op)',
  ],
  [/^(?:nsight|nvprof)/, NVTX],
  [
    /^/,
    'where a framework launches these kernels, record its ops if the profiler can; a program without one has no ops to record',
  ],
];

/** Advice by cause, and by profiler and file name; the first match is used, else the usual advice. */
const ACTIONS: Readonly<Record<Cause, Advice>> = {
  'no-launches': [
    [/^(?:kineto|ascend)/, HOST],
    [/^(?:nsight|nvprof)/, 'trace API calls too: without them the op of a kernel is unknown'],
    [/^/, 'trace API calls too if the profiler can: the op is known from the call that launched the kernel'],
  ],
  lost: [
    [
      /^/,
      'record all API calls: these kernels come after others of their stream whose launches are recorded, so calls between them must have been left out',
    ],
  ],
  'no-launch': [
    [/^/, 'start the profiler one step earlier (a warm-up step): these kernels were launched before it started'],
  ],
  'graph-without-op': [
    [
      /^kineto/,
      'give dparse the capture of the graph (--capture, docs/guide/graphs.md), or profile one run without graphs',
    ],
    [
      /^nsight/,
      'start the profiler before the graph is captured (docs/guide/graphs.md), or profile one run without graphs',
    ],
    [/^/, 'profile one run without graphs'],
  ],
  'no-ops': [[/^(?:kineto|ascend)/, HOST]],
  'no-op': [],
  other: [],
};

function actionFor(cause: Cause, profile: Recorded | null): string {
  const trace = cause === 'no-launches' ? traceOfTable(profile) : null;
  const key = `${profilerOf(profile)} ${profile?.file ?? ''}`;
  const isDone = (action: string): boolean => action === HOST && recordsCpu(profile);
  const first = (advice: Advice): string | undefined =>
    advice.find(([which, action]) => which.test(key) && !isDone(action))?.[1];
  return trace ?? first(ACTIONS[cause]) ?? (cause === 'no-ops' ? opMarks(profile) : null) ?? first(USUAL) ?? '';
}

function recording(profile: Recorded | null): string {
  const stacks = captureOption(profile, 'stacks');
  return `record arguments with ${captureOption(profile, 'shapes') ?? ''}${stacks === null ? '' : `, and lines of code with ${stacks}`}`;
}

const KINDS = {
  nameless: { work: 'has no op', see: "dprof --where 'op==na' --by kernel -f table FILE" },
  shapeless: {
    work: 'belongs to ops without recorded arguments',
    see: "dprof --where 'op!=na && bytes==na' --by op,kernel -f table FILE",
  },
} as const;

export const unattributed = deviceRule({
  name: 'unattributed',
  about: 'profile',
  doc: 'kernels without an op or without its arguments, and how to record them',
  why: 'the device runs a compiled program, not separate ops',
  start: () => new KernelOps(),
  row: (row, devices) => !isNeuronInstruction(row.record) && devices.of(row.record).add(row) !== null,
  findings: (ops, { profiles }, { profile }) =>
    ops.limits(profiles.get(profile) ?? null).map(({ kind, what, remedy }) => {
      const { count, time: ns, names, facts } = ops[kind];
      return {
        what: `${what}, ${time(ns)} in ${many(count, 'kernel')}: ${ranked(names)}`,
        action: remedy,
        ...facts,
        evidence: { ...facts.evidence, kernelNs: ops.time, ...collectiveEvidence(ops.collectiveTime) },
        see: KINDS[kind].see,
      };
    }),
});
