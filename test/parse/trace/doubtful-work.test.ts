import { expect } from 'chai';
import { activity, any, diagnostics, kernel, launch, runtime } from '../../support/kineto-trace.js';
import { NsightDatabase } from '../../support/nsight-database.js';
import { diagnosticsOf } from '../../support/profile-records.js';
import { itShared } from '../../support/shared.js';

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
