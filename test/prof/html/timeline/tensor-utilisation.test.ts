import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { readProfile } from '../../../../src/parse/profile.js';
import { TensorUtilisation } from '../../../../src/prof/html/timeline/tensor-utilisation.js';
import type { ProfileLine, ProfileRecord, SampleRecord } from '../../../../src/record/record.js';
import { instruction, neuronProfile } from '../../../support/neuron.js';
import { itShared } from '../../../support/shared.js';

function samplesOf(records: Iterable<ProfileLine>): SampleRecord[] {
  const samples: SampleRecord[] = [];
  const utilisation = new TensorUtilisation((sample) => samples.push(sample));
  let header: ProfileRecord | null = null;
  for (const record of records) {
    if (record.type === 'profile') header = record;
    if (record.type === 'kernel') utilisation.take(record, header);
  }
  utilisation.finish();
  return samples;
}

/** What 128 x 128 multipliers at 2.4 GHz do in a nanosecond. */
const PEAK = 128 * 128 * 2.4;

const product = (start: number, dur: number, share: number | null) =>
  instruction('MATMUL', 'Tensor', start, dur, share === null ? {} : { counters: { elements: share * dur * PEAK } });

describe('utilisation of the tensor engine over time', () => {
  it('adds up the rates of products that overlap, and is 0 without any', () => {
    const records = [
      ...[neuronProfile(), product(10, 20, 0.25), instruction('LDWEIGHTS', 'Tensor', 12, 5)],
      ...[product(20, 20, 0.5), product(60, 10, null)],
    ];
    expect(samplesOf(records).map(({ start, value }) => [start, value])).to.deep.equal([
      ...[[0, 0], [10, 0.25], [20, 0.75], [30, 0.5], [40, 0]], // prettier-ignore
      // One whose multiplications are not known leaves the rate unknown.
      ...[[60, null], [70, 0]], // prettier-ignore
    ]);
  });

  it('has nothing where the peak is not known', () => {
    const unknown = neuronProfile({ facts: {}, devices: [] });
    expect(samplesOf([unknown, product(10, 20, 0.25)])).to.deep.equal([]);
  });

  const CAPTURE = 'data/neuron/trn2_fused_bf16_s512/fused_exec_2';
  itShared(
    "has the vendor's utilisation as its mean over both cores, from the trace alone",
    [`${CAPTURE}.ntff`, `${CAPTURE}_profile_full.json`],
    ([trace = '', json = '']) => {
      const { summary } = JSON.parse(readFileSync(json, 'utf8')) as {
        readonly summary: readonly Record<string, number>[];
      };
      const { hfu_estimated_percent: hfu = NaN, total_time: seconds = NaN } = summary[0] ?? {};
      let [area, value, at] = [0, 0, 0];
      for (const sample of samplesOf(readProfile(trace, { profile: 0, name: 'profile.ntff' }))) {
        const start = sample.start ?? NaN;
        // Those of a core begin at 0.
        if (start > 0) area += value * (start - at);
        [value, at] = [sample.value ?? NaN, start];
      }
      expect(area / (2 * seconds * 1e9)).to.be.closeTo(hfu, 1e-6 * hfu);
    },
  );
});
