/** Categories of allocations by their rules, and those of a model whose parameters are known. */
import { expect } from 'chai';
import { linesOf } from '../../support/notes.js';
import { readProfile } from '../../../src/parse/profile.js';
import { CATEGORIES } from '../../../src/prof/memory/allocations.js';
import { MemoryTimeline } from '../../../src/prof/memory/memory-timeline.js';
import type { ProfileLine, RangeKind } from '../../../src/record/record.js';
import { A100, profileOn } from '../../support/devices.js';
import { sample } from '../../support/neuron.js';
import { itShared } from '../../support/shared.js';

const ENGINE = 'autograd::engine::evaluate_function: ';
const [MAIN, BACKWARD] = [1, 2];

const range = (text: string, start: number, end: number, tid = MAIN, kind: RangeKind = 'op'): ProfileLine => ({
  ...{ type: 'range', profile: 0, kind, start, dur: end - start, pid: 9, tid, domain: null, text },
});
/** Bytes that an op allocates; null for memory that is not released. */
const held = (bytes: number, op: string, start: number, end: number | null): ProfileLine => ({
  ...sample('op_memory', bytes, { op }, { start, device: 0, unit: 'bytes' }),
  dur: end === null ? null : end - start,
});
const step = (number: number, start: number, end: number): ProfileLine => ({
  ...sample('step', number, {}, { start, device: null, unit: null }),
  dur: end - start,
});

/** A step of a training: forward [100, 200), backward [300, 500) on a thread of its own, optimizer [600, 700), end 800. */
const STEP = [
  profileOn(A100),
  step(1, 0, 800),
  range('aten::linear', 100, 200),
  range('aten::addmm', 110, 190),
  range(`${ENGINE}AddmmBackward0`, 300, 400, BACKWARD),
  range('AddmmBackward0', 301, 399, BACKWARD),
  range('aten::mm', 310, 390, BACKWARD),
  range(`${ENGINE}torch::autograd::AccumulateGrad`, 410, 500, BACKWARD),
  range('Optimizer.step#Adam.step', 600, 700, MAIN, 'annotation'),
  range('aten::zeros_like', 610, 620),
];

/** Category by bytes, which differ. */
function categoriesOf(records: readonly ProfileLine[]): Record<number, string | undefined> {
  const timeline = new MemoryTimeline(0);
  const startOf = (record: ProfileLine): number => ('start' in record ? (record.start ?? 0) : -1);
  for (const record of records.toSorted((a, b) => startOf(a) - startOf(b))) timeline.take(record);
  const raw = JSON.parse([...timeline.finish().facts.raw()].join('')) as number[][];
  return Object.fromEntries(
    raw.filter(([, action]) => action === 1).map(([, , bytes = NaN, category = NaN]) => [bytes, CATEGORIES[category]]),
  );
}

