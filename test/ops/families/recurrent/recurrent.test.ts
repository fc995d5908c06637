import { expect } from 'chai';
import { renderParams, type Work } from '../../../../src/ops/family.js';
import { recurrent } from '../../../../src/ops/families/recurrent/recurrent.js';
import { resolveWork as describeLaunch } from '../../../../src/ops/resolve-work.js';
import type { OpCall } from '../../../../src/record/record.js';
import { call, kernel, t, v } from '../../../support/calls.js';

const B = 64;
const X = 128;
const H = 256;
const cell = (name: string): OpCall =>
  call(`${name}.forward`, t([B, X]), t([B, H]), ...(name === 'LSTMCell' ? [t([B, H])] : []));
const SGEMM = 'volta_sgemm_32x32_sliced1x4_tn';

function work(of: OpCall, by: ReturnType<typeof kernel>): Work {
  const found = recurrent.work(of, by);
  if (found === null) throw new Error(`no work for ${of.mod}`);
  return found;
}

describe('recurrent cells', () => {
  // m = gates·H, n = B, k = X (layer) or H (recurrent): 2·m·n·k, 4·(m·k + k·n + m·n)
  const products: readonly (readonly [string, sub: number, flops: number, bytes: number, params: string])[] = [
    ['LSTMCell', 0, 16777216, 819200, 'gemm=layer,M=1024,N=64,K=128,fp32,'],
    ['LSTMCell', 1, 33554432, 1376256, 'gemm=recur,M=1024,N=64,K=256,fp32,'],
    ['LSTMCell', 3, 16777216, 819200, 'gemm=layer,M=1024,N=64,K=128,fp32,'],
    ['GRUCell', 0, 12582912, 622592, 'gemm=layer,M=768,N=64,K=128,fp32,'],
    ['GRUCell', 1, 25165824, 1048576, 'gemm=recur,M=768,N=64,K=256,fp32,'],
    ['RNNCell', 0, 4194304, 229376, 'gemm=layer,M=256,N=64,K=128,fp32,'],
    ['RNNCell', 4, 8388608, 393216, 'gemm=recur,M=256,N=64,K=256,fp32,'],
  ];
  for (const [name, sub, flops, bytes, params] of products) {
    it(`${name} forward, kernel ${sub}: ${params}`, () => {
      const found = work(cell(name), kernel(SGEMM, 'fprop', sub));
      expect(found).to.include({ role: 'main', flops, bytes, matmul: true });
      expect(renderParams(found.params)).to.equal(params);
    });
  }

  it('pointwise part: activations and sums per hidden unit, both products and three states in bytes', () => {
    // H·B = 16384; LSTM 13 each, 4·(2·4 + 3) bytes each; GRU 10, 4·(2·3 + 3); RNN 2, 4·(2 + 3)
    const lstm = work(cell('LSTMCell'), kernel('void kernel::lstm_cell_forward<float, float>(int)', 'fprop', 2));
    expect(lstm).to.include({ flops: 212992, bytes: 720896, matmul: false });
    expect(renderParams(lstm.params)).to.equal('cell=LSTMCell,X=128,H=256,B=64,fp32,');
    expect(work(cell('GRUCell'), kernel('gru_cell_forward'))).to.include({ flops: 163840, bytes: 589824 });
    expect(work(cell('RNNCell'), kernel('elementwise_kernel'))).to.include({ flops: 32768, bytes: 327680 });
  });

  it('backward: the tile and the grid identify the product', () => {
    const lstm = cell('LSTMCell');
    const rows: readonly (readonly [string, readonly [number, number, number], string, string, number])[] = [
      // 2 tiles of 128 span H = 256, 1 spans X = 128
      ['volta_sgemm_128x64_nn', [2, 1, 1], 'dgrad', 'gemm=recur,M=256,N=64,K=1024,fp32,', 33554432],
      ['volta_sgemm_128x64_nn', [1, 1, 1], 'dgrad', 'gemm=layer,M=128,N=64,K=1024,fp32,', 16777216],
      // 16 tiles of 64 span 4·H = 1024
      ['volta_sgemm_128x64_nt', [2, 16, 1], 'wgrad', 'gemm=recur,M=256,N=1024,K=64,fp32,', 33554432],
      ['ampere_sgemm_128x64_nt', [1, 16, 1], 'wgrad', 'gemm=layer,M=128,N=1024,K=64,fp32,', 16777216],
    ];
    for (const [name, grid, role, params, flops] of rows) {
      const found = work(lstm, kernel(name, 'bprop', 1, grid));
      expect(found).to.include({ role, flops });
      expect(renderParams(found.params)).to.equal(params);
    }
  });

  it('backward: null with a reason where they do not', () => {
    const lstm = cell('LSTMCell');
    const unspecified = [
      kernel('volta_sgemm_128x64_nt', 'bprop', 1, [2, 3, 1]),
      kernel('volta_fp16_s884gemm_fp16_256x64_ldg8_f2f_stages_32x1_nn', 'bprop', 1, [1, 1, 1]),
      kernel('nvjet_tst_128x64', 'bprop', 1, [1, 1, 1]),
      kernel('volta_sgemm_128x64_nn', 'bprop', 1),
      kernel('void kernel::lstm_cell_backward<float>(int)', 'bprop', 0),
      kernel('reduce_kernel', 'bprop', 5),
    ];
    for (const by of unspecified) {
      const found = work(lstm, by);
      expect(found, by.name).to.include({ flops: null, bytes: null });
      expect(found.unknown, by.name).to.be.a('string').that.is.not.empty;
    }
  });

  it('where X = H both products cost the same', () => {
    const square = call('LSTMCell.forward', t([B, H]), t([B, H]), t([B, H]));
    // 2·1024·64·256
    expect(work(square, kernel('volta_sgemm_128x64_nn', 'bprop', 1, [2, 1, 1])).flops).to.equal(33554432);
  });

  it('helpers have no share; a product in the third place is unspecified', () => {
    expect(work(cell('LSTMCell'), kernel('splitKreduce_kernel', 'fprop', 1))).to.include({
      role: 'helper',
      flops: 0,
      bytes: 0,
    });
    expect(work(cell('LSTMCell'), kernel(SGEMM, 'fprop', 2))).to.include({ flops: null, bytes: null });
  });

  it('gives no answer without the hidden state, nor for whole modules', () => {
    const by = kernel(SGEMM);
    expect(recurrent.work(call('LSTMCell.forward', t([B, X])), by)).to.equal(null);
    expect(recurrent.work(call('LSTMCell.forward', v(1), v(2)), by)).to.equal(null);
    expect(recurrent.work(call('LSTMCell.forward', t([2, B, X]), t([B, H])), by)).to.equal(null);
    expect(recurrent.work(call('LSTMCell.forward', t([]), t([])), by)).to.equal(null);
    expect(describeLaunch([call('LSTM.forward', t([10, B, X]))], by)).to.equal(null);
    expect(describeLaunch([cell('LSTMCell')], by)?.family.id).to.equal('recurrent');
  });
});
