/**
 * Rules that list kernels and their time: kernels on the AI CPU, of autotuning, above a peak (with copies and memsets),
 * for an older architecture, with unknown FLOPs.
 */
import { LAUNCHING } from '../../../record/glossary.js';
import { smInName } from '../../../ops/kernels/kernel-name.js';
import { smOf } from '../../../ops/kernels/matrix-unit.js';
import type { Annotated } from '../../annotate.js';
import { many, ranked, rate, size, time, percent, verb } from '../wording.js';
import { deviceRule, type Rule, type RuleAnswer } from '../rule.js';
import { atLongest, KernelTally, longerOf, Ranking } from '../kernel-tally.js';
import { AbovePeaks, abovePeaksTexts, LEAVE_OUT_TIMES } from '../../tally/above-peaks.js';
import { ByDevice, type Place } from '../device-times.js';
import type { Found, LongestTime } from '../finding.js';
import type { Device, ProfileRecord } from '../../../record/record.js';
import { statedDevice } from '../../../record/fields/stated-device.js';
import { NS_PER_S } from '../../../record/units.js';
import { linkPeakOf, peaksOf } from '../../roofline/peaks.js';
import { LARGEST_CACHE } from '../../roofline/roofline.js';
import { isOnCoreClass, isNeuronInstruction } from '../../../record/neuron/neuron-cores.js';
import { asksForArguments } from '../../work/capture-options.js';
import { collectiveEvidence, kernelTimeName } from './unattributed-kernels.js';
import { communicates, isCut, type StepActivity } from '../../steps/step-work.js';

/** Minimum share of the kernels' time. */
const LEAST_SHARE = 0.1;

/** Times in ns. */
class Kernels {
  computeTime = 0;
  collectiveTime = 0;
  readonly unknown = new KernelTally();
  readonly reasons = new Ranking();
}

/**
 * Kernels whose op and arguments are known but whose FLOPs are not. Rates, MFU and the roofline leave them out; the
 * finding says why.
 */
export const unknownFlops = deviceRule({
  name: 'unknown-flops',
  about: 'profile',
  doc: 'kernels of known ops without a FLOP formula, which MFU leaves out',
  why: 'no kernel with an op',
  start: () => new Kernels(),
  row: (row, devices) => {
    const { record, op, flops, reason } = row;
    const { dur } = record;
    if (dur === null || !Number.isFinite(dur) || isNeuronInstruction(record)) return false;
    const kernels = devices.of(record);
    if (communicates(record)) {
      kernels.collectiveTime += dur;
      return false;
    }
    kernels.computeTime += dur;
    if (op === null) return false;
    // Another rule reports kernels without arguments, with what to record.
    if (flops !== null || reason === null || asksForArguments(reason)) return true;
    kernels.unknown.add(record, op, dur);
    kernels.reasons.add(reason, dur);
    return true;
  },
  findings: ({ computeTime, collectiveTime, unknown, reasons }) => {
    const { count, time: ns, names, facts } = unknown;
    if (ns <= LEAST_SHARE * computeTime) return [];
    const [[reason] = ['']] = reasons.top(1);
    return [
      {
        what: `FLOPs are unknown for ${percent(ns / computeTime)} of ${kernelTimeName(collectiveTime)}, ${time(ns)} in ${many(count, 'kernel')}: ${ranked(names)}`,
        details: `mostly ${reason}`,
        action:
          'MFU leaves these kernels out. To include them, add a FLOP formula (CONTRIBUTING, "Add an op") or report the op with its arguments',
        ...facts,
        evidence: { ...facts.evidence, kernelNs: computeTime + collectiveTime, ...collectiveEvidence(collectiveTime) },
        see: "dprof --where 'op!=na && flops==na' --by op,params -f table FILE",
      },
    ];
  },
});

class Above extends KernelTally {
  readonly runs = new AbovePeaks();
  compute = 0;
  memory = 0;
  device = '';
}

const detailsOf = (runs: AbovePeaks): { readonly details?: string } => {
  const { short } = abovePeaksTexts(runs);
  return short === null ? {} : { details: short };
};

const IMPOSSIBLE = {
  name: 'impossible',
  about: 'profile',
  doc: 'kernels, copies and memsets faster than the peaks of the device: a size, a clock, a peak or the device name is wrong',
} as const;

