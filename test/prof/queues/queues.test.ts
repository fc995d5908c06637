import { expect } from 'chai';
import { CountOverTime } from '../../../src/prof/queues/count-over-time.js';
import { Queues, type QueueFacts } from '../../../src/prof/queues/queues.js';
import type { KernelRecord, ProfileLine } from '../../../src/record/record.js';
import { kernel } from '../../support/kernels.js';

function factsOf(records: readonly ProfileLine[], points = 4): QueueFacts {
  const queues = new Queues(points, false);
  for (const record of records) queues.take(record);
  return queues.finish().facts;
}

/** A kernel that begins at `start`, launched by a call from `launched` on. */
const launchedAt = (launched: number, start: number, dur = 10, fields: Partial<KernelRecord> = {}): KernelRecord =>
  kernel({ start, dur: 5, launch: { api: 'cudaLaunchKernel', start: launched, dur }, ...fields });

describe('queues of streams', () => {
  it('have the length at each launch: what was launched before and had not begun', () => {
    // Launched at 0, 20, 40, 60; begun at 10, 50, 55, 100. At 20 none waits, at 40 the second, at 60 none.
    const records = [launchedAt(0, 10), launchedAt(20, 50), launchedAt(40, 55), launchedAt(60, 100)];
    const [row] = factsOf(records).rows;
    expect(row).to.include({ launches: 4, median: 0, p90: 1, longest: 1, full: 0, blocked: 0, blockedTime: 0 });
  });

  it('are apart by stream, device and profile', () => {
    const streams = [launchedAt(0, 50), launchedAt(1, 51, 10, { stream: 8 }), launchedAt(2, 52, 10, { device: 1 })];
    expect(factsOf(streams).rows.map(({ device, stream, longest }) => [device, stream, longest])).to.deep.equal([
      [0, 7, 0],
      [0, 8, 0],
      [1, 7, 0],
    ]);
  });

  it('count the calls that a full queue blocked', () => {
    // 1,010 launches of 5 us, 10 us apart, before the first kernel begins; then two that take 5 us and 30 us.
    const early = Array.from({ length: 1010 }, (_, i) => launchedAt(10_000 * i, 20_000_000 + 1000 * i, 5000));
    const late = [launchedAt(10_200_000, 21_100_000, 5000), launchedAt(10_300_000, 21_200_000, 30_000)];
    const [row] = factsOf([...early, ...late]).rows;
    // The last 10 of the first began with 1,000 to 1,009 in the queue, the others with 1,010 and 1,011.
    expect(row).to.include({ longest: 1011, full: 12, blocked: 1, blockedTime: 30_000 });
    const hip = [...early, ...late].map((one) => ({ ...one, launch: { ...one.launch, api: 'hipLaunchKernel' } }));
    expect(factsOf(hip as KernelRecord[]).rows[0]).to.include({ longest: 1011, full: null, blocked: null, blockedTime: null }); // prettier-ignore
  });

  it('leave out graph kernels, and need launches', () => {
    const graph = { id: 1, node: 1 } as unknown as NonNullable<KernelRecord['graph']>;
    expect(() => factsOf([launchedAt(0, 10, 5, { graph })])).to.throw('no launches');
    expect(() => factsOf([])).to.throw('no kernels');
  });

  it('have a mean length over time: waits between the end of the call and the start', () => {
    // Waits from 10 to 1,034 and from 522 to 1,034: one in the first half, two in the second.
    const { points } = factsOf([launchedAt(0, 1034), launchedAt(512, 1034)], 1);
    expect(points).to.deep.equal([{ profile: 0, device: 0, start: 10, end: 1034, mean: 1.5 }]);
  });
});

describe('a count over time', () => {
  it('agrees with the time of each interval in each bin, whatever the width', () => {
    let seed = 3;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    const intervals = Array.from({ length: 500 }, (_, i) => [10_000 * i, 10_000 * i + random(900_000)] as const);
    const count = new CountOverTime();
    for (const [from, to] of intervals) count.add(from, to);
    const means = count.means(50);
    expect(means.length).to.be.within(26, 50);
    for (const { start, end, mean } of means) {
      const time = intervals.reduce(
        (sum, [from, to]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)),
        0,
      );
      expect(mean).to.be.closeTo(time / (end - start), 1e-9);
    }
  });
});
