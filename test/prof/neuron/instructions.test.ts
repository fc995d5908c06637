import { expect } from 'chai';
import { Annotator } from '../../../src/prof/report/report.js';
import { columnOf } from '../../../src/prof/columns/columns.js';
import type { Annotated } from '../../../src/prof/annotate.js';
import type { KernelLine, ProfileRecord } from '../../../src/record/record.js';
import { RecordReader } from '../../../src/prof/input/records.js';

const PROFILE: ProfileRecord = {
  ...{ type: 'profile', v: 1, profile: 0, format: 'neuron-json', tool: null, file: 'a.json', rank: null },
  ...{ startUnixNs: null, dur: 1000 },
  devices: [
    { id: 4, vendor: 'aws', name: 'Trainium2', arch: 'nc-v3', units: null, clockHz: 2.4e9, memBytesPerS: 716e9, memBytes: null },
  ],
}; // prettier-ignore

const MATMUL: KernelLine = {
  ...{ type: 'kernel', profile: 0, id: 1, name: 'MATMUL', short: 'MATMUL', start: 10, dur: 445, device: 4, stream: 0 },
  engine: 'Tensor',
  counters: { pc: 70, waitNs: 30, elements: 2_097_152, sbufReadBytes: 512 },
  operands: 'src=fp32@0x36500[1,0,0][128,1,1] dst=0x2000000[1,0,0][128,1,1] 128*128',
};

/** The row of a record that is parsed from its JSON text. */
function rowOf(line: object): Annotated {
  const annotator = new Annotator();
  annotator.take(PROFILE);
  const record = new RecordReader('test').read(JSON.stringify(line), 1);
  const [row] = record === null ? [] : annotator.take(record);
  if (row === undefined) throw new Error('no row');
  return row;
}

const cells = (line: object, keys: string): unknown[] => {
  const row = rowOf(line);
  return keys.split(' ').map((key) => columnOf(key)?.value(row));
};

describe('instructions of a Neuron core in a report', () => {
  it('have engine, wait, place, FLOPs, type and matrix unit', () => {
    const found = cells(MATMUL, 'kernel engine stream device sil wait pc flops bytes dtype tc tceligible role');
    const flops = 2 * 128 ** 3;
    expect(found).to.deep.equal(['MATMUL', 'Tensor', 0, 4, 445, 30, 70, flops, 0, 'fp32', 1, 1, 'main']);
  });

  it('are held to the peak of their core', () => {
    const [peak, tflops] = cells(MATMUL, 'peak tflops') as number[];
    // FP32 runs at 20 TFLOP/s; 4.19 MFLOP in 445 ns are 9.43 TFLOP/s.
    expect(tflops).to.be.closeTo((2 * 128 ** 3) / 445 / 1000, 1e-9);
    expect(peak).to.be.closeTo((100 * (2 * 128 ** 3)) / 445 / 1000 / 20, 1e-9);
  });

  it('that start a transfer have its bytes, and no rate: they end before it', () => {
    const start = { ...MATMUL, name: 'DMA_DIRECT2D', dur: 31, counters: { hbmReadBytes: 262_144 } };
    expect(cells(start, 'flops bytes gbps bw bound role')).to.deep.equal([0, 262_144, null, null, null, 'helper']);
  });

  it('have what launches have unknown', () => {
    expect(cells(MATMUL, 'tid api queue dir seq layer trace')).to.deep.equal([null, null, null, null, [], [], []]);
  });

  it('are no products on other engines, nor when they transpose', () => {
    expect(cells({ ...MATMUL, name: 'ACTIVATE', engine: 'Scalar' }, 'tc')).to.deep.equal(['-']);
    expect(cells({ ...MATMUL, labels: { type: 'TRANSPOSE' } }, 'tc flops')).to.deep.equal(['-', 0]);
    expect(cells({ ...MATMUL, name: '0x77' }, 'tc flops')).to.deep.equal([null, null]);
  });

  it('keep their engine when another field is invalid', () => {
    expect(cells({ ...MATMUL, dur: 'long' }, 'engine sil')).to.deep.equal(['Tensor', null]);
  });
});
