/**
 * Overviews of real traces against times that were worked out from the JSON alone, to the microsecond.
 */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { DeviceTime } from '../../../src/prof/summary/summary-data.js';
import { fileOf, recordsOf, TRACES } from '../../support/kineto.js';
import { exactTimes } from '../../support/exact-timelines.js';
import { overviewOf } from '../../support/overviews.js';
import { itShared } from '../../support/shared.js';

const REFERENCE = 'reference/exact-timelines.md';

const ms = (ns: number | null): string => (ns === null ? 'na' : (ns / 1e6).toFixed(3));

/** The cells of the reference's table. */
function cellsOf({ counts, ...times }: DeviceTime): string[] {
  const { span, busy, idle, compute, communication, memory, kernelSum, exposed } = times;
  const numbers = [counts.kernels + counts.communications, counts.communications, counts.copies + counts.sets];
  const lengths = [span, busy, idle, compute, communication, memory, kernelSum, exposed];
  return [...numbers.map(String), ...lengths.map(ms)];
}

describe('overview of traces', () => {
  for (const trace of TRACES) {
    itShared(trace, [fileOf(trace), REFERENCE], async ([, reference = '']) => {
      const { devices, kernels } = overviewOf(await recordsOf(trace));
      const [device, ...others] = devices;
      expect(others).to.deep.equal([]);
      expect(device && cellsOf(device)).to.deep.equal(
        // The last two columns: communication outside all other work, which no answer has, and outside compute.
        exactTimes(readFileSync(reference, 'utf8'), trace).filter((_, i, all) => i !== all.length - 2),
      );
      expect(ms(kernels?.time ?? NaN)).to.equal(ms(device?.kernelSum ?? NaN));
    });
  }

  itShared('of launched work alone', [fileOf('h100_qwen'), fileOf('mi300_resnet_training'), REFERENCE], async ([, , reference = '']) => {
    const text = readFileSync(reference, 'utf8').replaceAll(' events', '');
    for (const trace of ['h100_qwen', 'mi300_resnet_training']) {
      const { devices } = overviewOf(await recordsOf(trace));
      const { counts, linked } = devices[0] ?? expect.fail();
      const all = counts.kernels + counts.communications + counts.copies + counts.sets;
      const { activities, span, busy } = linked ?? expect.fail();
      expect(text).to.include(`${trace} ${activities} of ${all}, span ${ms(span)}, busy ${ms(busy)}`);
    }
  }); // prettier-ignore

  // Sums over the trace's JSON: kernels whose launch lies within `ProfilerStep#15`, 16 and 17; by its thread alone.
  itShared(
    'of steps, with the kernels of their own threads and of all',
    [fileOf('mi300_resnet_training')],
    async () => {
      const { steps } = overviewOf(await recordsOf('mi300_resnet_training'));
      expect(steps?.list.map(({ kernelTime }) => kernelTime)).to.deep.equal([22_299_043, 22_264_198, 21_871_163]);
      expect(steps?.list.map(({ ownKernelTime }) => ownKernelTime)).to.deep.equal([1_926_332, 1_883_249, 1_930_730]);
    },
  );
});
