import { expect } from 'chai';
import fc from 'fast-check';
import type { KernelFacts, Work } from '../../../../src/ops/family.js';
import { readServingStep } from '../../../../src/record/serving-step.js';
import type { Arg, OpCall } from '../../../../src/record/record.js';
import { aten, none, t, v } from '../../../support/calls.js';
import { float, forward, int, workOf } from '../../../support/amounts.js';

const BF16 = 'bfloat16';
const [HEADS, SHARED, WIDTH] = [4, 2, 16];
const of = (mod: string, op: string, ...args: readonly Arg[]): OpCall => ({ ...aten(op, ...args), mod });

interface Sequence {
  readonly queries: number;
  readonly keys: number;
}

const served = (context: readonly Sequence[], generation: readonly Sequence[]): KernelFacts => {
  const text = (part: readonly Sequence[]): string => {
    const sum = (of: (sequence: Sequence) => number): number => part.reduce((all, one) => all + of(one), 0);
    const [q, k] = [sum(({ queries }) => queries), sum(({ keys }) => keys)];
    return `${part.length}(sq${q}sk${k}sqsq${sum(({ queries }) => queries ** 2)}sqsk${sum(({ queries, keys }) => queries * keys)})`;
  };
  return { ...forward, serving: readServingStep(`execute_1_context_${text(context)}_generation_${text(generation)}`) };
};

const rowsOf = (sequences: readonly Sequence[]): number => sequences.reduce((all, { queries }) => all + queries, 0);

/** Multiply-adds of each query with each key, and bytes of each sequence, one after the other. */
function directly(sequences: readonly Sequence[]): { flops: number; kept: number; bytes: number } {
  let [flops, kept, bytes] = [0, 0, 0];
  for (const { queries, keys } of sequences) {
    for (let q = 0; q < queries; q++)
      for (let k = 0; k < keys; k++) {
        flops += HEADS * 2 * (WIDTH + WIDTH);
        if (k <= keys - queries + q) kept++;
      }
    bytes += 2 * (queries * HEADS * WIDTH * 2 + keys * SHARED * WIDTH * 2);
  }
  return { flops, kept, bytes };
}

/** Its kernel writes the log-sum-exp of each row and head too, FP32. */
function withLogSums(sequences: readonly Sequence[]): { flops: number; bytes: number } {
  const { flops, bytes } = directly(sequences);
  return { flops, bytes: bytes + 4 * HEADS * rowsOf(sequences) };
}

const onlyAmounts = (sequences: readonly Sequence[]): unknown => {
  const { flops, bytes } = directly(sequences);
  return { flops, bytes };
};

const cache = t([500, 16, SHARED, WIDTH], BF16);
const offsets = (sequences: number): Arg => t([sequences + 1], 'int32');

/** Of flash-attention on a paged cache, causal. */
const paged = (rows: number, sequences: number, left = -1): OpCall =>
  of(
    'flash_attn',
    '_flash_attn_varlen_forward',
    ...[t([rows, HEADS, WIDTH], BF16), cache, cache, offsets(sequences), offsets(sequences), int(20), int(900)],
    ...[float(0), float(0.25), v(true), int(left), int(-1), float(0), none, v(false), t([sequences, 57], 'int32')],
    ...[none, none],
  );

const unified = (rows: number): OpCall => {
  const [q, k] = [t([rows, HEADS, WIDTH], BF16), t([rows, SHARED, WIDTH], BF16)];
  return of('vllm', 'unified_attention_with_output', q, k, k, q, none, none);
};

const decode = (op: string, rows: number): OpCall => {
  const q = t([rows, HEADS, WIDTH], BF16);
  if (op === 'ragged') {
    const rest = [offsets(rows), t([900], 'int32'), t([rows], 'int32'), none];
    return of('sglang_profiler', 'attention_paged_attention_ragged_100', q, t([99], 'uint8'), q, cache, cache, ...rest);
  }
  const blocks = [t([500, SHARED, WIDTH / 8, 16, 8], BF16), t([500, SHARED, WIDTH, 16], BF16)];
  const partial = op === 'paged_attention_v1' ? [] : [t([rows, HEADS, 9]), t([rows, HEADS, 9]), q];
  const rest = [int(SHARED), float(0.25), t([rows, 57], 'int32'), t([rows], 'int32'), int(16), int(900)];
  return of(op === 'paged_attention' ? '_rocm_C' : '_C', op, q, ...partial, q, ...blocks, ...rest);
};

const numbers = (work: Work | null): unknown => ({ flops: work?.flops, bytes: work?.bytes });

const sequences = (most: number, fewest: number) =>
  fc
    .array(fc.record({ queries: fc.integer({ min: 1, max: most }), before: fc.nat(30) }), {
      minLength: fewest,
      maxLength: 4,
    })
    .map((list) => list.map(({ queries, before }): Sequence => ({ queries, keys: queries + before })));

