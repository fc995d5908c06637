import { expect } from 'chai';
import fc from 'fast-check';
import {
  readRequests,
  readServingStep,
  servingStepAround,
  withRequests,
  readStepName,
  STEP_NAME_BEGINNINGS,
  type LengthSums,
  type ServedPart,
  type ServingStep,
} from '../../src/record/serving-step.js';

interface Sequence {
  readonly queries: number;
  readonly keys: number;
}

/** The sums, one pair of positions after the other. */
function sumsOf(sequences: readonly Sequence[]): LengthSums {
  const sums = { queries: 0, keys: 0, squares: 0, pairs: 0 };
  for (const { queries, keys } of sequences) {
    sums.keys += keys;
    for (let q = 0; q < queries; q++) {
      sums.queries++;
      for (let other = 0; other < queries; other++) sums.squares++;
      for (let k = 0; k < keys; k++) sums.pairs++;
    }
  }
  return sums;
}

const partOf = (sequences: readonly Sequence[]): ServedPart => ({
  requests: sequences.length,
  tokens: sumsOf(sequences).queries,
  lengths: sumsOf(sequences),
});

const sequences = (most: number) =>
  fc
    .array(fc.record({ queries: fc.integer({ min: 1, max: most }), before: fc.nat(30) }), { maxLength: 4 })
    .map((list) => list.map(({ queries, before }): Sequence => ({ queries, keys: queries + before })));

const vllm = (all: readonly Sequence[], context: readonly Sequence[], generation: readonly Sequence[]): string => {
  const text = (part: readonly Sequence[]): string => {
    const { queries, keys, squares, pairs } = sumsOf(part);
    return `${part.length}(sq${queries}sk${keys}sqsq${squares}sqsk${pairs})`;
  };
  return `execute_${sumsOf(all).queries}_context_${text(context)}_generation_${text(generation)}`;
};

const fields = (prefix: string, part: readonly Sequence[]): string => {
  const { queries, keys, squares, pairs } = sumsOf(part);
  return `${prefix}sq=${queries} ${prefix}sqsq=${squares} ${prefix}sqsk=${pairs} ${prefix}sk=${keys}`;
};

