/** Steps of LLM servers: tokens, their rates, and the parts of the model. */
import { expect } from 'chai';
import {
  columnsOf,
  SERVING_STEP_COLUMNS,
  STEP_COLUMNS,
  type StepRow,
} from '../../../../src/prof/steps/step-columns.js';
import { Steps } from '../../../../src/prof/steps/steps.js';
import { ProfileSummaries } from '../../../../src/prof/summary/summaries.js';
import type { PhaseSummary } from '../../../../src/prof/steps/serving/serving-summary.js';
import { sectionsOf } from '../../../../src/cli/screens/summary-sections.js';
import type { KernelRecord, ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { fileOf, isKernel, rawTraceOf, recordsOf } from '../../../support/kineto.js';
import { linesOf } from '../../../support/notes.js';
import { kernel } from '../../../support/kernels.js';
import { itShared } from '../../../support/shared.js';

const INPUT = { file: undefined, isPartial: false, isWhole: true } as const;

const rowsOf = (records: readonly ProfileLine[]): readonly StepRow[] => {
  const steps = new Steps();
  for (const record of records) steps.take(record);
  return steps.profiles.flatMap(({ rows }) => rows);
};

const valuesOf = (row: StepRow | undefined): Record<string, unknown> =>
  Object.fromEntries(SERVING_STEP_COLUMNS.map((column) => [column.key, row === undefined ? null : column.value(row)]));

const summaryOf = (records: readonly ProfileLine[]) => {
  const summaries = new ProfileSummaries();
  for (const record of records) summaries.take(record);
  const [summary] = summaries.all;
  return summary ?? expect.fail('no profile');
};

const phases = (records: readonly ProfileLine[]): readonly PhaseSummary[] => summaryOf(records).steps?.serving ?? [];

const step = (number: number, start: number, dur: number, text: string): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur, device: null, metric: 'step', value: number, unit: null },
  labels: { text, pid: 10, tid: 100 },
});

const work = (number: number, start: number, dur: number, name: string, ...ranges: string[]): KernelRecord =>
  kernel({ step: number, start, dur, name, short: name, ranges });

const PREFILL = 'step[EXTEND bs=2 toks=500]';
const DECODE = 'execute_context_0(0)_generation_4(4)';
const VERIFY = 'step[TARGET_VERIFY bs=4 g_sq=12 g_sqsq=36 g_sqsk=300 g_sk=100]';

const RECORDS: readonly ProfileLine[] = [
  step(0, 0, 1000, PREFILL),
  work(0, 100, 300, 'flash_fwd_kernel', PREFILL),
  work(0, 400, 500, 'sm90_xmma_gemm_bf16', PREFILL),
  // The host goes on while the device works.
  step(1, 1000, 50, DECODE),
  work(1, 1000, 200, 'fused_moe_kernel', DECODE),
  step(2, 1050, 50, DECODE),
  work(2, 1200, 100, 'fused_moe_kernel', DECODE),
  work(2, 1300, 100, 'ncclDevKernel_AllReduce', DECODE),
  step(3, 1100, 600, VERIFY),
  work(3, 1400, 100, 'rms_norm', VERIFY),
  work(3, 1500, 100, 'rms_norm', VERIFY),
];