describe("attention by the lengths of a server's step", () => {
  it('is the sum over all sequences, whatever part a causal mask keeps', () => {
    fc.assert(
      fc.property(sequences(20, 0), sequences(3, 1), fc.nat(8), (context, generation, padding) => {
        const all = [...context, ...generation];
        const { flops, kept, bytes } = directly(all);
        const launched = served(context, generation);
        const share = ((100 * kept * HEADS * 4 * WIDTH) / flops).toFixed(2);
        const work = workOf(paged(rowsOf(all), all.length), launched);
        expect(numbers(work)).to.deep.equal(withLogSums(all));
        expect(work?.formula).to.contain(`the mask keeps ${share} %`);
        expect(work?.unknown).to.equal(undefined);
        const filled = rowsOf(all) + padding;
        expect(numbers(workOf(paged(filled, all.length + padding), launched))).to.deep.equal(withLogSums(all));
        expect(numbers(workOf(unified(filled), launched))).to.deep.equal({ flops, bytes: null });
        expect(workOf(unified(filled), launched)?.unknown).to.contain(`${bytes} bytes without a window`);
        expect(workOf(unified(filled), launched)?.formula).to.contain(`a causal mask leaves ${share} %`);
      }),
    );
  });

  const context = [
    { queries: 40, keys: 60 },
    { queries: 30, keys: 30 },
  ];
  const generation = [
    { queries: 1, keys: 90 },
    { queries: 1, keys: 50 },
    { queries: 1, keys: 7 },
  ];

  for (const op of ['ragged', 'paged_attention_v1', 'paged_attention_v2', 'paged_attention']) {
    it(`of one query a sequence, the cache an argument: ${op}`, () => {
      const { flops, bytes } = directly(generation);
      for (const rows of [3, 8])
        expect(numbers(workOf(decode(op, rows), served([], generation)))).to.deep.equal({ flops, bytes });
      // the generating part of a mixed batch
      expect(numbers(workOf(decode(op, 3), served(context, generation)))).to.deep.equal({ flops, bytes });
      expect(numbers(workOf(decode(op, 3), forward))).to.deep.equal({ flops: null, bytes: null });
      expect(workOf(decode(op, 3), forward)?.unknown).to.contain('neither the arguments nor the step');
    });
  }

  it('takes one part of a mixed batch where rows or the name of the op say so', () => {
    const launched = served(context, generation);
    const numbersOf = (call: OpCall): unknown => numbers(workOf(call, launched));
    expect(numbersOf(paged(73, 5))).to.deep.equal(withLogSums([...context, ...generation]));
    expect(numbersOf(paged(70, 2))).to.deep.equal(withLogSums(context));
    expect(numbersOf(paged(3, 3))).to.deep.equal(withLogSums(generation));
    // filled up to 4 rows: by the name alone
    expect(numbersOf(decode('paged_attention_v1', 4))).to.deep.equal(onlyAmounts(generation));
    for (const [rows, number] of [
      [71, 5],
      [4, 4],
      [2, 2],
      [73, 4],
    ] as const)
      expect(numbersOf(paged(rows, number)), `${rows} rows`).to.deep.equal({ flops: null, bytes: null });
    // both parts have three rows
    const even = served([{ queries: 3, keys: 3 }], generation);
    expect(numbers(workOf(paged(3, 3), even))).to.deep.equal({ flops: null, bytes: null });
  });

  it('reads an unknown part of the cache under a sliding window, but for whole prompts', () => {
    const { flops } = directly(context);
    expect(numbers(workOf(paged(70, 2, 8), served(context, [])))).to.deep.equal({ flops, bytes: null });
    expect(workOf(paged(70, 2, 8), served(context, []))?.unknown).to.contain('window');
    const whole = [
      { queries: 9, keys: 9 },
      { queries: 7, keys: 7 },
    ];
    expect(numbers(workOf(paged(16, 2, 8), served(whole, [])))).to.deep.equal(withLogSums(whole));
  });

  it('packed sequences without a cache: where both rows and keys are those of the step', () => {
    const packed = (rows: number, keys: number): OpCall => {
      const [q, k] = [t([rows, HEADS, WIDTH], BF16), t([keys, SHARED, WIDTH], BF16)];
      const ends = [float(0), float(0.25), v(true), int(-1), int(-1), float(0), none, v(false), none, none, none];
      return of('flash_attn', '_flash_attn_varlen_forward', q, k, k, offsets(2), offsets(2), int(40), int(60), ...ends);
    };
    const { flops } = directly(context);
    expect(workOf(packed(70, 90), served(context, generation))?.flops).to.equal(flops);
    expect(workOf(packed(70, 91), served(context, generation))?.flops).to.equal(null);
    expect(workOf(packed(71, 90), served(context, []))?.flops).to.equal(null);
  });

  it('nothing of a step without lengths', () => {
    const launched = { ...forward, serving: readServingStep('step[DECODE bs=3]') };
    expect(numbers(workOf(paged(3, 3), launched))).to.deep.equal({ flops: null, bytes: null });
  });
});
