/** Kernels of which no op is known, and those whose op does not tell enough: how to profile so that they are. */
import { isInstruction } from '../../../record/neuron.js';
import { ByDevice } from '../by-device.js';
import type { Finding } from '../finding.js';
import { Longest, Ranking } from '../longest.js';
import type { Answer, Facts, Rule } from '../rule.js';
import { many, percent, ranked, time } from '../words.js';

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
  /** No op is known; an op is known, but its arguments are not told. */
  readonly nameless = new Lost();
  readonly untold = new Lost();
}

/** As `Annotated.reason` says it; a kernel whose own operands tell its work has no reason to give. */
const NO_LAUNCH = 'its launch is not in the profile';

const KINETO = 'profile with record_shapes=True, and with_stack=True for lines of code';
const NVTX = 'put ranges around the ops: torch.autograd.profiler.emit_nvtx(record_shapes=True), or markers of PyProf';

/** What to do, by the main reason and the format; first match wins. */
const ACTIONS: readonly (readonly [reason: RegExp, format: RegExp, action: string])[] = [
  [
    /launch is not in the profile/,
    /^/,
    'start the profiler before the work is launched (a warm-up step), and let it see the host: without calls nothing tells the op',
  ],
  [/launch of its graph/, /^/, 'profile one run without graph capture: inside a graph no op is around the launch'],
  [/record_shapes/, /^/, KINETO],
  [/^/, /kineto|ascend/, KINETO],
  [/^/, /nsight|nvprof/, NVTX],
  [/^/, /^/, 'profile with the ops of the framework'],
];

const WORK = { nameless: 'no op is known', untold: "the op's arguments are not told" } as const;

function finding({ profile, device, time: all }: { profile: number; device: number; time: number }, kind: keyof typeof WORK, lost: Lost, { profiles }: Facts): Omit<Finding, 'rule'> {
  const reason = kind === 'untold' ? 'record_shapes' : (lost.reasons.top(1)[0]?.[0] ?? '');
  const format = profiles.get(profile)?.format ?? '';
  return {
    profile,
    device,
    what: `of ${many(lost.count, 'kernel')}, ${time(lost.stake)} (${percent(lost.stake / all)} of the kernels' time), ${WORK[kind]}: ${ranked(lost.reasons)}`,
    action: ACTIONS.find(([why, which]) => why.test(reason) && which.test(format))?.[2] ?? '',
    stake: lost.stake,
    gain: null,
    kernels: lost.longest.ids,
    count: lost.count,
    evidence: { kernels: lost.count, timeNs: lost.stake, kernelNs: all },
    see: kind === 'nameless' ? "dprof --where 'op==na' --by kernel -f table FILE" : "dprof --where 'op!=na && flops==na' --by op,kernel -f table FILE",
  };
} // prettier-ignore

export const unattributed: Rule = {
  name: 'unattributed',
  doc: 'kernels without an op, or whose arguments are not told: how to profile so that they are',
  watch: () => {
    const devices = new ByDevice(() => new Kernels());
    return {
      row: (row) => {
        const { record } = row;
        if (record.dur === null || !Number.isFinite(record.dur) || isInstruction(record)) return;
        const kernels = devices.of(record);
        kernels.time += record.dur;
        const reason = row.reason ?? (record.launch === null ? NO_LAUNCH : 'no op call around the launch');
        const lost = row.op === null ? kernels.nameless : /record_shapes/.test(reason) ? kernels.untold : null;
        if (lost === null) return;
        lost.count++;
        lost.stake += record.dur;
        lost.reasons.add(row.op ?? reason.replace(/\d+/g, 'N'), record.dur);
        lost.longest.add(record);
      },
      end: (facts): Answer => ({
        found: devices.all.flatMap(({ profile, device, of }) =>
          (['nameless', 'untold'] as const)
            .filter((kind) => of[kind].stake > LEAST_SHARE * of.time)
            .map((kind) => finding({ profile, device, time: of.time }, kind, of[kind], facts)),
        ),
        ...(devices.all.length === 0 ? { why: 'the device runs instructions of a compiled program, not kernels of ops' } : undefined),
      }),
    };
  },
}; // prettier-ignore
