/** Memory of real PyTorch traces: every figure was worked out by Python over their JSON. */
import { expect } from 'chai';
import { Memory, type MemoryReport } from '../../../src/prof/memory/memory-report.js';
import { fileOf, recordsOf } from '../../support/kineto.js';
import { pageOf } from '../../support/pages.js';
import { itShared } from '../../support/shared.js';
import { traced } from '../../support/trace-events.js';

const MANY = 1_000_000;

async function reportsOf(trace: string): Promise<MemoryReport[]> {
  const memory = new Memory(MANY);
  for (const record of await recordsOf(trace)) memory.take(record);
  return memory.reports;
}

interface ExpectedMemory {
  readonly trace: string;
  readonly device: number | null;
  readonly metric: string;
  readonly of: string;
  /** Bytes, ns, and the op of the last allocation. */
  readonly peak: readonly [number, number, string];
  /** [ns, bytes] after a quarter, a half and three quarters of the events, and the last bytes. */
  readonly curve: readonly (readonly [number, number])[];
  readonly last: number;
  readonly reserved: number | null;
  /** Ops at the peak, largest first: bytes and allocations. */
  readonly ops: readonly (readonly [string, number, number])[] | null;
}

const EXPECTED: readonly ExpectedMemory[] = [
  {
    ...{ trace: 'h100_owlv2', device: 0, metric: 'memory_allocated', of: 'CUDA' },
    peak: [2_707_847_680, 132_573_492, 'aten::_softmax'],
    ...{ curve: [[378_818_122, 966_018_560], [625_803_584, 1_858_170_880], [878_218_144, 934_196_224]], last: 917_445_120, reserved: 3_600_809_984 }, // prettier-ignore
    ops: [['aten::_softmax', 860_295_680, 1], ['aten::bmm', 860_295_680, 1], ['aten::empty', 53_094_400, 5], ['aten::add', 10_618_880, 1], ['aten::empty_strided', 6_097_920, 4]], // prettier-ignore
  },
  {
    ...{ trace: 'h100_owlv2', device: null, metric: 'memory_allocated', of: 'CPU' },
    peak: [152_680_988, 1_208_263_789, 'aten::mul'],
    ...{ curve: [[399_050_236, 35_380_200], [866_668_096, 93_947_632], [1_208_053_676, 152_639_488]], last: 0, reserved: null }, // prettier-ignore
    ops: [['aten::empty_strided', 152_514_992, 57], ['aten::max', 62_208, 2], ['aten::cat', 41_488, 2], ['aten::mul', 41_472, 1], ['aten::sigmoid', 20_736, 1]], // prettier-ignore
  },
  {
    ...{ trace: 'mi300_norm_layers_training', device: 0, metric: 'memory_allocated', of: 'HIP' },
    peak: [8_154_624, 1_177_453_787, 'aten::mean'],
    ...{ curve: [[1_173_426_297, 3_822_080], [1_177_958_300, 5_004_800], [1_180_125_735, 8_153_600]], last: 1_852_416, reserved: 8_388_608 }, // prettier-ignore
    ops: [['aten::empty', 5_389_824, 36], ['aten::empty_strided', 1_048_576, 2], ['aten::mse_loss', 1_048_576, 2], ['aten::mean', 1024, 2], ['aten::sum', 1024, 2]], // prettier-ignore
  },
  {
    ...{ trace: 'v100_resnet50_2021', device: 0, metric: 'memory_allocated_since_first', of: 'CUDA' },
    peak: [2_791_636_480, 122_011_000, 'aten::empty'],
    ...{
      curve: [
        [306_842_000, 2_466_223_616],
        [598_903_000, 19_267_584],
        [843_898_000, 2_466_223_616],
      ],
      last: 0,
    },
    ...{ reserved: null, ops: null },
  },
];

describe('memory of PyTorch traces', () => {
  for (const { trace, device, metric, of, peak, curve, last, reserved, ops } of EXPECTED) {
    itShared(`${trace}, ${of}`, [fileOf(trace)], async () => {
      const reports = await reportsOf(trace);
      const report = reports.find((one) => one.device === device);
      const { series, value, start, op, owners } = report?.peak ?? expect.fail();
      expect([series.metric, series.of, value, start, op]).to.deep.equal([metric, of, ...peak]);
      const { points } = series.curve;
      for (const [at, bytes] of curve) expect(points.find((point) => point.at === at)?.value).to.equal(bytes);
      expect(series.curve.last?.value).to.equal(last);
      const highest = report?.series.find((one) => one.metric === 'memory_reserved')?.curve.peak?.value;
      expect(highest ?? null).to.equal(reserved);
      const held = owners?.ops.slice(0, 5).map(({ name, bytes, allocations }) => [name, bytes, allocations]);
      expect(held ?? null).to.deep.equal(ops);
    });
  }

  itShared('the page has the curves, the trace for Perfetto the counters', [fileOf('h100_bert_small')], async () => {
    const records = await recordsOf('h100_bert_small');
    // 218 events of the device, 18 of the host; reserved memory does not change.
    const curves = pageOf(records).memory.map(({ device, metric, name, points, peak }) => [device, metric, name, points.length, peak]); // prettier-ignore
    expect(curves).to.deep.equal([
      [0, 'memory_allocated', 'CUDA', 218, 101_305_344],
      [0, 'memory_reserved', 'CUDA', 1, 121_634_816],
      [null, 'memory_allocated', 'CPU', 18, 16],
    ]);
    const { counters } = traced(records).shown;
    const of = (name: string): number[] =>
      counters.filter(({ track }) => track.path.includes(name)).map(({ value }) => value);
    const allocated = of('memory_allocated component=CUDA');
    expect([allocated.length, Math.max(...allocated)]).to.deep.equal([218, 101_305_344]);
    expect(of('memory_allocated component=CPU').length).to.equal(18);
    expect(of('memory_reserved component=CUDA')).to.deep.equal([121_634_816]);
  });
});
