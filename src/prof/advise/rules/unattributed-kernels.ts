/** Kernels of which no op is known, and those whose op lacks arguments: how to profile so that they are. */
import { isNeuronInstruction } from '../../../record/engines.js';
import { communicates } from '../../steps/step-work.js';
import { ByDevice, type Place } from '../by-device.js';
import type { Finding } from '../finding.js';
import { Longest, Ranking } from '../longest.js';
import type { RuleAnswer, RuleFacts, Rule } from '../rule.js';
import { counted, percent, ranked, time } from '../amount-text.js';

/** Share of the kernels' time; helpers of libraries and of the profiler that no op launches stay below. */
const LEAST_SHARE = 0.1;

class Lost {
  count = 0;
  stake = 0;
  /** Why; where only arguments are missing, the ops. */
  readonly reasons = new Ranking();
  readonly longest = new Longest();
}

class Kernels {
  time = 0;
  /** Whether the launch of any is known, and the op. */
  launched = false;
  named = false;
  /** No op is known; an op is known, but not its arguments. */
  readonly nameless = new Lost();
  readonly shapeless = new Lost();
}

/** That of `Annotated.reason`; a kernel whose own operands give its work has none. */
const NO_LAUNCH = 'its launch is not in the profile';
const NO_OP = 'no op call around the launch';

const SHAPES = 'profile with record_shapes=True, and with_stack=True for lines of code';
const HOST =
  'profile the host too (activities=[ProfilerActivity.CPU, ...]), with record_shapes=True: ops are host events';
const NVTX =
  'put NVTX ranges around the ops; in PyTorch torch.autograd.profiler.emit_nvtx(record_shapes=True), or markers of PyProf';

/** What to do, by the main reason and the format; first match wins. */
const ACTIONS: readonly (readonly [reason: RegExp, format: RegExp, action: string])[] = [
  [
    /no launch is in the profile/,
    /ascend-text/,
    'give dparse the whole folder: trace_view.json has the launches and the ops, kernel_details.csv alone has not',
  ],
  [/no launch is in the profile/, /kineto/, HOST],
  [/no launch is in the profile/, /^/, 'let the profiler trace the host too: without its calls the op is unknown'],
  [
    /launch is not in the profile/,
    /^/,
    'start the profiler before the work is launched (a warm-up step): these kernels were launched before it, so that their op is unknown',
  ],
  [/launch of its graph/, /^/, 'profile one run without graph capture: inside a graph no op is around the launch'],
  [/record_shapes/, /^/, SHAPES],
  [/no op is in the profile/, /kineto|ascend/, HOST],
  [
    /^/,
    /kineto|ascend/,
    'these launches lie outside of the ops of the framework: make ops of custom kernels (torch.library.custom_op)',
  ],
  [/^/, /nsight|nvprof/, NVTX],
  [/^/, /^/, 'profile with the ops of the framework'],
];

function mainReason({ nameless, launched, named }: Kernels): string {
  const main = nameless.reasons.top(1)[0]?.[0] ?? '';
  if (main === NO_LAUNCH) return launched ? main : 'no launch is in the profile';
  return main === NO_OP && !named ? 'no op is in the profile' : main;
}

const WORK = { nameless: 'no op is known', shapeless: "the op's arguments are not recorded" } as const;

function finding(
  { profile, device, of }: Place & { of: Kernels },
  kind: keyof typeof WORK,
  { profiles }: RuleFacts,
): Omit<Finding, 'rule'> {
  const lost = of[kind];
  const all = of.time;
  const reason = kind === 'shapeless' ? 'record_shapes' : mainReason(of);
  const format = profiles.get(profile)?.format ?? '';
  return {
    profile,
    device,
    what: `of ${counted(lost.count, 'kernel')}, ${time(lost.stake)} (${percent(lost.stake / all)} of the kernels' time), ${WORK[kind]}: ${ranked(lost.reasons)}`,
    action: ACTIONS.find(([why, which]) => why.test(reason) && which.test(format))?.[2] ?? '',
    stake: lost.stake,
    gain: null,
    kernels: lost.longest.ids,
    count: lost.count,
    evidence: { kernels: lost.count, timeNs: lost.stake, kernelNs: all },
    see:
      kind === 'nameless'
        ? "dprof --where 'op==na' --by kernel -f table FILE"
        : "dprof --where 'op!=na && flops==na' --by op,kernel -f table FILE",
  };
}

export const unattributed: Rule = {
  name: 'unattributed',
  doc: 'kernels without an op, or whose arguments are not recorded: how to profile so that they are',
  watch: () => {
    const devices = new ByDevice(() => new Kernels());
    return {
      row: (row) => {
        const { record } = row;
        if (record.dur === null || !Number.isFinite(record.dur) || isNeuronInstruction(record)) return;
        const kernels = devices.of(record);
        kernels.launched ||= (record.launch ?? null) !== null;
        kernels.named ||= row.op !== null;
        // The name of a collective's kernel identifies its operation.
        if (communicates(record)) return;
        kernels.time += record.dur;
        const reason = row.reason ?? (record.launch === null ? NO_LAUNCH : NO_OP);
        const lost = row.op === null ? kernels.nameless : /record_shapes/.test(reason) ? kernels.shapeless : null;
        if (lost === null) return;
        lost.count++;
        lost.stake += record.dur;
        lost.reasons.add(row.op ?? reason.replace(/\d+/g, 'N'), record.dur);
        lost.longest.add(record);
      },
      end: (facts): RuleAnswer => ({
        found: devices.all.flatMap(({ profile, device, of }) =>
          (['nameless', 'shapeless'] as const)
            .filter((kind) => of[kind].stake > LEAST_SHARE * of.time)
            .map((kind) => finding({ profile, device, of }, kind, facts)),
        ),
        ...(devices.all.length === 0
          ? { why: 'the device runs instructions of a compiled program, not kernels of ops' }
          : undefined),
      }),
    };
  },
};
