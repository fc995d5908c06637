import { expect } from 'chai';
import { requireColumn } from '../../../src/prof/columns/columns.js';
import {
  MissingCounters,
  bytesByCounters,
  flopsByCounters,
  tensorUseByCounters,
} from '../../../src/prof/columns/counter-columns.js';
import { parseWhere } from '../../../src/prof/query/kernel-query.js';
import { kernel, mm } from '../../support/kernels.js';
import { annotate } from '../../support/rows.js';

const SASS = 'smsp__sass_thread_inst_executed_op_';
const COUNTERS = {
  [`${SASS}fadd_pred_on.sum`]: 100,
  [`${SASS}fmul_pred_on.sum`]: 0,
  [`${SASS}ffma_pred_on.sum`]: 1000,
  [`${SASS}hadd_pred_on.sum`]: 0,
  [`${SASS}hmul_pred_on.sum`]: 10,
  [`${SASS}hfma_pred_on.sum`]: 0,
  'sm__inst_executed_pipe_tensor.sum': 0,
  'dram__bytes_read.sum': 3000,
  'dram__bytes_write.sum': 96,
};

describe('columns of counters', () => {
  it('that no kernel has are named', () => {
    const columns = ['op', 'counter:n', 'counter:m', 'counter:m'].map(requireColumn);
    const missing = new MissingCounters(columns);
    for (const row of annotate([kernel({ counters: { n: 0 } }), kernel({})])) missing.take(row);
    expect(missing.names).to.deep.equal(['m']);
    expect(missing.hasNumbers).to.equal(false);
  });

  it('with a number in place of a name are noticed where counters are shown or looked for', () => {
    const rows = annotate([kernel({ counters: { 'metric#20971523': 0.5 } })]);
    const noticed = (key: string): boolean => {
      const counters = new MissingCounters([requireColumn(key)]);
      for (const row of rows) counters.take(row);
      return counters.hasNumbers;
    };
    expect(['counters', 'counter:achieved_occupancy', 'op'].map(noticed)).to.deep.equal([true, true, false]);
  });

  const [row] = annotate([kernel({ calls: [mm(8, 4, 16)], mod: ['torch'], op: ['mm'], counters: COUNTERS })]);
  const value = (key: string): unknown => (row === undefined ? undefined : requireColumn(key).value(row));

  it('are the work that the device counted, over that of the formula', () => {
    expect(['hwflops', 'hwbytes', 'hwtc'].map(value)).to.deep.equal([2110, 3096, 0]);
    // 2·M·N·K.
    expect(value('hwflopsratio')).to.equal(2110 / (2 * 8 * 4 * 16));
    expect(value('hwbytesratio')).to.equal(3096 / Number(value('bytes')));
  });

  it('are each counter by its name, to filter by too', () => {
    expect(value('counter:dram__bytes_read.sum')).to.equal(3000);
    expect(value('counter:toString')).to.equal(null);
    const passes = (text: string): boolean => row !== undefined && parseWhere(text)(row);
    expect(passes('counter:dram__bytes_read.sum>=3000 && op==mm')).to.equal(true);
    expect(passes('counter:dram__bytes_read.sum>3000')).to.equal(false);
    expect(passes('counter:none==na')).to.equal(true);
    expect(() => requireColumn('counter:')).to.throw("unknown column 'counter:'");
  });
});

describe("AMD's counters", () => {
  const mops = (more: Record<string, number>): Record<string, number> =>
    Object.fromEntries(
      Object.entries({ F16: 0, BF16: 0, F32: 0, F64: 0, ...more }).map(([type, n]) => [
        `SQ_INSTS_VALU_MFMA_MOPS_${type}`,
        n,
      ]),
    );

  it('say whether the matrix unit worked', () => {
    expect(tensorUseByCounters({ SQ_INSTS_MFMA: 0, SQ_WAVES: 4 })).to.equal(false);
    expect(tensorUseByCounters({ SQ_INSTS_VALU_MFMA_BF16: 12 })).to.equal(true);
    expect(tensorUseByCounters({ MfmaUtil: 31.9 })).to.equal(true);
    expect(tensorUseByCounters({ SQ_VALU_MFMA_BUSY_CYCLES: 0 })).to.equal(false);
    // Another type than FP16 may have kept it busy.
    expect(tensorUseByCounters({ SQ_INSTS_VALU_MFMA_F16: 0 })).to.equal(null);
    expect(tensorUseByCounters({ SQ_INSTS_VALU: 9 })).to.equal(null);
  });

  it('add up to operations of wavefronts and of the matrix unit', () => {
    const vector = {
      ...{
        SQ_INSTS_VALU_ADD_F32: 10,
        SQ_INSTS_VALU_MUL_F32: 5,
        SQ_INSTS_VALU_TRANS_F32: 1,
        SQ_INSTS_VALU_FMA_F32: 100,
      },
    };
    // 64 · (10 + 5 + 1 + 2 · 100) and 512 · 8192: a product of 128 x 128 x 128 is 2 · 128³ = 4,194,304.
    expect(flopsByCounters({ ...vector, ...mops({ F16: 8192 }) })).to.equal(13_824 + 4_194_304);
    expect(flopsByCounters({ ...vector, SQ_INSTS_MFMA: 0 })).to.equal(13_824);
    expect(flopsByCounters({ ...vector, SQ_INSTS_MFMA: 3 })).to.equal(null);
    expect(flopsByCounters({ ...vector, SQ_INSTS_VALU_MFMA_MOPS_F16: 3 })).to.equal(null);
    expect(flopsByCounters({ ...vector, SQ_INSTS_VALU_ADD_F64: 1, SQ_INSTS_MFMA: 0 })).to.equal(null);
  });

  it('give bytes in KiB', () => {
    expect(bytesByCounters({ FETCH_SIZE: 10.5, WRITE_SIZE: 2 })).to.equal(12_800);
    expect(bytesByCounters({ FetchSize: 1, WriteSize: 1 })).to.equal(2048);
    expect(bytesByCounters({ FETCH_SIZE: 10.5 })).to.equal(null);
  });
});

