import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { repeatXPlane } from '../../bench/repeat-xplane.js';
import { stepOnGpu, stepOnTpu } from '../../samples/programs/write-xplane.js';
import type { ProfileLine, SampleRecord } from '../../src/record/record.js';
import { freshPath } from '../support/fresh-path.js';
import { headerOf, kernelsOf, recordsOf } from '../support/profile-records.js';

function repeated(bytes: Buffer, times: number): string {
  const [path, pieces] = [freshPath('.xplane.pb'), [] as Buffer[]];
  repeatXPlane(bytes, times, (piece) => pieces.push(Buffer.from(piece)));
  writeFileSync(path, Buffer.concat(pieces));
  return path;
}

const samplesIn = (path: string): SampleRecord[] =>
  recordsOf(path, { ranges: true }).filter((line: ProfileLine) => line.type === 'sample');

describe('repeated XPlane', () => {
  it('has the events of each copy behind those of the one before', () => {
    // The first event starts at 1.5 us, the last one ends at 140 us; a whole ns more, and a gap of 1 us.
    const stride = 139_501;
    const path = repeated(stepOnGpu(), 3);
    const once = kernelsOf(repeated(stepOnGpu(), 1));
    const kernels = kernelsOf(path);
    expect(kernels.map(({ start, dur, ps }) => [start, dur, ps])).to.deep.equal(
      [0, 1, 2].flatMap((copy) => once.map(({ start, dur, ps }) => [start + copy * stride, dur, ps])),
    );
    expect(kernels.map(({ name, launch }) => [name, launch?.api])).to.deep.equal(
      [0, 1, 2].flatMap(() => once.map(({ name, launch }) => [name, launch?.api])),
    );
    expect(new Set(kernels.map(({ corr }) => corr)).size).to.equal(3 * once.length);
    const steps = samplesIn(path).filter(({ metric }) => metric === 'step');
    expect(steps.map(({ value }) => value)).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(headerOf(path).dur).to.equal(400_000 + 2 * stride);
  });

  it('joins programs on TPUs to the launches of their own copy', () => {
    const kernels = kernelsOf(repeated(stepOnTpu(), 2));
    const launches = kernels.map(({ launch }) => launch?.start ?? NaN);
    expect(launches.every((start, i) => start < (kernels[i]?.start ?? 0))).to.equal(true);
    expect(new Set(launches).size).to.equal(2);
  });

  it('needs times below 2^53 ps', () => {
    expect(() => repeatXPlane(stepOnGpu(), 1e9, () => {})).to.throw('exceeds 2^53');
  });
});
