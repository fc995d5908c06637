/** Kernels of which no op is known, and those whose op lacks arguments: how to profile so that they are. */
import { isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import { asksForArguments, captureOption, profilerOf, type Recorded } from '../../work/capture-options.js';
import { communicates } from '../../steps/step-work.js';
import { many, percent, ranked, time } from '../wording.js';
import { deviceRule } from '../rule.js';
import { KernelTally } from '../kernel-tally.js';

/** Share of the kernels' time; helpers of libraries and of the profiler that no op launches stay below. */
const LEAST_SHARE = 0.1;

class Kernels {
  time = 0;
  /** Whether the launch of any is known, and the op. */
  launched = false;
  named = false;
  /** No op is known, by why; an op is known, but not its arguments, by op. */
  readonly nameless = new KernelTally();
  readonly shapeless = new KernelTally();
}

/** That of `Annotated.reason`; a kernel whose own operands give its work has none. */
const NO_LAUNCH = 'its launch is not in the profile';
const NO_OP = 'no op call around the launch';

const HOST =
  'profile the host too (activities=[ProfilerActivity.CPU, ...]), with record_shapes=True: ops are host events';
const NVTX =
  'put NVTX ranges around the ops; in PyTorch torch.autograd.profiler.emit_nvtx(record_shapes=True), or markers of PyProf';

/** What to do, by the main reason, and the profiler and the name of the file; first match wins. */
const ACTIONS: readonly (readonly [reason: RegExp, profile: RegExp, action: string])[] = [
  [
    /no launch is in the profile/,
    /^ascend-text kernel_details/,
    'give dparse the whole folder: trace_view.json has the launches and the ops, kernel_details.csv alone has not',
  ],
  [/no launch is in the profile/, /^(?:kineto|ascend)/, HOST],
  [
    /no launch is in the profile/,
    /^(?:nsight|nvprof)/,
    'let the profiler trace the host too: without its calls the op is unknown',
  ],
  [
    /no launch is in the profile/,
    /^/,
    'where the profiler can trace the host, let it do so: the op is known from the call that launched the kernel',
  ],
  [
    /launch is not in the profile/,
    /^/,
    'start the profiler before the work is launched (a warm-up step): these kernels were launched before it, so that their op is unknown',
  ],
  [
    /launch of its graph/,
    /^kineto/,
    'give dparse the capture of the graph (--capture, docs/guide/graphs.md), or profile one run without graphs',
  ],
  [
    /launch of its graph/,
    /^nsight/,
    'start the profiler before the graph is captured (docs/guide/graphs.md), or profile one run without graphs',
  ],
  [/launch of its graph/, /^/, 'profile one run without graphs'],
  [/no op is in the profile/, /^(?:kineto|ascend)/, HOST],
  [
    /^/,
    /^(?:kineto|ascend)/,
    'these launches lie outside of the ops of the framework: make ops of custom kernels (torch.library.custom_op)',
  ],
  [/^/, /^(?:nsight|nvprof)/, NVTX],
  [/^/, /^/, 'where the profiler can record the ops of the framework, let it do so'],
];

function actionFor(reason: string, profile: Recorded | null): string {
  const key = `${profilerOf(profile)} ${profile?.file ?? ''}`;
  return ACTIONS.find(([why, which]) => why.test(reason) && which.test(key))?.[2] ?? '';
}

function recording(profile: Recorded | null): string {
  const stacks = captureOption(profile, 'stacks');
  return `record them with ${captureOption(profile, 'shapes') ?? ''}${stacks === null ? '' : `, and ${stacks} for lines of code`}`;
}

function mainReason({ nameless, launched, named }: Kernels): string {
  const main = nameless.names.top(1)[0]?.[0] ?? '';
  if (main === NO_LAUNCH) return launched ? main : 'no launch is in the profile';
  return main === NO_OP && !named ? 'no op is in the profile' : main;
}

const KINDS = {
  nameless: { work: 'no op is known', see: "dprof --where 'op==na' --by kernel -f table FILE" },
  shapeless: {
    work: "the op's arguments are not recorded",
    see: "dprof --where 'op!=na && flops==na' --by op,kernel -f table FILE",
  },
} as const;

export const unattributed = deviceRule({
  name: 'unattributed',
  about: 'profile',
  doc: 'kernels without an op, or whose arguments are not recorded: how to profile so that they are',
  why: 'the device runs instructions of a compiled program, not kernels of ops',
  start: () => new Kernels(),
  row: (row, devices) => {
    const { record, op } = row;
    const { dur } = record;
    if (dur === null || !Number.isFinite(dur) || isNeuronInstruction(record)) return false;
    const kernels = devices.of(record);
    kernels.launched ||= (record.launch ?? null) !== null;
    kernels.named ||= op !== null;
    // The name of a collective's kernel identifies its operation.
    if (communicates(record)) return true;
    kernels.time += dur;
    const reason = row.reason ?? (record.launch === null ? NO_LAUNCH : NO_OP);
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
          what: `of ${many(count, 'kernel')}, ${time(ns)} (${percent(ns / of.time)} of the kernels' time), ${work}: ${ranked(names)}`,
          action: kind === 'shapeless' ? recording(recorded) : actionFor(mainReason(of), recorded),
          ...facts,
          evidence: { ...facts.evidence, kernelNs: of.time },
          see,
        };
      }),
});