describe('work by counters', () => {
  it('is unknown where only some operations of a type were counted', () => {
    const partly = Object.fromEntries(Object.entries(COUNTERS).filter(([name]) => !name.includes('ffma')));
    expect(flopsByCounters(partly)).to.equal(null);
    const none = Object.fromEntries(Object.entries(COUNTERS).filter(([name]) => !name.startsWith(`${SASS}h`)));
    expect(flopsByCounters(none)).to.equal(2100);
  });

  it('is unknown where a unit worked whose operations were not counted', () => {
    expect(flopsByCounters({ [`${SASS}fadd_pred_on.sum`]: 1 })).to.equal(null);
    const tensor = { ...COUNTERS, 'sm__inst_executed_pipe_tensor.sum': 5 };
    expect([flopsByCounters(tensor), tensorUseByCounters(tensor)]).to.deep.equal([null, true]);
    expect(flopsByCounters({ ...tensor, 'sm__ops_path_tensor_src_fp16_dst_fp32.sum': 4096 })).to.equal(2110 + 4096);
    expect([flopsByCounters({}), bytesByCounters({}), tensorUseByCounters({})]).to.deep.equal([null, null, null]);
    expect(bytesByCounters({ 'dram__bytes_read.sum': 5 })).to.equal(null);
    expect(bytesByCounters({ 'dram__bytes.sum': 5 })).to.equal(5);
  });

  it('is unknown where the types that were counted add up to 0, unless the unit was idle', () => {
    const [fp16, bf16] = ['fp16', 'bf16'].map((type) => `sm__ops_path_tensor_src_${type}_dst_fp32.sum`) as [
      string,
      string,
    ];
    const [whole, hmma] = ['sm__inst_executed_pipe_tensor.sum', 'sm__inst_executed_pipe_tensor_op_hmma.sum'];
    const cases: readonly (readonly [Record<string, number>, boolean | null, number | null])[] = [
      [{ [fp16]: 0 }, null, null],
      [{ [hmma]: 0 }, null, null],
      [{ [fp16]: 0, [bf16]: 4096 }, true, 2110 + 4096],
      [{ [fp16]: 0, [whole]: 5 }, true, null],
      [{ [fp16]: 0, [whole]: 0 }, false, 2110],
    ];
    const { 'sm__inst_executed_pipe_tensor.sum': _, ...vector } = COUNTERS;
    for (const [counters, use, flops] of cases) {
      const all = { ...vector, ...counters };
      expect([tensorUseByCounters(all), flopsByCounters(all)], JSON.stringify(counters)).to.deep.equal([use, flops]);
    }
  });

  it('adds the tensor operations of each instruction, and of each type only once', () => {
    const [fp4, fp8] = ['_op_utcomma_src_fp4_dst_fp32', '_op_utcqmma_src_fp4_fp6_fp8_dst_fp32'];
    const worked = (more: object) =>
      flopsByCounters({
        ...COUNTERS,
        'sm__inst_executed_pipe_tensor.sum': 5,
        ...Object.fromEntries(Object.entries(more).map(([name, n]) => [`sm__ops_path_tensor${name}.sum`, n])),
      });
    expect(worked({ [fp4]: 8192, [fp8]: 4096 })).to.equal(2110 + 8192 + 4096);
    expect(worked({ [`${fp8}_sparsity_on`]: 0, [`${fp8}_sparsity_off`]: 4096 })).to.equal(2110 + 4096);
    expect(worked({ [`${fp8}_sparsity_off`]: 4096, [fp8]: 4096 })).to.equal(2110 + 4096);
    const halves = { _op_hmma_src_bf16_dst_fp32: 1024, _op_utchmma_src_bf16_dst_fp32: 2048 };
    expect(worked({ ...halves, _src_bf16_dst_fp32: 3072 })).to.equal(2110 + 3072);
    expect(worked({ _op_utcqmma: 4096 })).to.equal(null);
  });
});