describe('categories of allocations', () => {
  it('follow from what they were allocated in, and when they were released', () => {
    const allocations = [
      // Within linear, beyond addmm; to its backward node; to the optimizer; not within the profile.
      ...[held(1, 'aten::addmm', 120, 195), held(2, 'aten::addmm', 121, 350), held(3, 'aten::addmm', 122, 650)],
      held(4, 'aten::addmm', 123, null),
      // Within its node; to that of the next; beyond the pass.
      ...[held(5, 'aten::mm', 320, 395), held(6, 'aten::mm', 321, 450), held(7, 'aten::mm', 322, 900)],
      // By the optimizer: within its op, its step, and beyond.
      ...[held(8, 'aten::zeros_like', 611, 615), held(9, 'aten::zeros_like', 612, 690)],
      held(10, 'aten::zeros_like', 613, null),
      // By no op that is open then, and outside of all.
      ...[held(11, 'ReduceSum7', 130, 140), held(12, 'aten::addmm', 750, 760)],
    ];
    expect(categoriesOf([...STEP, ...allocations])).to.deep.equal({
      ...{ 1: 'TEMPORARY', 2: 'ACTIVATION', 3: 'unknown', 4: 'unknown', 5: 'TEMPORARY', 6: 'AUTOGRAD_DETAIL' },
      ...{ 7: 'GRADIENT', 8: 'TEMPORARY', 9: 'unknown', 10: 'OPTIMIZER_STATE', 11: 'unknown', 12: 'unknown' },
    });
  });

  it('are unknown where several threads are in the op, and but for temporary ones without steps', () => {
    const other = range('aten::addmm', 105, 195, 7);
    expect(categoriesOf([...STEP, other, held(1, 'aten::addmm', 120, 195)])).to.deep.equal({ 1: 'unknown' });
    const noSteps = STEP.filter(({ type }) => type !== 'sample');
    const allocations = [held(1, 'aten::addmm', 120, 195), held(2, 'aten::addmm', 121, 350), held(7, 'aten::mm', 322, 900)]; // prettier-ignore
    expect(categoriesOf([...noSteps, ...allocations])).to.deep.equal({ 1: 'TEMPORARY', 2: 'unknown', 7: 'unknown' });
  });

  it('do not look again at threads that have ended', function () {
    this.timeout(20_000);
    const count = 60_000;
    const tasks = Array.from({ length: count }, (_, i) => range('aten::mul', i, i + 0.5, 100 + i));
    const last = range('aten::addmm', count, 3 * count);
    const allocations = Array.from({ length: count }, (_, i) => held(i + 1, 'aten::addmm', count + i, count + i + 1));
    const found = Object.values(categoriesOf([profileOn(A100), ...tasks, last, ...allocations]));
    expect(new Set(found)).to.deep.equal(new Set(['TEMPORARY']));
  });

  it('count what is unknown', () => {
    const timeline = new MemoryTimeline(0);
    for (const record of [...STEP, held(30, 'x', 750, 760), held(10, 'x', 751, 761)]) timeline.take(record);
    expect(linesOf(timeline.finish().notes)).to.deep.equal([
      '2 allocations of unknown category, 100.0 % of the bytes allocated',
    ]);
  });

  const alexnet = 'data/ascend/text_level1_rank0/ASCEND_PROFILER_OUTPUT/trace_view.json';
  itShared('are a gradient for each parameter of AlexNet, and its size', [alexnet], ([path = '']) => {
    const timeline = new MemoryTimeline(0);
    for (const record of readProfile(path, { profile: 0, ranges: true })) timeline.take(record);
    const raw = JSON.parse([...timeline.finish().facts.raw()].join('')) as number[][];
    const of = (category: string): number[] =>
      raw.flatMap(([, action, bytes = NaN, number = NaN]) => (action === 1 && CATEGORIES[number] === category ? [bytes] : [])); // prettier-ignore
    const weights = [64 * 3 * 121, 192 * 64 * 25, 384 * 192 * 9, 256 * 384 * 9, 256 * 256 * 9, 4096 * 9216, 4096 * 4096, 1000 * 4096]; // prettier-ignore
    const parameters = [...weights, 64, 192, 384, 256, 256, 4096, 4096, 1000].map((elements) => 4 * elements);
    const gradients = of('GRADIENT').sort((a, b) => a - b);
    expect(gradients).to.have.length(parameters.length);
    // The allocator adds up to 1 KB; the gradients of two convolutions are in a format with padding.
    const beyond = parameters.sort((a, b) => a - b).map((bytes, i) => (gradients[i] ?? NaN) - bytes);
    expect(beyond.filter((bytes) => bytes >= 0 && bytes <= 1024)).to.have.length(14);
    expect(beyond.every((bytes, i) => bytes >= 0 && bytes <= 0.3 * (parameters[i] ?? NaN) + 1024)).to.equal(true);
    // The first convolution's result: 32 images, 64 channels, 55 by 55.
    expect(of('ACTIVATION').some((bytes) => bytes - 4 * 32 * 64 * 55 * 55 < 1e6 && bytes > 4 * 32 * 64 * 55 * 55)).to.equal(true); // prettier-ignore
  });
});
