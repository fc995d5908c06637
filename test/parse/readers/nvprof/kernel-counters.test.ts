import { expect } from 'chai';
import { metricValue } from '../../../../src/parse/readers/nvprof/kernel-counters.js';
import { NvprofDatabase } from '../../../support/nvprof-database.js';
import { diagnosticsOf, headerOf, kernelsOf } from '../../../support/profile-records.js';

const METRIC = 'CUPTI_ACTIVITY_KIND_METRIC';

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}

function integer(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

describe('nvprof: metrics and events of kernels', () => {
  it('are counters of the kernel with their correlation id, by number', () => {
    const path = new NvprofDatabase()
      .launch(1, [])
      .launch(2, [])
      .launch(3, [])
      .row(METRIC, { id: 7, value: double(0.53), correlationId: 2 })
      .row(METRIC, { id: 8, value: integer(123_456_789_012n), correlationId: 2 })
      .row(METRIC, { id: 7, value: double(0.25), correlationId: 1 })
      .row(`${METRIC}_INSTANCE`, { id: 7, instance: 3, value: double(0.5), correlationId: 2 })
      .row('CUPTI_ACTIVITY_KIND_EVENT', { id: 9, value: 4096, correlationId: 2 })
      .write();
    const [first, second, third] = kernelsOf(path);
    expect(first?.counters).to.deep.equal({ 'metric#7': 0.25 });
    expect(second?.counters).to.deep.equal({
      'metric#7': 0.53,
      'metric#8': 123_456_789_012,
      'metric#7[3]': 0.5,
      'event#9': 4096,
    });
    expect(third).not.to.have.property('counters');
    expect(headerOf(path)).not.to.have.property('facts');
    // Four rows of metrics and one of an event, whose names are nowhere in the database.
    expect(diagnosticsOf(path)).to.deep.equal({ 'counter-without-name': 5 });
  });

  it('are samples of the program counter too, by what held the warp up, all instructions together', () => {
    const sampled = (correlationId: number, stallReason: number | null, samples: number) =>
      ({ correlationId, stallReason, samples, functionId: 1, pcOffset: samples }) as const;
    const database = new NvprofDatabase().launch(1, []).launch(2, []);
    for (const row of [sampled(1, 4, 10), sampled(1, 4, 5), sampled(1, 1, 2), sampled(2, 99, 3), sampled(2, null, 1)]) {
      database.row('CUPTI_ACTIVITY_KIND_PC_SAMPLING', row);
    }
    const path = database.write();
    expect(kernelsOf(path).map(({ counters }) => counters)).to.deep.equal([
      { 'stall.none': 2, 'stall.memory_dependency': 15 },
      { 'stall.99': 3 },
    ]);
    expect(diagnosticsOf(path)).to.deep.equal({ 'bad-row': 1 });
  });

  it('of kernels that are not in the profile are counted', () => {
    const path = new NvprofDatabase()
      .launch(1, [])
      .row('CUPTI_ACTIVITY_KIND_EVENT', { id: 9, value: 1, correlationId: 5 })
      .write();
    expect(diagnosticsOf(path)).to.deep.equal({ 'counter-without-kernel': 1, 'counter-without-name': 1 });
  });

  it('without a value of 8 bytes are counted', () => {
    const path = new NvprofDatabase()
      .launch(1, [])
      .row(METRIC, { id: 7, value: Buffer.alloc(4), correlationId: 1 })
      .row(METRIC, { id: 7, value: null, correlationId: 1 })
      .write();
    expect(kernelsOf(path)[0]).not.to.have.property('counters');
    expect(diagnosticsOf(path)).to.deep.equal({ 'bad-row': 2 });
  });

  for (const value of [0n, 1n, -1n, -4000n, 2n ** 40n, BigInt(Number.MAX_SAFE_INTEGER)]) {
    it(`reads the integer ${value}`, () => {
      expect(metricValue(integer(value).toString('hex'))).to.equal(Number(value));
    });
  }
  for (const value of [0.5, -0.5, 100, 1e-30, -1e30, 1e300, 3]) {
    it(`reads the double ${value}`, () => expect(metricValue(double(value).toString('hex'))).to.equal(value));
  }
});