describe('steps of servers', () => {
  it('have tokens over their time, which is at least the time that the device was busy with them', () => {
    const [prefill, first, second, verify, all] = rowsOf(RECORDS);
    expect(valuesOf(prefill)).to.deep.equal({
      ...{ phase: 'prefill', batch: 2, context_tokens: 500, generation_tokens: 0, tokens_per_s: 500e9 / 1000 },
      ...{ time_per_output_token: null, attention: 300, projection: 500, experts: 0, sampling: 0, other: 0 },
    });
    // Iteration 50, busy 200.
    expect(valuesOf(first)).to.deep.equal({
      ...{ phase: 'decode', batch: 4, context_tokens: 0, generation_tokens: 4, tokens_per_s: 4e9 / 200 },
      ...{ time_per_output_token: 200, attention: 0, projection: 0, experts: 200, sampling: 0, other: 0 },
    });
    expect(valuesOf(second)).to.include({ tokens_per_s: 4e9 / 200, time_per_output_token: 200, experts: 100 });
    // Three tokens of a request are guesses, some of which may be rejected.
    expect(valuesOf(verify)).to.include({ generation_tokens: 12, tokens_per_s: 12e9 / 600, other: 200 });
    expect(valuesOf(verify)).to.include({ phase: 'decode', time_per_output_token: null });
    expect(all?.step).to.equal('all');
    expect(valuesOf(all)).to.deep.equal({
      ...{ phase: null, batch: null, context_tokens: null, generation_tokens: null, tokens_per_s: null },
      ...{ time_per_output_token: null, attention: 300, projection: 500, experts: 300, sampling: 0, other: 200 },
    });
  });

  it('are those of a step of the profiler around them, but for several in one', () => {
    const records = [
      step(7, 0, 100, 'ProfilerStep#7'),
      work(7, 10, 20, 'rms_norm', 'ProfilerStep#7', DECODE),
      step(8, 100, 100, 'ProfilerStep#8'),
      work(8, 110, 20, 'rms_norm', 'ProfilerStep#8', DECODE),
      work(8, 130, 20, 'rms_norm', 'ProfilerStep#8', PREFILL),
      work(8, 150, 20, 'rms_norm', 'ProfilerStep#8'),
    ];
    const [one, several] = rowsOf(records);
    expect(valuesOf(one)).to.include({ phase: 'decode', tokens_per_s: 4e9 / 100, other: 20 });
    expect(valuesOf(several)).to.include({ phase: null, batch: null, tokens_per_s: null, other: 40 });
  });

  it('are noted where the device works for less than a tenth of their time', () => {
    const notesOf = (...records: readonly ProfileLine[]): readonly string[] => {
      const steps = new Steps();
      for (const record of records) steps.take(record);
      return linesOf(steps.finish().notes);
    };
    const idle = [step(0, 0, 1000, DECODE), work(0, 900, 99, 'rms_norm', DECODE)];
    expect(notesOf(...idle)).to.deep.equal([
      '1 step with few tokens per second because the device is mostly idle: busy for less than 10 % of the step (dprof advise says what it waits for)',
    ]);
    expect(notesOf(step(0, 0, 1000, DECODE), work(0, 900, 100, 'rms_norm', DECODE))).to.deep.equal([]);
    // One step on two devices is one; a step whose work is lost may not be idle.
    expect(notesOf(...idle, { ...work(0, 900, 99, 'rms_norm', DECODE), device: 1 })).to.deep.equal(notesOf(...idle));
    const untimed = { ...work(0, 950, 9, 'rms_norm', DECODE), dur: null };
    expect(notesOf(...idle, untimed).filter((note) => note.includes('tokens'))).to.deep.equal([]);
  });

  it('add no column where no step is one', () => {
    const rows = rowsOf([step(0, 0, 100, 'step 0'), work(0, 10, 20, 'rms_norm', 'step 0')]);
    expect(columnsOf(rows)).to.equal(STEP_COLUMNS);
    const plain = summaryOf([step(0, 0, 100, 'step 0'), work(0, 10, 20, 'rms_norm', 'step 0')]);
    expect(plain.steps).to.not.have.property('serving');
    expect(plain.steps?.list[0]).to.not.have.property('served');
    expect(sectionsOf(plain, INPUT).map(({ title }) => title)).to.not.include.members(['Serving']);
  });

  it('add up by phase', () => {
    const [prefill, decode, ...rest] = phases(RECORDS);
    const nothing = { attention: 0, projection: 0, experts: 0, sampling: 0, communication: 0, other: 0 };
    expect(rest).to.deep.equal([]);
    expect(prefill).to.deep.equal({
      ...{ phase: 'prefill', steps: 1, batch: { min: 2, max: 2 }, contextTokens: 500, generationTokens: 0 },
      ...{ time: 1000, tokensPerS: 5e8, timePerOutputToken: null, deviceTime: 1000, idle: 200 },
      parts: { ...nothing, attention: 300, projection: 500 },
    });
    expect(decode).to.deep.equal({
      ...{ phase: 'decode', steps: 3, batch: { min: 4, max: 4 }, contextTokens: 0, generationTokens: 20 },
      // 200 + 200 + 600, of it busy 600
      ...{ time: 1000, tokensPerS: 2e7, timePerOutputToken: 200, deviceTime: 1000, idle: 400 },
      parts: { ...nothing, experts: 300, communication: 100, other: 200 },
    });
    const section = sectionsOf(summaryOf(RECORDS), INPUT).find(({ title }) => title.startsWith('Serving'));
    expect(section?.rows.map(([text]) => text)).to.deep.equal([
      'prefill: 1 step of 2 requests, 500000000 tokens/s',
      '  tokens: 500 context; device idle 20.0 % of the time',
      '  projection 62.5 %, attention 37.5 %',
      'decode: 3 steps of 4 requests, 20000000 tokens/s, 0.200 us per output token',
      '  tokens: 20 generated; device idle 40.0 % of the time',
      '  experts 50.0 %, other 33.3 %, communication 16.7 %',
    ]);
  });

  it('are no phase where no step names one, or a request, as of diffusion models', () => {
    const name = 'execute_diffusion_1';
    const records = [step(0, 0, 1000, name), work(0, 100, 300, 'attn_fwd', name)];
    expect(rowsOf(records)[0]?.served).to.not.equal(null);
    expect(phases(records)).to.deep.equal([]);
    const one = [step(0, 0, 1000, VERIFY), work(0, 100, 300, 'attn_fwd', VERIFY)];
    expect(phases(one).map(({ steps, batch }) => [steps, batch])).to.deep.equal([[1, { min: 4, max: 4 }]]);
  });

  it('on two devices: tokens once, kernel times of both', () => {
    const second = RECORDS.map((record) => (record.type === 'kernel' ? { ...record, device: 1 } : record));
    const kernels = second.filter(({ type }) => type === 'kernel');
    const [prefill, decode] = phases(
      [...RECORDS, ...kernels].sort((a, b) => ('start' in a && 'start' in b ? Number(a.start) - Number(b.start) : 0)),
    );
    expect(prefill).to.include({ steps: 1, contextTokens: 500, time: 1000, deviceTime: 2000, idle: 400 });
    expect(decode).to.include({ steps: 3, generationTokens: 20, tokensPerS: 2e7, deviceTime: 2000 });
    expect(decode?.parts.experts).to.equal(600);
  });
});

