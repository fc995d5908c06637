/** Whether a profile is of the capture of graphs: by the time of captures against that of work, unless a graph ran. */
import fc from 'fast-check';
import { expect } from 'chai';
import { GraphCaptureTest } from '../../../src/prof/advise/verdict/verdict-facts.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { A100, profileOn } from '../../support/devices.js';
import { kernel } from '../../support/kernels.js';
import { propertyRuns } from '../../support/property-runs.js';

const isCapture = (records: readonly ProfileLine[]): boolean => {
  const test = new GraphCaptureTest();
  for (const record of records) test.take(record);
  return test.isCapture;
};

const time = fc.integer({ min: 0, max: 50 });
const work = fc.array(fc.record({ dur: time, inGraph: fc.boolean() }), { maxLength: 6 });

describe('GraphCaptureTest', () => {
  it('says so where capturing took longer than all work, and none of it is of a graph', () => {
    fc.assert(
      fc.property(fc.option(time, { nil: undefined }), work, (captured, all) => {
        const facts = captured === undefined ? {} : { facts: { graph_capture_ns: captured } };
        const kernels = all.map(({ dur, inGraph }, id) =>
          kernel({ id, dur, ...(inGraph ? { graph: { id: 1, node: 2 } } : {}) }),
        );
        const sum = all.reduce((total, { dur }) => total + dur, 0);
        const expected = (captured ?? 0) > sum && !all.some(({ inGraph }) => inGraph);
        expect(isCapture([{ ...profileOn(A100), ...facts }, ...kernels])).to.equal(expected);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('does not say so where the work of replayed graphs is missing', () => {
    const header = { ...profileOn(A100), facts: { graph_capture_ns: 100 } };
    const missing = { type: 'sample', profile: 0, start: 5, dur: 10, device: 0, metric: 'missing_work', value: 1, unit: null } as const; // prettier-ignore
    expect(isCapture([header])).to.equal(true);
    expect(isCapture([header, missing])).to.equal(false);
  });
});
