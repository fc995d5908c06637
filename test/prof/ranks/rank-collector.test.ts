/** What is kept of one rank. */
import { expect } from 'chai';
import { jobRecords } from '../../../samples/programs/job/records.js';
import { simulateJob } from '../../../samples/programs/job/simulate.js';
import { RankCollector } from '../../../src/prof/ranks/part/rank-collector.js';
import type { RankPart } from '../../../src/prof/ranks/part/rank-part.js';
import type { ProfileLine } from '../../../src/record/record.js';

const job = simulateJob({ tp: 1, pp: 1, dp: 2, steps: 2, layers: 1, microBatches: 1, kernelsPerLayer: 1 });
const records = [...jobRecords(job, 0)];
const device = job.ranks[0]?.device ?? 0;

const memory = (value: number, start: number, of: number): ProfileLine => ({
  ...{ type: 'sample', profile: 0, start, device: of, metric: 'memory_allocated', value, unit: 'bytes' },
});

function partsOf(lines: readonly ProfileLine[]): readonly RankPart[] {
  const collector = new RankCollector();
  for (const line of lines) collector.take(line);
  return collector.parts;
}

describe('what is kept of a rank', () => {
  /** Index of the first activity of the device: the header and the begin of a step come before it. */
  const first = records.findIndex(({ type }) => type === 'kernel' || type === 'copy');

  it('has the memory in use before the first work of the device', () => {
    const before = records[first] as { start: number };
    const lines = [...records.slice(0, first), memory(5e9, before.start, device), ...records.slice(first)];
    const parts = partsOf(lines);
    expect(parts).to.have.length(1);
    expect(parts[0]?.steps.memory).to.deep.equal([5e9, null]);
  });

  it('has content that tells it from a rank of equal times and ids that runs something else', () => {
    const contentOf = (lines: readonly ProfileLine[]): unknown => partsOf(lines)[0]?.content;
    const named = (name: string): ProfileLine[] =>
      records.map((line, n) => (n === first ? ({ ...line, type: 'kernel', name, short: name } as ProfileLine) : line));
    expect(contentOf(named('gemm_a'))).to.equal(contentOf(named('gemm_a')));
    expect(contentOf(named('gemm_a'))).not.to.equal(contentOf(named('gemm_b')));
  });

  it('has no idle time of a step with launches without work, or work without a duration', () => {
    const idleOf = (lines: readonly ProfileLine[]) => partsOf(lines)[0]?.steps.idle.map((idle) => idle !== null);
    expect(idleOf(records)).to.deep.equal([true, true]);
    const { start } = records[first] as { start: number };
    const missing: ProfileLine = {
      ...{ type: 'sample', profile: 0, start, dur: 10, device, metric: 'missing_work', value: 1, unit: 'count' },
    };
    expect(idleOf([...records, missing])).to.deep.equal([false, true]);
    const untimed = records.map((line, n) => (n === first ? ({ ...line, dur: null } as ProfileLine) : line));
    expect(idleOf(untimed)).to.deep.equal([false, true]);
  });

  it('has no part for a device that has memory and does nothing', () => {
    const idle = [memory(1e9, 0, device + 1), ...records.slice(1)];
    const parts = partsOf([...records.slice(0, 1), ...idle]);
    expect(parts.map((part) => part.device)).to.deep.equal([device]);
    expect(parts[0]?.rank).to.equal(0);
  });
});