/** Rates that no device reaches: our FLOP count or our peak rate is wrong, or the device is another one. */
const impossibleKernels = deviceRule({
  ...IMPOSSIBLE,
  why: 'no kernel with known FLOPs or bytes on a device with known peaks',
  start: () => new Above(),
  row: (row, devices) => {
    const { placement, record, peaks, op } = row;
    if (record.dur === null || (placement.computeShare === null && placement.memoryShare === null)) return false;
    const { compute, memory } = placement.above;
    const above = devices.of(record);
    above.runs.add(row);
    if (!compute && !memory) return true;
    if (compute) above.compute++;
    if (memory) above.memory++;
    above.device = peaks.name;
    above.add(record, op ?? record.short, record.dur);
    return true;
  },
  findings: (above) =>
    above.count === 0
      ? []
      : [
          {
            what: `${many(above.count, 'kernel')} ran faster than the peaks of ${above.device} (FLOP/s: ${above.compute}, bytes/s: ${above.memory}), ${above.timeText}: ${ranked(above.names)}`,
            ...detailsOf(above.runs),
            action:
              above.runs.mistimed === above.count
                ? LEAVE_OUT_TIMES
                : 'this is impossible: check the FLOPs and bytes of these ops (--explain shows the formulas) and the peaks (--peaks sets others); if both are right, please report it',
            ...above.facts,
            evidence: { ...above.facts.evidence, aboveComputePeak: above.compute, aboveMemoryPeak: above.memory },
            see: 'dprof --sort peak --top 20 -c idx,op,kernel,sil,peak,bw,params -f table FILE',
          },
        ],
});

/** Copies and sets of one device that moved more than its memory or links can. */
class ImpossibleMoves {
  copies = 0;
  sets = 0;
  bytes = 0;
  /** Sum of the recorded durations, and of the shortest possible ones, in ns. */
  time = 0;
  floor = 0;
  device = '';
  highest = 0;
  longest: LongestTime | null = null;
  readonly kinds = new Ranking();

  get count(): number {
    return this.copies + this.sets;
  }

  /** `2 copies and 1 set` */
  get amounts(): string {
    const { copies, sets } = this;
    return [copies > 0 ? many(copies, 'copy') : '', sets > 0 ? many(sets, 'set') : ''].filter(Boolean).join(' and ');
  }
}

type Move = Extract<StepActivity, { type: 'copy' | 'set' }>;

/**
 * Shortest possible time of a copy or set, in ns. A copy within a device reads and writes its memory; all others either
 * read or write it. The data may already be in the cache before it is read, or stay in the cache after it is written. A
 * copy to another device also passes through the links.
 * @returns null when the size or the peak is unknown
 */
function floorOfMove(move: Move, device: Device | null): number | null {
  const { bytes } = move;
  const { bytesPerS, cacheBytes } = peaksOf(device);
  const kind = move.type === 'copy' ? move.kind : null;
  if (bytes === null || bytesPerS === null || kind === 'HtoH') return null;
  const passes = kind === 'DtoD' ? 2 : 1;
  const memory = (passes * (bytes - (cacheBytes ?? LARGEST_CACHE))) / bytesPerS;
  const link = kind === 'PtoP' ? linkPeakOf(device?.name ?? null) : null;
  return Math.max(memory, link === null ? 0 : bytes / link) * NS_PER_S;
}

const impossibleMoves = (place: Place, moves: ImpossibleMoves): Found => ({
  ...place,
  what: `${moves.amounts} moved ${size(moves.bytes)} in ${time(moves.time)}, faster than the memory or links of ${moves.device} can: up to ${rate(moves.highest)} (${ranked(moves.kinds)})`,
  action:
    'the clock or the size in the profile is wrong. Do not rely on their times and rates; record again, and if it happens again, report it to the vendor of the profiler',
  stake: moves.floor,
  gain: null,
  kernels: [],
  ...atLongest(moves.longest),
  count: moves.count,
  evidence: {
    copies: moves.copies,
    sets: moves.sets,
    bytes: moves.bytes,
    timeNs: moves.time,
    leastNs: moves.floor,
    highestBytesPerS: moves.highest,
  },
  see: 'dparse FILE | jq \'select(.type=="copy" or .type=="set")\'',
});

/** Kernels above a peak, and copies and memsets above the peak of the memory or links. */
export const impossible: Rule = {
  ...IMPOSSIBLE,
  watch: () => {
    const kernels = impossibleKernels.watch();
    const devices = new ByDevice(() => new ImpossibleMoves());
    const profiles = new Map<number, ProfileRecord>();
    let looked = false;
    return {
      ...kernels,
      take: (record) => {
        if (record.type === 'profile') profiles.set(record.profile, record);
        if ((record.type !== 'copy' && record.type !== 'set') || !(Number(record.dur) > 0) || isCut(record)) return;
        const device = statedDevice(profiles.get(record.profile) ?? null, record.device);
        const [dur, bytes, floor] = [Number(record.dur), record.bytes ?? 0, floorOfMove(record, device)];
        if (floor === null) return;
        looked = true;
        if (floor <= dur) return;
        const moves = devices.of(record);
        if (record.type === 'copy') moves.copies++;
        else moves.sets++;
        moves.bytes += bytes;
        moves.time += dur;
        moves.floor += floor;
        moves.device = peaksOf(device).name;
        moves.highest = Math.max(moves.highest, (bytes / dur) * NS_PER_S);
        moves.longest = longerOf(moves.longest, { start: record.start, end: record.start + dur });
        moves.kinds.add(record.type === 'copy' ? (record.kind ?? 'copy') : 'set', dur);
      },
      end: (facts): RuleAnswer => {
        const { found, ...answer } = kernels.end(facts);
        const all = [...found, ...devices.all.map(({ of: moves, ...place }) => impossibleMoves(place, moves))];
        return looked ? { found: all } : { ...answer, found: all };
      },
    };
  },
};

