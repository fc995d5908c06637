/**
 * Warnings about a profile: the findings of each rule, with the numbers on which they are based.
 *
 * Sources of limits: AWS Neuron's documentation of its profiler (loads above two, transposes above 10 % of FLOPs,
 * spills above 25 % of what is read, DMA of 4 KiB and more); the others are ours.
 */
import { entryOf } from '../../containers/map-entry.js';
import { counted } from '../../record/plural.js';
import { amountText } from '../../record/units.js';
import { hardwareFlops, moved, slowFlops, tensorBytes, transposeFlops } from './flops.js';
import { isUnknown, ratio, type MetricAmount, type Metric, type MetricSums } from './metric.js';

export interface MetricWarning {
  readonly rule: string;
  readonly text: string;
  readonly evidence: Readonly<Record<string, number | string>>;
}

type WarningDetail = Omit<MetricWarning, 'rule'>;

export interface WarningRule {
  readonly id: string;
  /** Condition of the warning, as text. */
  readonly when: string;
  readonly find: (sums: MetricSums, metrics: readonly Metric[]) => WarningDetail | readonly WarningDetail[] | null;
}

const MOST_LOADS = 2;
const MOST_TRANSPOSES = 0.1;
const MOST_SPILLS = 0.25;
const LEAST_DMA = 4096;
const TINY_DMA = 2048;
const MOST_SINGLE = 0.1;
/** Minimum share of the time; less throttling is noise. */
const LEAST_LOST = 0.01;
const MOST_NAMED = 5;

const share = (part: MetricAmount, whole: MetricAmount): number => {
  const value = ratio(part, whole);
  return typeof value === 'number' ? value : 0;
};
const percent = (fraction: number): string => amountText(fraction, 'share');
const bytes = (size: number): string => amountText(size, 'transfer');

function reloadedTensors({ tensors, loads }: MetricSums): WarningDetail[] {
  const loaded = tensors.flatMap(({ name, bytes: size }) => {
    const moved = loads.bytes.get(name);
    return moved === undefined || size === null || size <= 0 ? [] : [{ name, times: moved / size }];
  });
  const often = loaded.filter(({ times }) => times > MOST_LOADS).sort((a, b) => b.times - a.times);
  return often.slice(0, MOST_NAMED).map(({ name, times }) => ({
    text: `${name} is loaded into the state buffer ${times.toFixed(1)} times: keep it there, or tile so that it is used while it is there`,
    evidence: { tensor: name, times, limit: MOST_LOADS },
  }));
}

function rereadMemory(sums: MetricSums): WarningDetail | null {
  const read = moved(sums, 'hbmReadBytes');
  const least = tensorBytes(sums, ['input', 'weight']);
  const times = share(read, least);
  if (typeof read !== 'number' || typeof least !== 'number' || times <= MOST_LOADS) return null;
  const unnamed = sums.loads.named === 0 ? '; the capture does not name the tensors' : '';
  return {
    text: `${bytes(read)} are read from device memory, ${times.toFixed(1)} times the size of inputs and weights (${bytes(least)})${unnamed}`,
    evidence: { hbmReadBytes: read, inputsAndWeightsBytes: least, times, limit: MOST_LOADS },
  };
}

function throttled({ throttling, totalPs }: MetricSums): WarningDetail[] {
  if (totalPs === null || totalPs <= 0) return [];
  return [...throttling.cores].flatMap(([core, { observed, limited, kinds }]) => {
    const time = (limited.time * 1000) / totalPs;
    const lostNs = observed.time - observed.allowed;
    const lost = (lostNs * 1000) / totalPs;
    if (lost < LEAST_LOST) return [];
    const by = [...kinds].filter(([, windows]) => windows.allowed < windows.time).map(([kind]) => kind);
    return [
      {
        text: `core ${core} is throttled for ${percent(time)} of the time (${by.join(', ')}, ${counted(limited.count, 'window')}) to ${percent(limited.allowed / limited.time)} of its rate, which costs up to ${amountText(lostNs, 'time')}`,
        evidence: { core, windows: limited.count, timeShare: time, lostShare: lost, kinds: by.join(',') },
      },
    ];
  });
}

function smallPackets({ sizes }: MetricSums): WarningDetail | null {
  const { median, packets } = sizes;
  if (median === null || median >= LEAST_DMA) return null;
  const small = sizes.below(LEAST_DMA);
  const tiny = sizes.below(TINY_DMA);
  return {
    text: `${percent(small.packets / packets)} of ${packets} DMA packets (without instruction fetch) are under 4 KiB (median ${bytes(median)}) and carry ${percent(small.bytes / Math.max(1, sizes.bytes))} of the bytes; aim for 4 KiB or more`,
    evidence: {
      packets,
      medianBytes: median,
      below4KiBPackets: small.packets,
      below4KiBBytes: small.bytes,
      below2KiBPackets: tiny.packets,
      below2KiBBytes: tiny.bytes,
      ...Object.fromEntries(sizes.histogram.map(([least, count]) => [`from${least}Bytes`, count])),
    },
  };
}

