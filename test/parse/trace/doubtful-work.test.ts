import { expect } from 'chai';
import { activity, any, diagnostics, kernel, launch, runtime } from '../../support/kineto-trace.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { diagnosticsOf } from '../../support/profile-records.js';
import { itShared } from '../../support/shared.js';
import { DoubtfulKernels } from '../../../src/parse/trace/doubtful-work.js';
import type { Trace } from '../../../src/parse/trace/trace.js';
import { KIND_CODE } from '../../../src/parse/trace/trace-columns.js';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { StreamOverlaps } from '../../../src/record/fields/stream-overlaps.js';
import type { Device } from '../../../src/record/record.js';
import { A100, device } from '../../support/devices.js';
import { kernel as kernelRecord } from '../../support/kernels.js';

const US = 1000;

/** Counted overlaps of kernels with start and end in us, on a device of a compute capability. */
function overlapsOf(
  rows: readonly (readonly [start: number, end: number, stream?: number])[],
  computeMajor: number,
): unknown {
  const database = new NsightDatabase().row('TARGET_INFO_GPU', { id: 0, name: 'GPU', computeMajor, computeMinor: 0 });
  rows.forEach(([start, end, streamId = 7], i) =>
    database.kernel({ start: start * US, end: end * US }, i + 1, { streamId }),
  );
  return diagnosticsOf(database.write())['stream-overlap'];
}

describe('doubtful work', () => {
  it('begins before the previous work of its stream has ended', () => {
    // By 4 us; 1 us is too little, and a third kernel runs on another stream.
    const rows = [[0, 10], [6, 16], [15, 20], [16, 30, 8]] as const; // prettier-ignore
    expect(overlapsOf(rows, 8)).to.equal(1);
    // Programmatic dependent launch.
    expect(overlapsOf(rows, 9)).to.equal(undefined);
  });

  it('begins early only where the device runs a stream in order', () => {
    /** Counts of overlaps by 4 us of two kernels, of a kernel and a copy, and of two copies. */
    const countsOn = (one: Device): number[] =>
      [
        [true, true],
        [true, false],
        [false, false],
      ].map(([isFirstKernel = false, isKernel = false]) => {
        const overlaps = new StreamOverlaps([one]);
        overlaps.add(0, 7, { start: 0, end: 10 * US, isKernel: isFirstKernel });
        overlaps.add(0, 7, { start: 6 * US, end: 16 * US, isKernel });
        return overlaps.count;
      });
    expect(countsOn(A100)).to.deep.equal([1, 1, 1]);
    expect(countsOn(device(null, { vendor: 'amd' }))).to.deep.equal([1, 1, 1]);
    // A device of unknown compute capability may be a new one.
    expect(countsOn(device(null))).to.deep.equal([0, 0, 1]);
    expect(countsOn(device(null, { arch: 'sm90' }))).to.deep.equal([0, 0, 1]);
    expect(countsOn(device('TPU v6', { vendor: 'google' }))).to.deep.equal([0, 0, 0]);
  });

  it('may overlap in a graph, whose nodes run at once', () => {
    const database = new NsightDatabase().row('TARGET_INFO_GPU', {
      id: 0,
      name: 'GPU',
      computeMajor: 8,
      computeMinor: 0,
    });
    database.kernel({ start: 0, end: 10 * US }, 1, { graphNodeId: 1 });
    database.kernel({ start: 6 * US, end: 16 * US }, 1, { graphNodeId: 2 });
    expect(diagnosticsOf(database.write())).to.not.have.property('stream-overlap');
  });

  it('has no duration of 0 where an instruction only starts a transfer', () => {
    const found = new Diagnostics();
    const column = (...cells: number[]) => ({ length: cells.length, at: (row: number) => cells[row] ?? NaN });
    const activities = {
      kind: column(KIND_CODE.kernel, KIND_CODE.copy),
      start: column(20_500, 0),
      end: column(20_500, 5),
      device: column(0, 0),
    };
    const kernels = new DoubtfulKernels({ diagnostics: found, activities } as unknown as Trace);
    kernels.take(kernelRecord({ start: 20_500, dur: 0, labels: { category: 'copy-start' } }));
    expect([found.get('zero-duration'), found.get('copies-not-recorded')]).to.deep.equal([0, 0]);
    kernels.take(kernelRecord({ start: 20_500, dur: 0 }));
    kernels.take(kernelRecord({ device: 1, labels: { category: 'copy-start' } }));
    expect([found.get('zero-duration'), found.get('copies-not-recorded')]).to.deep.equal([1, 1]);
  });

  it('has a duration of 0, unless all times are whole microseconds', () => {
    const timed = (at: string): readonly string[] => [
      ...[launch(1, 0), launch(2, 2)],
      any('kernel', 'k', '10', '0', { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 1 }),
      any('kernel', 'k', at, '5', { pid: 0, tid: 7 }, { device: 0, stream: 7, correlation: 2 }),
    ];
    expect(diagnostics(timed('20')))
      .to.include({ 'zero-duration-rounded': 1 })
      .and.not.have.property('zero-duration');
    expect(diagnostics(timed('20.5')))
      .to.include({ 'zero-duration': 1 })
      .and.not.have.property('zero-duration-rounded');
    const whole = [launch(1, 0), kernel('k', 1, 5), runtime('cudaMemcpyAsync', 2, 20, 21), activity('gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', 2, 30, { bytes: 64 })]; // prettier-ignore
    expect(diagnostics(whole)).to.not.have.any.keys('zero-duration', 'zero-duration-rounded', 'copies-not-recorded');
  });

  itShared(
    'lacks the copies that a TPU started, where the profile has those of another TPU',
    ['data/xplane/tpu_v6e_4.xplane.pb'],
    ([path = '']) => {
      // 600 events `copy-start` on each of four devices; only the first has events on the line of transfers.
      expect(diagnosticsOf(path)).to.include({ 'copies-not-recorded': 1800 });
    },
  );
});