/** Kernels that a library ran to choose an algorithm. Only the first steps have such work. */
export const autotuning = deviceRule({
  name: 'autotuning',
  vendors: LAUNCHING,
  about: 'profile',
  doc: 'kernels that a library ran to choose an algorithm while the profile was recorded',
  why: 'no kernel has a known op',
  start: () => new KernelTally(),
  row: (row, devices) => {
    const { record, role, op } = row;
    if (record.dur === null || role === null) return false;
    if (role === 'trial') devices.of(record).add(record, op ?? record.short, record.dur);
    return true;
  },
  findings: (tally) =>
    tally.count === 0
      ? []
      : [
          {
            what: `${many(tally.count, 'kernel')} ran only to choose an algorithm, ${tally.timeText}: ${ranked(tally.names)}`,
            action: ({ afterFirstSteps }) =>
              `start the profiler after the first steps${afterFirstSteps}: later steps reuse the choice`,
            ...tally.facts,
            see: "dprof --where 'role==trial' --by op,kernel -f table FILE",
          },
        ],
});

/** Ascend: ops that run on the AI CPUs instead of the AI Cores. */
export const aiCpu = deviceRule({
  name: 'ai-cpu',
  vendors: ['ascend'],
  doc: 'Ascend: ops that run on the AI CPU instead of the AI cores',
  why: 'no kernel has a core class (Ascend)',
  start: () => new KernelTally(),
  row: ({ record }, devices) => {
    if (!isOnCoreClass(record)) return false;
    const { engine, dur, labels, short } = record;
    if (engine === 'AI_CPU' && dur !== null && Number.isFinite(dur)) {
      devices.of(record).add(record, String(labels?.['opType'] ?? short), dur);
    }
    return true;
  },
  findings: (tally) => [
    {
      what: `${many(tally.count, 'op')} ${verb(tally.count, 'run')} on the AI CPU, ${tally.timeText}: ${ranked(tally.names)}`,
      action: 'use types and ops that the AI cores support (often int64 and float64 are the cause)',
      ...tally.facts,
      see: "dprof --where 'engine==AI_CPU' --by op,kernel -f table FILE",
    },
  ],
});

class Old extends KernelTally {
  arch = '';
  readonly built = new Set<number>();
}

/** Products that are not slower because of the architecture that their kernel was made for. */
const isExplained = ({ tc, unitUse }: Annotated): boolean =>
  /^align/.test(unitUse?.slowed?.id ?? '') || (tc === 0 && unitUse?.dtype === 'fp32');

/** sm86 and sm89 run kernels for sm80 with the same instructions, so only the generation counts. */
const generation = (sm: number): number => Math.floor(sm / 10);

/**
 * Products by kernels that were made for an older architecture than the device's. `alignment.ts` reports those that use old
 * kernels because of their extents; FP32 products that do not use the matrix unit would not be faster with newer kernels.
 */
export const oldArchitecture = deviceRule({
  name: 'old-architecture',
  vendors: ['nvidia'],
  doc: 'matrix products that run kernels built for an older architecture',
  why: 'no matrix products on an NVIDIA device of known architecture',
  start: () => new Old(),
  row: (row, devices) => {
    const { record, peaks } = row;
    const { dur } = record;
    const { arch } = peaks;
    const sm = arch === null ? null : smOf(arch);
    if (arch === null || sm === null || dur === null || !Number.isFinite(dur) || !row.isProduct) return false;
    const built = smInName(record.name);
    if (built === null || generation(built) >= generation(sm) || isExplained(row)) return true;
    const old = devices.of(record);
    old.arch = arch;
    old.built.add(built);
    old.add(record, record.short, dur);
    return true;
  },
  findings: (tally) => {
    const built = [...tally.built].sort((a, b) => a - b).map((sm) => `sm${sm}`);
    return [
      {
        what: `${many(tally.count, 'matrix product')} ${verb(tally.count, 'run')} kernels built for ${built.join(', ')} on ${tally.arch}, ${tally.timeText}: ${ranked(tally.names)}`,
        action: `try newer libraries (cuBLAS, cuDNN, FlashAttention, CUTLASS) with kernels for ${tally.arch}; an older kernel can still be the fastest for a shape`,
        ...tally.facts,
        evidence: { ...tally.facts.evidence, builtFor: built.join(', '), device: tally.arch },
        see: "dprof --where 'tc==1 || tc==0' --by kernel,tcwhy -f table FILE",
      },
    ];
  },
});
