/** What records say of times besides activities: each is a mark at its time. */
import { expect } from 'chai';
import { join } from 'node:path';
import { MarkTable } from '../../../../src/prof/html/timeline/timeline-marks.js';
import type { TimelineMarks } from '../../../../src/prof/html/timeline/timeline-data.js';
import type { ProfileLine, SampleRecord } from '../../../../src/record/record.js';
import { A100, profileOn } from '../../../support/devices.js';
import { kernel } from '../../../support/kernels.js';
import { overviewOf } from '../../../support/overviews.js';
import { recordsOf } from '../../../support/profile-records.js';
import { itShared, ROOT } from '../../../support/shared.js';

function marksOf(records: Iterable<ProfileLine>): TimelineMarks {
  const table = new MarkTable();
  for (const record of records) table.take(record);
  return table.marks([]);
}

const END: ProfileLine = { type: 'end', profile: 0, counts: {}, diagnostics: {} };

const throttle = (start: number, dur: number | null, value: number | null, kind = 'activity_1'): SampleRecord => ({
  ...{ type: 'sample', profile: 0, start, dur, device: 4, metric: 'throttle', value, unit: 'fraction' },
  labels: { kind },
});

const missing = (start: number, end: number): SampleRecord => ({
  ...{
    type: 'sample',
    profile: 0,
    start,
    dur: end - start,
    device: 0,
    metric: 'missing_work',
    value: 2,
    unit: 'count',
  },
  labels: { api: 'cudaGraphLaunch' },
});

/** Every limit below the full rate lies within a mark, and nothing else does. */
function checkThrottling(records: readonly ProfileLine[]): number {
  const windows = records.filter((record) => record.type === 'sample').filter(({ metric }) => metric === 'throttle');
  const limited = windows.filter(({ value }) => value !== null && value < 1);
  const { list } = marksOf(records);
  const marks = list.filter(({ kind }) => kind === 'throttling');
  for (const { start, dur, device } of limited) {
    const from = start ?? NaN;
    const around = marks.filter(
      (mark) => mark.device === device && mark.start <= from && from + (dur ?? 0) <= mark.end,
    );
    expect(around).to.have.length(1);
  }
  for (const { start, end } of marks) {
    expect(limited.some((window) => window.start === start)).to.equal(true);
    expect(limited.some((window) => (window.start ?? NaN) + (window.dur ?? 0) === end)).to.equal(true);
  }
  return marks.length;
}

describe('marks of a timeline', () => {
  it('say how far a core was throttled, adjacent windows of one limit once', () => {
    const { list } = marksOf([
      throttle(0, 10, 1, 'activity_0'),
      throttle(10, 5, 0.5),
      throttle(16, 4, 0.5),
      throttle(40, 5, 0.5),
      throttle(46, null, 0.25),
      throttle(50, 5, null),
      END,
    ]);
    expect(list.map(({ start, end, text }) => [start, end, text])).to.deep.equal([
      [10, 20, 'core 4 throttled to 50 % of its rate (activity_1)'],
      [40, 45, 'core 4 throttled to 50 % of its rate (activity_1)'],
      [46, 46, 'core 4 throttled to 25 % of its rate (activity_1)'],
    ]);
  });

  it('show the work that the summary says is missing, where it is', () => {
    const records: ProfileLine[] = [
      profileOn(A100),
      kernel({ start: 0, dur: 100 }),
      missing(150, 1000),
      kernel({ id: 2, start: 1000, dur: 10 }),
      END,
    ];
    const said = overviewOf(records).devices[0]?.missing;
    const [mark, ...others] = marksOf(records).list;
    expect(others).to.deep.equal([]);
    expect([mark?.kind, mark?.start, mark?.end]).to.deep.equal(['missing', said?.start, said?.end]);
    expect(mark?.text).to.include('2 launches').and.to.include('cudaGraphLaunch');
  });

  it('say where records are cut off: after the last that was read', () => {
    const records = [profileOn(A100), kernel({ start: 50 }), kernel({ id: 2, start: 90 })];
    expect(marksOf(records).list.map(({ kind, start }) => [kind, start])).to.deep.equal([['cut', 90]]);
    expect(marksOf([...records, END]).list).to.deep.equal([]);
  });

  it('beyond a bound are counted', () => {
    const { list, leftOut } = marksOf([...Array.from({ length: 600 }, (_, i) => throttle(10 * i, 5, 0.5)), END]);
    expect([list.length, leftOut]).to.deep.equal([500, 100]);
    const took = { host: 1, device: null };
    const steps = Array.from({ length: 510 }, (_, step) => ({ step, start: step, end: step + 1, took }));
    const ofSteps = new MarkTable().marks(steps);
    expect([ofSteps.list.length, ofSteps.leftOut]).to.deep.equal([500, 10]);
    expect(ofSteps.list[3]).to.deep.equal({ kind: 'step', start: 3, end: 4, device: null, text: 'step 3' });
  });

  it('have all throttling of the sample', () => {
    checkThrottling(recordsOf(join(ROOT, 'samples/attention.ntff')));
  });

  itShared(
    'have all throttling of a real capture',
    ['data/neuron/trn2_fused_fp32_s512/fused_exec_2.ntff'],
    ([path = '']) => {
      expect(checkThrottling(recordsOf(path))).to.equal(1);
    },
  );
});
