/**
 * What a profile should make its reader look at: one rule a line, each with the numbers that it rests on.
 *
 * Sources of limits: AWS Neuron's documentation of its profiler (loads above two, transposes above 10 % of FLOPs,
 * spills above 25 % of what is read, DMA of 4 KiB and more); the others are ours.
 */
import { counted } from '../../record/plural.js';
import { hardwareFlops, moved, slowFlops, tensorBytes, transposeFlops } from './flops.js';
import { isUnknown, ratio, type Amount, type Metric, type Sums, type Unknown } from './metric.js';
import { said } from './quantity.js';

export interface Warning {
  readonly rule: string;
  readonly text: string;
  readonly evidence: Readonly<Record<string, number | string>>;
}

type Finding = Omit<Warning, 'rule'>;

export interface Rule {
  readonly id: string;
  /** When it warns, for people. */
  readonly when: string;
  readonly find: (sums: Sums, metrics: readonly Metric[]) => readonly Finding[];
}

const MOST_LOADS = 2;
const MOST_TRANSPOSES = 0.1;
const MOST_SPILLS = 0.25;
const LEAST_DMA = 4096;
const TINY_DMA = 2048;
const MOST_SINGLE = 0.1;
/** Below it a throttled window is noise. */
const LEAST_LOST = 0.01;
const NAMED_AT_MOST = 5;

const share = (part: Amount, whole: Amount): number => {
  const value = ratio(part, whole);
  return typeof value === 'number' ? value : 0;
};
const percent = (fraction: number): string => said(fraction, 'fraction');
const bytes = (size: number): string => said(size, 'bytes');

function reloadedTensors({ tensors, loads }: Sums): Finding[] {
  const known = tensors.filter((tensor) => (tensor.bytes ?? 0) > 0);
  const found = known.map(({ name, bytes: size }) => ({ name, times: (loads.bytes.get(name) ?? 0) / (size ?? 1) }));
  const often = found.filter(({ times }) => times > MOST_LOADS).sort((a, b) => b.times - a.times);
  return often.slice(0, NAMED_AT_MOST).map(({ name, times }) => ({
    text: `${name} is loaded into the state buffer ${times.toFixed(1)} times: keep it there, or tile so that it is used while it is there`,
    evidence: { tensor: name, times, limit: MOST_LOADS },
  }));
}

function rereadMemory(sums: Sums): Finding[] {
  const read = moved(sums, 'hbmReadBytes');
  const least = tensorBytes(sums, ['input', 'weight']);
  const times = share(read, least);
  if (typeof read !== 'number' || typeof least !== 'number' || times <= MOST_LOADS) return [];
  const told = sums.loads.named === 0 ? '; which tensors, the capture does not tell' : '';
  return [
    {
      text: `device memory is read ${times.toFixed(1)} times over: ${bytes(read)} for ${bytes(least)} of inputs and weights${told}`,
      evidence: { hbmReadBytes: read, inputsAndWeightsBytes: least, times, limit: MOST_LOADS },
    },
  ];
}

function throttled({ throttling, totalPs }: Sums): Finding[] {
  if (totalPs === null || totalPs <= 0) return [];
  return [...throttling.cores].flatMap(([core, { observed, limited, kinds }]) => {
    const time = (limited.time * 1000) / totalPs;
    const lost = ((observed.time - observed.allowed) * 1000) / totalPs;
    if (lost < LEAST_LOST) return [];
    const by = [...kinds].filter(([, windows]) => windows.allowed < windows.time).map(([kind]) => kind);
    return [
      {
        text: `core ${core} is throttled for ${percent(time)} of the time in ${counted(limited.count, 'window')} (${by.join(', ')}), on average to ${percent(limited.allowed / limited.time)} of its rate: up to ${percent(lost)} of the time is lost`,
        evidence: { core, windows: limited.count, timeShare: time, lostShare: lost, kinds: by.join(',') },
      },
    ];
  });
}

function smallPackets({ sizes }: Sums): Finding[] {
  const { median, packets } = sizes;
  if (median === null || median >= LEAST_DMA) return [];
  const small = sizes.below(LEAST_DMA);
  const tiny = sizes.below(TINY_DMA);
  const of = (part: { packets: number; bytes: number }): string =>
    `${percent(part.packets / packets)} of them with ${percent(part.bytes / Math.max(1, sizes.bytes))} of the bytes`;
  return [
    {
      text: `half of ${packets} DMA packets have at most ${bytes(median)}; below 4 KiB: ${of(small)}; below 2 KiB: ${of(tiny)}: packets of 4 KiB and more use the engines well`,
      evidence: {
        packets,
        medianBytes: median,
        below4KiBPackets: small.packets,
        below4KiBBytes: small.bytes,
        below2KiBPackets: tiny.packets,
        below2KiBBytes: tiny.bytes,
        ...Object.fromEntries(sizes.histogram.map(([least, count]) => [`from${least}Bytes`, count])),
      },
    },
  ];
}