function transposes(sums: MetricSums): WarningDetail | null {
  const all = hardwareFlops(sums);
  const part = transposeFlops(sums);
  const value = share(part, all);
  if (value <= MOST_TRANSPOSES || typeof all !== 'number' || typeof part !== 'number') return null;
  return {
    text: `${percent(value)} of the FLOPs are transposes (${amountText(part, 'flop')} of ${amountText(all, 'flop')}), which another layout of the operands may avoid`,
    evidence: { transposeFlops: part, hardwareFlops: all, share: value, limit: MOST_TRANSPOSES },
  };
}

function singlePrecision(sums: MetricSums): WarningDetail | null {
  const all = hardwareFlops(sums);
  const slow = slowFlops(sums);
  if (slow === null || share(slow, all) <= MOST_SINGLE || typeof all !== 'number') return null;
  const value = slow / all;
  return {
    text: `${percent(value)} of the FLOPs are in FP32, which runs at a quarter of the BF16 rate (utilization is relative to BF16)`,
    evidence: { fp32Flops: slow, hardwareFlops: all, share: value, limit: MOST_SINGLE },
  };
}

function spills(sums: MetricSums): WarningDetail | null {
  const reloaded = sums.reported.get('')?.get('spill_reload_bytes')?.value;
  const read = moved(sums, 'hbmReadBytes');
  const value = typeof reloaded === 'number' ? share(reloaded, read) : 0;
  const reserved = [...sums.memory].find(([use]) => /spill/i.test(use) && !/rings/i.test(use))?.[1];
  if (typeof reloaded === 'number' && value > MOST_SPILLS) {
    return {
      text: `${percent(value)} of the bytes read from device memory are spilled results (${bytes(reloaded)})`,
      evidence: { spillReloadBytes: reloaded, share: value, limit: MOST_SPILLS },
    };
  }
  if (reserved !== undefined && reserved > 0) {
    return {
      text: `${amountText(reserved, 'memory')} of device memory are reserved for spills from the state buffer`,
      evidence: { spillReservedBytes: reserved },
    };
  }
  return null;
}

/** One finding for each reason of unknown metrics that the user can fix. */
function missing(sums: MetricSums, metrics: readonly Metric[]): WarningDetail[] {
  const byReason = new Map<string, { readonly remedy: string; readonly names: string[] }>();
  for (const { name, of: amountOf } of metrics) {
    const amount = amountOf(sums);
    if (!isUnknown(amount) || amount.remedy === undefined) continue;
    const { unknown, remedy } = amount;
    entryOf(byReason, unknown, () => ({ remedy, names: [] })).names.push(name);
  }
  return [...byReason].map(([reason, { remedy, names }]) => {
    const shown = names.slice(0, MOST_NAMED).join(', ');
    const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
    return {
      text: `${shown}${more} unknown: ${reason}; ${remedy}`,
      evidence: { metrics: names.join(','), reason },
    };
  });
}

function untimed({ engines, packets }: MetricSums): WarningDetail | null {
  const instructions = [...engines.values()].reduce((sum, spans) => sum + spans.untimed, 0);
  if (instructions + packets.untimed === 0) return null;
  return {
    text: `${instructions} instructions and ${packets.untimed} packets have no duration, so times are too short`,
    evidence: { instructions, packets: packets.untimed },
  };
}

export const WARNING_RULES: readonly WarningRule[] = [
  { id: 'tensor-reload', when: 'a tensor is loaded into the state buffer more than twice', find: reloadedTensors },
  {
    id: 'memory-reread',
    when: 'more than twice the size of inputs and weights is read from device memory',
    find: rereadMemory,
  },
  { id: 'throttled', when: 'throttling costs at least 1 % of the time', find: throttled },
  {
    id: 'small-dma',
    when: 'half of the DMA packets are under 4 KiB (without instruction fetch)',
    find: smallPackets,
  },
  { id: 'transposes', when: 'more than 10 % of the FLOPs are transposes', find: transposes },
  { id: 'single-precision', when: 'more than 10 % of the FLOPs are in FP32', find: singlePrecision },
  {
    id: 'spill',
    when: 'spilled results are over 25 % of the bytes read, or memory is reserved for spills',
    find: spills,
  },
  { id: 'untimed', when: 'instructions or packets have no duration', find: untimed },
  {
    id: 'unknown',
    when: 'the input lacks data for metrics that another input has',
    find: missing,
  },
  {
    id: 'notice',
    when: "the vendor's tool itself warned",
    find: ({ notices }) =>
      notices.map(({ text, category }) => ({
        text: `the vendor's tool says: ${text}`,
        evidence: { category: category ?? 'na' },
      })),
  },
];

export const detailsOf = ({ find }: WarningRule, sums: MetricSums, metrics: readonly Metric[]): WarningDetail[] =>
  [find(sums, metrics) ?? []].flat();

export const warningsOf = (sums: MetricSums, metrics: readonly Metric[]): MetricWarning[] =>
  WARNING_RULES.flatMap((rule) => detailsOf(rule, sums, metrics).map((detail) => ({ rule: rule.id, ...detail })));