/** Kernels of each part by words in their names that are those of the models of these files alone. */
const WORDS: Readonly<Record<string, RegExp>> = {
  attention:
    /kernel_unified_attention|reduce_segments|reshape_and_cache|paged_attention|FmhaBatchPrefill|store_kvcache/,
  projection: /^Cijk_/,
  experts: /^_(?:matmul_ogs|topk_forward|sum_bitmatrix|combined_routing|finalize_matmul)/,
  sampling: /ArgMaxOps/,
};

describe('steps of real servers', () => {
  const files = [
    ['graphs/sglang_prefill_paged', { phase: 'prefill', batch: 15, context_tokens: 15360, generation_tokens: 0 }],
    ['graphs/vllm_decode.replay', { phase: 'decode', batch: 32, context_tokens: 0, generation_tokens: 32 }],
    ['mi300_hipgraph_decode', { phase: 'decode', batch: 32, context_tokens: 0, generation_tokens: 32 }],
  ] as const;
  for (const [file, says] of files) {
    itShared(`${file}: by the names of kernels and of the step in the JSON`, [fileOf(file)], async () => {
      const records = await recordsOf(file);
      const [row] = rowsOf(records);
      const values = valuesOf(row);
      const kernels = rawTraceOf(file).traceEvents.filter(isKernel);
      const nanoseconds = (pattern: RegExp): number =>
        kernels.reduce((sum, { name, dur = 0 }) => sum + (pattern.test(name) ? dur * 1000 : 0), 0);
      // Times of the trace are rounded to ns each.
      for (const [part, pattern] of Object.entries(WORDS))
        expect(values[part], part).to.be.closeTo(nanoseconds(pattern), kernels.length);
      expect(values).to.include(says);
      const time = Math.max(row?.iteration ?? NaN, row?.times.busy ?? NaN);
      expect(values['tokens_per_s']).to.be.closeTo(((says.context_tokens + says.generation_tokens) * 1e9) / time, 1e-6);
      expect(values['time_per_output_token']).to.equal(says.phase === 'decode' ? time : null);
      const parts = ['attention', 'projection', 'experts', 'sampling', 'other'].map((part) => Number(values[part]));
      expect(parts.reduce((sum, part) => sum + part, 0)).to.equal(row?.kernelTimes.all);
    });
  }
});
