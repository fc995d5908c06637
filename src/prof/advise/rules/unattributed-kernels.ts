/** Kernels whose op is unknown, and those whose op lacks arguments: how to profile so that they are known. */
import type { KernelLine } from '../../../record/record.js';
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import {
  asksForArguments,
  captureOption,
  profilerOf,
  traceOfTable,
  type Recorded,
  recordsCpu,
} from '../../work/capture-options.js';
import { WITHOUT_CALL } from '../../annotate.js';
import { communicates } from '../../steps/step-work.js';
import { many, percent, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

/**
 * Minimum share of the kernels' time for a finding. Helper kernels of libraries and of the profiler, which no op
 * launches, take a smaller share.
 */
const LEAST_SHARE = 0.1;

class Kernels {
  time = 0;
  /** Streams of kernels whose launch is known. */
  readonly #launched = new Set<number | null>();
  /**
   * Time in ns of kernels whose launch is not: `lost` for those after a kernel of the same stream whose launch is, `early` for
   * the rest.
   */
  lost = 0;
  early = 0;
  /** Whether the op of any kernel is known. */
  named = false;
  /** Kernels without an op, by reason; kernels with an op but without its arguments, by op. */
  readonly nameless = new KernelTally();
  readonly shapeless = new KernelTally();

  get launched(): boolean {
    return this.#launched.size > 0;
  }

  /** Takes the launch of a kernel, in order of start: a stream runs kernels in the order of their launches. */
  launch({ stream, launch = null }: KernelLine, dur: number): void {
    if (launch !== null) this.#launched.add(stream);
    else if (this.#launched.has(stream)) this.lost += dur;
    else this.early += dur;
  }
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
      'record all API calls: these kernels come after others of their stream whose launches are recorded, so that calls between them were left out',
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
  const actions = [...ACTIONS[cause], ...USUAL].filter(([which, action]) => which.test(key) && !isDone(action));
  return trace ?? actions[0]?.[1] ?? '';
}

function recording(profile: Recorded | null): string {
  const stacks = captureOption(profile, 'stacks');
  return `record arguments with ${captureOption(profile, 'shapes') ?? ''}${stacks === null ? '' : `, and lines of code with ${stacks}`}`;
}

function causeOf({ nameless, launched, named, lost, early }: Kernels): Cause {
  const main = CAUSES.get(nameless.names.top(1)[0]?.[0] ?? '') ?? 'other';
  if (main === 'no-launch') return lost > early ? 'lost' : launched ? main : 'no-launches';
  return main === 'no-op' && !named ? 'no-ops' : main;
}

const KINDS = {
  nameless: { work: 'has no op', see: "dprof --where 'op==na' --by kernel -f table FILE" },
  shapeless: {
    work: 'belongs to ops without recorded arguments',
    see: "dprof --where 'op!=na && flops==na' --by op,kernel -f table FILE",
  },
} as const;

export const unattributed = deviceRule({
  name: 'unattributed',
  about: 'profile',
  doc: 'kernels without an op or without its arguments, and how to record them',
  why: 'the device runs a compiled program, not separate ops',
  start: () => new Kernels(),
  row: (row, devices) => {
    const { record, op } = row;
    const { dur } = record;
    if (dur === null || !Number.isFinite(dur) || isNeuronInstruction(record)) return false;
    const kernels = devices.of(record);
    kernels.named ||= op !== null;
    kernels.time += dur;
    kernels.launch(record, dur);
    // The name of a collective's kernel identifies its operation.
    if (communicates(record)) return true;
    // A kernel whose own operands determine its work has no reason.
    const reason = row.reason ?? WITHOUT_CALL[record.launch === null ? 'no-launch' : 'no-op'];
    if (op === null) kernels.nameless.add(record, reason.replace(/\d+/g, 'N'), dur);
    else if (asksForArguments(reason)) kernels.shapeless.add(record, op, dur);
    return true;
  },
  findings: (of, { profiles }, { profile }) =>
    (['nameless', 'shapeless'] as const)
      .filter((kind) => of[kind].time > LEAST_SHARE * of.time)
      .map((kind) => {
        const { count, time: ns, names, facts } = of[kind];
        const { work, see } = KINDS[kind];
        const recorded = profiles.get(profile) ?? null;
        return {
          what: `${percent(ns / of.time)} of kernel time ${work}, ${time(ns)} in ${many(count, 'kernel')}: ${ranked(names)}`,
          action: kind === 'shapeless' ? recording(recorded) : actionFor(causeOf(of), recorded),
          ...facts,
          evidence: { ...facts.evidence, kernelNs: of.time },
          see,
        };
      }),
});