function transposes(sums: Sums): Finding[] {
  const all = hardwareFlops(sums);
  const part = transposeFlops(sums);
  const value = share(part, all);
  if (value <= MOST_TRANSPOSES || typeof all !== 'number' || typeof part !== 'number') return [];
  return [
    {
      text: `${percent(value)} of the FLOPs only transpose (${said(part, 'FLOP')} of ${said(all, 'FLOP')}): another layout of the operands may save them`,
      evidence: { transposeFlops: part, hardwareFlops: all, share: value, limit: MOST_TRANSPOSES },
    },
  ];
}

function singlePrecision(sums: Sums): Finding[] {
  const all = hardwareFlops(sums);
  const slow = slowFlops(sums);
  if (slow === null || share(slow, all) <= MOST_SINGLE || typeof all !== 'number') return [];
  const value = slow / all;
  return [
    {
      text: `${percent(value)} of the FLOPs are in FP32, which runs at a quarter of the BF16 rate that utilizations are held against`,
      evidence: { fp32Flops: slow, hardwareFlops: all, share: value, limit: MOST_SINGLE },
    },
  ];
}

function spills(sums: Sums): Finding[] {
  const reloaded = sums.reported.get('')?.get('spill_reload_bytes')?.value;
  const read = moved(sums, 'hbmReadBytes');
  const value = typeof reloaded === 'number' ? share(reloaded, read) : 0;
  const reserved = [...sums.memory].find(([use]) => /spill/i.test(use) && !/rings/i.test(use))?.[1] ?? 0;
  const found: Finding[] = [];
  if (typeof reloaded === 'number' && value > MOST_SPILLS) {
    found.push({
      text: `${percent(value)} of what is read from device memory are spilled results (${bytes(reloaded)})`,
      evidence: { spillReloadBytes: reloaded, share: value, limit: MOST_SPILLS },
    });
  } else if (reserved > 0) {
    found.push({
      text: `${bytes(reserved)} of device memory are reserved for results that do not fit into the state buffer`,
      evidence: { spillReservedBytes: reserved },
    });
  }
  return found;
}

/** One for everything that the input lacks and that could be had: the metrics that are unknown without it. */
function missing(sums: Sums, metrics: readonly Metric[]): Finding[] {
  const byReason = new Map<string, { readonly amount: Unknown; readonly names: string[] }>();
  for (const { name, of } of metrics) {
    const amount = of(sums);
    if (!isUnknown(amount) || amount.remedy === undefined) continue;
    const entry = byReason.get(amount.unknown) ?? { amount, names: [] };
    byReason.set(amount.unknown, entry);
    entry.names.push(name);
  }
  return [...byReason].map(([reason, { amount, names }]) => {
    const shown = names.slice(0, NAMED_AT_MOST).join(', ');
    const more = names.length > NAMED_AT_MOST ? ` and ${names.length - NAMED_AT_MOST} more` : '';
    return {
      text: `${shown}${more} not known: ${reason}; ${amount.remedy ?? ''}`,
      evidence: { metrics: names.join(','), reason },
    };
  });
}

function untimed({ engines, packets }: Sums): Finding[] {
  const instructions = [...engines.values()].reduce((sum, spans) => sum + spans.untimed, 0);
  if (instructions + packets.untimed === 0) return [];
  return [
    {
      text: `${instructions} instructions and ${packets.untimed} packets have no duration: times are too short by theirs`,
      evidence: { instructions, packets: packets.untimed },
    },
  ];
}

export const RULES: readonly Rule[] = [
  { id: 'tensor-reload', when: 'a tensor is loaded into the state buffer more than twice', find: reloadedTensors },
  {
    id: 'memory-reread',
    when: 'more than twice the size of inputs and weights is read from device memory',
    find: rereadMemory,
  },
  { id: 'throttled', when: 'limits take at least 1 % of the time', find: throttled },
  {
    id: 'small-dma',
    when: 'half of the DMA packets have less than 4 KiB, instruction fetch aside',
    find: smallPackets,
  },
  { id: 'transposes', when: 'more than 10 % of the FLOPs only transpose', find: transposes },
  { id: 'single-precision', when: 'more than 10 % of the FLOPs are in FP32', find: singlePrecision },
  { id: 'spill', when: 'spilled results are over 25 % of what is read, or memory is reserved for them', find: spills },
  { id: 'untimed', when: 'instructions or packets have no duration', find: untimed },
  {
    id: 'unknown',
    when: 'the input lacks what metrics are computed from, and something can be done about it',
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

export const warningsOf = (sums: Sums, metrics: readonly Metric[]): Warning[] =>
  RULES.flatMap(({ id, find }) => find(sums, metrics).map((finding) => ({ rule: id, ...finding })));
