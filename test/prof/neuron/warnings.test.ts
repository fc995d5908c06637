import { expect } from 'chai';
import { MetricSummaries } from '../../../src/prof/neuron/metric-summary.js';
import { WARNING_RULES, type MetricWarning } from '../../../src/prof/neuron/warnings.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { instruction, neuronProfile, notice, packet, sample, tensor, throttle } from '../../support/neuron.js';

const warningsOf = (records: readonly ProfileLine[]): readonly MetricWarning[] => {
  const summaries = new MetricSummaries();
  for (const record of [neuronProfile(), ...records]) summaries.take(record);
  return summaries.all[0]?.warnings ?? [];
};

const product = (elements: number, type: 'REGULAR' | 'TRANSPOSE', dtype = 'bfloat16') =>
  instruction('MATMUL', 'Tensor', 0, 100, {
    counters: { elements, hbmReadBytes: 0 },
    labels: { type },
    operands: `src=${dtype}@0x1`,
  });
const reading = (bytes: number) => instruction('DMA_DIRECT2D', 'Sync', 0, 10, { counters: { hbmReadBytes: bytes } });
const load = (variable: string, bytes: number, dest = 'SB') =>
  packet('data', 0, 10, bytes, { labels: { variable, source: 'WEIGHT', dest } });
const spilled = (bytes: number) => sample('spill_reload_bytes', bytes, { from: 'summary' }, { unit: 'bytes' });
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);

interface Case {
  readonly rule: string;
  /** Records of which the rule must warn, and similar ones of which it must not. */
  readonly fires: readonly ProfileLine[];
  readonly silent: readonly ProfileLine[];
  readonly evidence: Readonly<Record<string, unknown>>;
  readonly text: RegExp;
}

const CASES: readonly Case[] = [
  {
    rule: 'tensor-reload',
    fires: [tensor('w', 'weight', 1000), ...times(3, load('w', 1000))],
    silent: [tensor('w', 'weight', 1000), ...times(2, load('w', 1000)), load('w', 9000, 'VIRTUAL'), load('x', 9000)],
    evidence: { tensor: 'w', times: 3 },
    text: /^w is loaded into the state buffer 3\.0 times/,
  },
  {
    rule: 'memory-reread',
    fires: [tensor('w', 'weight', 1000), tensor('q', 'input', 1000), reading(5000)],
    silent: [tensor('w', 'weight', 1000), tensor('q', 'input', 1000), reading(4000)],
    evidence: { times: 2.5 },
    text: /5 kB are read from device memory, 2\.5 times the size of inputs and weights \(2 kB\); the capture does not name the tensors/,
  },
  {
    rule: 'throttled',
    // Half of 2 of 10 us
    fires: [throttle(8, 8, 0, 2000, 'activity_0'), throttle(4, 8, 2000, 2000)],
    silent: [throttle(8, 8, 0, 9000, 'activity_0'), throttle(4, 8, 9000, 100)],
    evidence: { core: 4, windows: 1, timeShare: 0.2, lostShare: 0.1, kinds: 'activity_1' },
    text: /core 4 is throttled for 20\.0 % of the time \(activity_1, 1 window\) to 50\.0 % .* up to 1 us$/,
  },
  {
    rule: 'small-dma',
    fires: [...times(3, packet('input', 0, 10, 512)), packet('input', 0, 10, 8192)],
    silent: [...times(3, packet('input', 0, 10, 4096)), ...times(9, packet('instruction', 0, 10, 64))],
    evidence: { packets: 4, medianBytes: 512, below2KiBPackets: 3, below4KiBBytes: 1536, from512Bytes: 3 },
    text: /75\.0 % of 4 DMA packets \(without instruction fetch\) are under 4 KiB \(median 512 B\) and carry 15\.8 % of the bytes/,
  },
  {
    rule: 'transposes',
    fires: [product(800, 'REGULAR'), product(200, 'TRANSPOSE')],
    silent: [product(900, 'REGULAR'), product(100, 'TRANSPOSE')],
    evidence: { transposeFlops: 400, hardwareFlops: 2000, share: 0.2 },
    text: /^20\.0 % of the FLOPs are transposes/,
  },
  {
    rule: 'single-precision',
    fires: [product(800, 'REGULAR'), product(200, 'REGULAR', 'fp32')],
    silent: [product(900, 'REGULAR'), product(100, 'REGULAR', 'fp32')],
    evidence: { fp32Flops: 400, share: 0.2 },
    text: /^20\.0 % of the FLOPs are in FP32/,
  },
  {
    rule: 'spill',
    fires: [spilled(300), reading(1000)],
    silent: [spilled(200), reading(1000), sample('memory', 0, { kind: 'DRAM Spill' }, { start: null })],
    evidence: { spillReloadBytes: 300, share: 0.3 },
    text: /^30\.0 % of the bytes read/,
  },
  {
    rule: 'spill',
    fires: [sample('memory', 2048, { kind: 'DRAM Spill' }, { start: null })],
    silent: [sample('memory', 2048, { kind: 'DMA Rings Spill' }, { start: null })],
    evidence: { spillReservedBytes: 2048 },
    text: /^2 KiB of device memory are reserved/,
  },
  {
    rule: 'untimed',
    fires: [instruction('NOP', 'Sync', 0, 1), { ...instruction('NOP', 'Sync', 0, 1), dur: null }],
    silent: [instruction('NOP', 'Sync', 0, 1)],
    evidence: { instructions: 1, packets: 0 },
    text: /^1 instructions and 0 packets/,
  },
  {
    rule: 'unknown',
    fires: [tensor('w', 'weight', 1), instruction('MATMUL', 'Tensor', 0, 100)],
    silent: [tensor('w', 'weight', 1), product(100, 'REGULAR')],
    evidence: {
      reason: 'instructions have no sizes: records of older versions of dparse and traces without programs lack them',
    },
    text: /^hardware_flops, .* and \d+ more unknown: .*; run dparse FILE\.ntff again, or give dparse the JSON/,
  },
  {
    rule: 'notice',
    fires: [notice('no statistics')],
    silent: [],
    evidence: { category: 'Missing Data' },
    text: /^the vendor's tool says: no statistics$/,
  },
];

describe('warnings of a Neuron profile', () => {
  for (const { rule, fires, silent, evidence, text } of CASES) {
    it(`${rule}: ${text.source}`, () => {
      const [warning, ...others] = warningsOf(fires).filter((one) => one.rule === rule);
      expect(others).to.deep.equal([]);
      expect(warning?.text).to.match(text);
      expect(warning?.evidence).to.deep.include(evidence);
      expect(warningsOf(silent).filter((one) => one.rule === rule)).to.deep.equal([]);
    });
  }

  it('are all tried here', () => {
    expect(WARNING_RULES.map(({ id }) => id)).to.have.members([...new Set(CASES.map(({ rule }) => rule))]);
  });
});
