/** Steps of real traces: kernels whose launch lies in the window of a step, added up from the JSON alone. */
import { expect } from 'chai';
import type { ProfileLine } from '../../../src/record/record.js';
import { Steps } from '../../../src/prof/steps/steps.js';
import { correlationOf, fileOf, rawTraceOf, recordsOf, traceOf, type RawEvent } from '../../support/kineto.js';
import { itEachShared } from '../../support/shared.js';

/** Step, time of all kernels, time of those that its own thread launched, in ns. */
type StepTime = readonly [step: number, all: number, own: number];

const CALLS = new Set(['cuda_runtime', 'cuda_driver', 'hip_runtime', 'runtime', 'Runtime']);
const KERNELS = new Set(['kernel', 'Kernel']);

const ns = (microseconds: number): number => Math.round(microseconds * 1000);

function fromJson(trace: string): StepTime[] {
  const complete = rawTraceOf(trace).traceEvents.filter(({ ph }) => ph === 'X');
  const of = (categories: ReadonlySet<string>): RawEvent[] => complete.filter(({ cat }) => categories.has(cat ?? ''));
  const calls = new Map(of(CALLS).map((call) => [correlationOf(call), call]));
  const kernels = of(KERNELS);
  const steps = of(new Set(['user_annotation', 'Operator'])).filter(({ name }) => name.startsWith('ProfilerStep#'));
  return steps
    .sort((a, b) => a.ts - b.ts)
    .map((step) => {
      let [all, own] = [0, 0];
      for (const kernel of kernels) {
        const call = calls.get(correlationOf(kernel));
        if (call === undefined || call.ts < step.ts || call.ts >= step.ts + (step.dur ?? 0)) continue;
        all += ns(kernel.dur ?? 0);
        if (call.tid === step.tid) own += ns(kernel.dur ?? 0);
      }
      return [Number(step.name.slice('ProfilerStep#'.length)), all, own];
    });
}

/** Rows of all devices of a step, added up: a trace of one rank has one device. */
function fromRecords(records: readonly ProfileLine[]): StepTime[] {
  const steps = new Steps();
  for (const record of records) steps.take(record);
  return steps.profiles.flatMap(({ rows }) =>
    rows.flatMap(({ step, kernelTimes: { all, own } }) => (typeof step === 'number' ? [[step, all, own ?? NaN]] : [])),
  );
}

const SAMPLED = [
  ...['a100_nccl_metadata', 'a100_rank3of8_training', 'h100_bert_small', 'h100_qwen', 'h100_vit'],
  ...['mi300_bert_small', 'mi300_resnet_training', 'v100_resnet50_2021', 'ranks/sampled_rank-0'],
  'ranks/sampled_rank-1',
];
/** Of one step, and large. */
const OTHERS = ['h100_owlv2', 'mi300_sd35_compiled'];

describe('kernels of the steps of traces', () => {
  itEachShared(SAMPLED.map(fileOf), OTHERS.map(fileOf), traceOf, async (_, file) => {
    const trace = traceOf(file);
    expect(fromRecords(await recordsOf(trace))).to.deep.equal(fromJson(trace));
  });
});