describe('names of the steps of servers', () => {
  it('lengths are those of the sequences, in the forms of vLLM and SGLang', () => {
    fc.assert(
      fc.property(sequences(20), sequences(3), (context, generation) => {
        const all = [...context, ...generation];
        const phase =
          all.length === 0 ? null : generation.length === 0 ? 'prefill' : context.length === 0 ? 'decode' : 'mixed';
        const expected: ServingStep = {
          ...{ phase, batch: all.length, tokens: sumsOf(all).queries },
          ...{ context: partOf(context), generation: partOf(generation), lengths: sumsOf(all) },
        };
        const mixed = `step[MIXED bs=${all.length} c=${context.length} g=${generation.length} ${fields('c_', context)} ${fields('g_', generation)}]`;
        expect(readServingStep(vllm(all, context, generation))).to.deep.equal(expected);
        expect(readServingStep(mixed)).to.deep.equal(expected);
        if (phase === 'prefill') {
          const { queries, keys, squares, pairs } = sumsOf(all);
          expect(readServingStep(`step[EXTEND bs=${all.length} toks=${queries} ${fields('c_', all)}]`)).to.deep.equal(
            expected,
          );
          expect(
            readServingStep(
              `prefill[bs=${all.length} tok=${queries} ctx=[3, 4]...+2 sqsq=${squares} sqsk=${pairs} sk=${keys} tbo=1]`,
            ),
          ).to.deep.equal(expected);
        }
        if (phase === 'decode') {
          const { queries, keys, squares, pairs } = sumsOf(all);
          expect(readServingStep(`step[DECODE bs=${all.length} ${fields('g_', all)}]`)).to.deep.equal(expected);
          expect(
            readServingStep(
              `decode[bs=${all.length}/64 tok=${queries} d=${all.length} sqsq=${squares} sqsk=${pairs} sk=${keys}]`,
            ),
          ).to.deep.equal(expected);
        }
      }),
    );
  });

  type Expected = Pick<ServingStep, 'phase' | 'batch' | 'tokens'> & {
    readonly context: readonly [requests: number | null, tokens: number | null];
    readonly generation: readonly [requests: number | null, tokens: number | null];
    readonly pairs: number | null;
  };
  const step = (
    phase: ServingStep['phase'],
    batch: number | null,
    tokens: number | null,
    context: Expected['context'],
    generation: Expected['generation'],
    pairs: number | null = null,
  ): Expected => ({ phase, batch, tokens, context, generation, pairs });
  const unknown = step(null, null, null, [null, null], [null, null]);

  const forms: readonly (readonly [text: string, expected: Expected])[] = [
    ['execute_context_2(14721)_generation_0(0)', step('prefill', 2, 14721, [2, 14721], [0, 0])],
    ['execute_context_0(0)_generation_32(128)', step('decode', 32, 128, [0, 0], [32, 128])],
    ['execute_context_2(6144)_generation_3(3)', step('mixed', 5, 6147, [2, 6144], [3, 3])],
    ['execute_context_1(888_788544)_generation_0(0)', step('prefill', 1, 888, [1, 888], [0, 0])],
    ['execute_context_1(x)_generation_0(0)', step('prefill', 1, null, [1, null], [0, 0])],
    ['execute_0_context_0(sq0sk0sqsq0sqsk0)_generation_0(sq0sk0sqsq0sqsk0)', step(null, 0, 0, [0, 0], [0, 0], 0)],
    ['[Executor] _forward_step 12: 1 ctx reqs, 5 gen reqs', step('mixed', 6, null, [1, null], [5, null])],
    [
      'TensorRT-LLM:[Executor] _forward_step 12: 1 ctx reqs, 300 ctx tokens, 0 gen reqs',
      step('prefill', 1, 300, [1, 300], [0, 0]),
    ],
    ['executeStep: 0 ctx reqs, 64 gen reqs', step('decode', 64, null, [0, 0], [64, null])],
    ['execute_model: 2 reqs, 9 toks', step(null, 2, 9, [null, null], [null, null])],
    [
      'execute_model: 2 reqs, 9 toks#request_id1=cmpl-a,request_id2=cmpl-b#',
      step(null, 2, 9, [null, null], [null, null]),
    ],
    ['execute_new_2_cached_6', step(null, 8, null, [null, null], [null, null])],
    ['execute_diffusion_1_1024x1024', unknown],
    ['gpu_model_runner: forward', unknown],
    ['v2_gpu_model_runner: forward', unknown],
    ['step[EXTEND bs=15 toks=15360]', step('prefill', 15, 15360, [15, 15360], [0, 0])],
    ['step[EXTEND bs=2 toks=12 c_sqsq=80 c_sqsk=120 c_sk=20]', step('prefill', 2, 12, [2, 12], [0, 0], 120)],
    ['step[DECODE bs=32]', step('decode', 32, 32, [0, 0], [32, 32])],
    ['step[DECODE bs=2 g_sqsq=2 g_sqsk=30 g_sk=30]', step('decode', 2, 2, [0, 0], [2, 2], 30)],
    ['step[TARGET_VERIFY bs=4]', step('decode', 4, null, [0, 0], [4, null])],
    ['step[TARGET_VERIFY bs=1 g_sq=4 g_sqsq=16 g_sqsk=40 g_sk=10]', step('decode', 1, 4, [0, 0], [1, 4], 40)],
    ['step[MIXED bs=2]', step('mixed', 2, null, [null, null], [null, null])],
    ['step[IDLE bs=0]', unknown],
    ['prefill[bs=1 tok=7 ctx=7]', step('prefill', 1, 7, [1, 7], [0, 0])],
    ['eager_decode[bs=3 tok=3 ctx=[5, 6, 7]]', step('decode', 3, 3, [0, 0], [3, 3])],
    ['decode[bs=32 tok=128 d=32 spec=3]', step('decode', 32, 128, [0, 0], [32, 128])],
    ['decode[bs=128 tok=384 p=2 d=126 sqsq=9 sqsk=900 sk=400]', step('mixed', 128, 384, [2, null], [126, null], 900)],
    [`step[DECODE bs=${'9'.repeat(20)}]`, step(null, null, null, [0, 0], [null, null])],
  ];
  for (const [text, expected] of forms) {
    it(text, () => {
      const found = readServingStep(text);
      const { context, generation, ...whole } = found ?? { ...unknown, context: null, generation: null };
      expect({
        ...{ phase: whole.phase, batch: whole.batch, tokens: whole.tokens },
        context: [context?.requests, context?.tokens],
        generation: [generation?.requests, generation?.tokens],
        pairs: found?.lengths?.pairs ?? null,
      }).to.deep.equal(expected);
      expect(readStepName(text)).to.deep.equal({ number: null });
      expect(STEP_NAME_BEGINNINGS.some((beginning) => text.startsWith(beginning))).to.equal(true);
    });
  }

  for (const text of [
    'dummy_decode[bs=2 tok=2 d=2]',
    'capture_32_DECODE',
    'ProfilerStep#3',
    'prefill',
    'decode[x]',
    '',
  ]) {
    it(`not ${text}`, () => expect(readServingStep(text)).to.equal(null));
  }

  it('around work: the innermost, with the lengths of one around it that says the same', () => {
    const detailed = 'execute_2_context_0(sq0sk0sqsq0sqsk0)_generation_2(sq2sk30sqsq2sqsk30)';
    expect(servingStepAround(['a', detailed, 'step[DECODE bs=2]', 'b'])).to.deep.equal(readServingStep(detailed));
    const draft = 'step[DECODE bs=7]';
    expect(servingStepAround([detailed, draft])).to.deep.equal(readServingStep(draft));
    expect(servingStepAround(['a', 'ProfilerStep#1'])).to.equal(null);
  });
});

describe('ids of requests', () => {
  it('are those of the metadata of a step, and those that ranges of one request name', () => {
    const texts: readonly (readonly [text: string, ids: readonly string[]])[] = [
      [withRequests('execute_model: 2 reqs, 9 toks', ['cmpl-7f-2', 'b', 'b']), ['cmpl-7f-2', 'b']],
      [withRequests('execute_model: 0 reqs, 0 toks', []), []],
      ['request_12', ['12']],
      ['Req_3_Prefill', ['3']],
      ['REQ 7f3a-01', ['7f3a-01']],
      ['request.warmup.2', ['warmup.2']],
      ['request id: cmpl-9', ['cmpl-9']],
      ['server:request_12', ['12']],
      ['request iteration', []],
      ['requests 12', []],
      ['request', []],
      ['required_2', []],
      ['execute_context_1(30)_generation_2(2)', []],
    ];
    for (const [text, ids] of texts) expect(readRequests(text), text).to.deep.equal(ids);
  });
});
