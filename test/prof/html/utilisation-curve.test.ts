import { expect } from 'chai';
import type { CopyRecord, KernelRecord, SyncRecord } from '../../../src/record/record.js';
import { UtilisationCurve } from '../../../src/prof/html/utilisation/utilisation-curve.js';
import { timedActivity } from '../../../src/prof/html/timed-activity.js';
import { kernel } from '../../support/kernels.js';

const ACTIVITY = { profile: 0, device: 0, stream: 7, pid: 1, tid: 1, corr: 1, launch: null };
const at = (start: number, dur: number, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ start, dur, launch: null, ...fields });
const nccl = (start: number, dur: number): KernelRecord => at(start, dur, { name: 'ncclDevKernel_AllReduce(x)' });
const copy = (start: number, dur: number): CopyRecord => ({
  type: 'copy',
  ...ACTIVITY,
  start,
  dur,
  kind: 'HtoD',
  bytes: 1,
});
const wait = (start: number, dur: number): SyncRecord => ({ type: 'sync', ...ACTIVITY, start, dur, kind: 'stream' });

function utilisationOf(records: readonly (KernelRecord | CopyRecord | SyncRecord)[], spans: number) {
  const both = new UtilisationCurve(spans);
  for (const record of records) both.take(timedActivity(record) ?? expect.fail());
  return both.utilisation;
}

describe('utilisation', () => {
  it('is the covered part of each span, by what covers it', () => {
    // 32 ns in 4 spans of 8: compute 0-10, communication 6-20, copy 20-22, nothing 22-28, compute 28-32
    const { start, width, devices, host } = utilisationOf([at(0, 10), nccl(6, 14), copy(20, 2), at(28, 4)], 4);
    expect({ start, width, host }).to.deep.equal({ start: 0, width: 8, host: null });
    expect(devices).to.deep.equal([
      {
        device: 0,
        busy: [1, 1, 6 / 8, 4 / 8],
        compute: [1, 2 / 8, 0, 4 / 8],
        communication: [2 / 8, 1, 4 / 8, 0],
        memory: [0, 0, 2 / 8, 0],
      },
    ]);
  });

  it('counts what runs at the same time once, and a wait as no work', () => {
    const { devices } = utilisationOf([at(0, 8), at(2, 4), at(4, 6), wait(0, 16), at(14, 2)], 4);
    // 0-10 and 14-16 of 16 in spans of 4
    expect(devices[0]?.busy).to.deep.equal([1, 1, 2 / 4, 2 / 4]);
  });

  it('has busy cores in spans of the time in which they are known', () => {
    const curve = new UtilisationCurve(4);
    const take = (start: number, dur: number, value: number, metric = 'cpu_busy'): void =>
      curve.takeSample({ ...{ type: 'sample', profile: 0, device: null, unit: 'count' }, start, dur, metric, value });
    // 100-120: 1, 120-130: 4, nothing, 150-180: 0.5: spans of 20
    take(100, 20, 1);
    take(120, 10, 4);
    take(150, 30, 0.5);
    take(0, 500, 9, 'cpu_time');
    expect(curve.utilisation.cpu).to.deep.equal({ start: 100, width: 20, values: [1, 4, 0.5, 0.5] });
    expect(new UtilisationCurve(4).utilisation.cpu).to.equal(null);
  });

  it('doubles the width of bins when time outgrows them, and stays exact', () => {
    const records = Array.from({ length: 1000 }, (_, i) => at(100 + 64 * i, 16));
    const { start, width, devices } = utilisationOf(records, 100);
    const { busy = [] } = devices[0] ?? {};
    expect(start).to.equal(100);
    expect(busy.length).to.be.within(50, 100);
    // 999 * 64 + 16 = 63952 ns: 1024 would need 63 spans, 512 would need 125.
    expect({ width, spans: busy.length }).to.deep.equal({ width: 1024, spans: 63 });
    expect(busy.slice(0, 62)).to.deep.equal(new Array<number>(62).fill(0.25));
    const covered = busy.reduce((sum, part) => sum + part * width, 0);
    expect(covered).to.be.closeTo(16_000, 1e-3);
  });

  it('counts picoseconds', () => {
    const { devices, start } = utilisationOf([at(10, 1, { ps: [500, 250] }), at(14, 3)], 4);
    // from 10.5: 1.25 ns in spans of 2, and 3 from 3.5 to 6.5
    expect(start).to.equal(10.5);
    expect(devices[0]?.busy).to.deep.equal([1.25 / 2, 0.5 / 2, 1, 0.5 / 2]);
  });

  it('keeps devices apart, on the same spans', () => {
    const { devices } = utilisationOf([at(0, 2, { device: 3 }), at(2, 6, { device: 1 })], 4);
    expect(devices.map(({ device, busy }) => [device, busy])).to.deep.equal([
      [1, [0, 1, 1, 1]],
      [3, [1, 0, 0, 0]],
    ]);
  });

  it('has the time of the host in launching calls, in whatever order they come', () => {
    const launch = (start: number, dur: number) => ({ api: 'cudaLaunchKernel', start, dur });
    const { host } = utilisationOf(
      [
        at(8, 2, { launch: launch(2, 2) }),
        at(12, 4, { launch: launch(12, 2), tid: 2 }),
        at(20, 2, { launch: launch(8, 2) }),
        // The same call again: a graph's second kernel.
        at(22, 18, { launch: launch(8, 2) }),
      ],
      4,
    );
    // From 8 to 40 in spans of 8; the first call is over when the first work begins.
    expect(host).to.deep.equal([(2 + 2) / 8, 0, 0, 0]);
  });

  it('counts activities out of order', () => {
    const both = new UtilisationCurve(4);
    for (const record of [at(10, 2), at(4, 2), at(12, 2)]) both.take(timedActivity(record) ?? expect.fail());
    expect(both.outOfOrder).to.equal(1);
    expect(both.utilisation.devices[0]?.busy.every((part) => part >= 0 && part <= 1)).to.equal(true);
  });
});
