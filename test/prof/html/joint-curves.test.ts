import { expect } from 'chai';
import type { PageJob } from '../../../src/prof/html/page-data.js';
import { jointUtilisation } from '../../../src/prof/html/utilisation/joint-curves.js';
import type { JointCurves, Utilisation } from '../../../src/prof/html/utilisation/utilisation-data.js';

const RANK: PageJob['ranks'][number] = {
  ...{ name: 'rank 0', node: null, clock: 'reference', offset: 0, shift: 0, drift: 0, bound: null, waited: null },
  ...{ unsure: null, last: null, delayed: null, profile: 0, device: 0, sharesRank: false, isLate: false },
};
const rank = (profile: number | null, of: Partial<typeof RANK> = {}): typeof RANK => ({
  ...{ ...RANK, name: `rank ${profile ?? 'elsewhere'}`, profile },
  ...of,
});

/** One device with spans of 300 ns from the profile's start, and a curve of cores. */
const profile = (busy: readonly number[], cores: number | null = null): { readonly utilisation: Utilisation } => ({
  utilisation: {
    ...{ start: 0, width: 300, host: null },
    devices: [{ device: 0, busy, compute: busy, communication: [], memory: [] }],
    cpu: cores === null ? null : { start: 0, width: 600, values: [cores] },
  },
});

/** Values at the middle of thirds of the time, by name. */
const thirds = (curves: JointCurves | null): Record<string, (number | null)[]> =>
  Object.fromEntries(
    (curves?.lines ?? []).map(({ name, values }) => [name, [50, 150, 250].map((bin) => values[bin] ?? null)]),
  );

describe('utilisation of all profiles of a page', () => {
  it('has a line a rank in the time of the job, and their mean', () => {
    // rank 0: 0-600; rank 1: 300-900
    const { isAligned, devices, cpu } = jointUtilisation(
      [rank(0), rank(1, { shift: 300 })],
      [profile([1, 0.5]), profile([0, 0.25])],
    );
    expect(isAligned).to.equal(true);
    expect(cpu).to.equal(null);
    expect(devices).to.include({ start: 0, width: 3, members: 2, isByMachine: false });
    expect(thirds(devices)).to.deep.equal({
      All: [1, 0.25, 0.25],
      'rank 0': [1, 0.5, null],
      'rank 1': [null, 0, 0.25],
    });
  });

  it('has a line a machine, whose ranks count alike', () => {
    const ranks = [0, 1, 2].map((at) => rank(at, { node: at < 2 ? 'a' : 'b' }));
    const { devices, cpu } = jointUtilisation(ranks, [profile([1, 1], 3), profile([0, 0], 1), profile([0.5, 0.5], 2)]);
    expect(devices?.isByMachine).to.equal(true);
    expect(thirds(devices)).to.deep.equal({
      All: [0.5, 0.5, 0.5],
      'machine a': [0.5, 0.5, 0.5],
      'machine b': [0.5, 0.5, 0.5],
    });
    expect(thirds(cpu)).to.deep.equal({ All: [2, 2, 2], 'machine a': [2, 2, 2], 'machine b': [2, 2, 2] });
  });

  it('has the least and the most of many, and passes over ranks that the page does not hold', () => {
    const ranks = [...Array.from({ length: 9 }, (_, at) => rank(at)), rank(null, { shift: null })];
    const profiles = Array.from({ length: 9 }, (_, at) => profile([at / 10, 0.5]));
    const { isAligned, devices } = jointUtilisation(ranks, profiles);
    expect({ isAligned, members: devices?.members }).to.deep.equal({ isAligned: true, members: 9 });
    expect(devices?.lines.map(({ name, values }) => [name, values[0], values[299]])).to.deep.equal([
      ['All', 0.4, 0.5],
      ['Minimum', 0, 0.5],
      ['Maximum', 0.8, 0.5],
    ]);
  });

  it('has a line each for the same rank of two runs, by their profiles', () => {
    const { devices } = jointUtilisation([rank(0), rank(1, { name: 'rank 0' })], [profile([1]), profile([0])]);
    expect(thirds(devices)).to.deep.equal({
      All: [0.5, 0.5, 0.5],
      'rank 0, profile 0': [1, 1, 1],
      'rank 0, profile 1': [0, 0, 0],
    });
  });

  it('is of each own time where a clock is unknown, or runs were at different times', () => {
    for (const shift of [null, 5000]) {
      const { isAligned, devices } = jointUtilisation(
        [rank(0), rank(1, { shift })],
        [profile([1, 0]), profile([0, 1])],
      );
      expect(isAligned).to.equal(false);
      expect(devices).to.include({ start: 0, width: 2 });
    }
  });

  it('is in the time of the job with a profile without work, whose time is that of its threads', () => {
    const withoutWork = (cpu: Utilisation['cpu']): ReturnType<typeof profile> => ({
      utilisation: { start: 0, width: 1, devices: [], host: null, cpu },
    });
    const ranks = [rank(0), rank(1, { shift: 300 })];
    // rank 0: 0-600; rank 1: threads 300-900, as 0-600 of its own time
    const { isAligned, cpu } = jointUtilisation(ranks, [
      profile([1, 1], 3),
      withoutWork({ start: 0, width: 600, values: [1] }),
    ]);
    expect(isAligned).to.equal(true);
    expect(thirds(cpu)).to.deep.equal({ All: [3, 2, 1], 'rank 0': [3, 3, null], 'rank 1': [null, 1, 1] });
    const two = [...ranks, rank(2, { shift: 5000 })];
    expect(jointUtilisation(two, [profile([1, 1]), profile([1, 1]), withoutWork(null)]).isAligned).to.equal(true);
  });

  it('counts the cores of a profile of several devices once', () => {
    const two = [rank(0), rank(0, { name: 'device 1', device: 1 })];
    expect(jointUtilisation(two, [profile([1], 2)])).to.deep.equal({ isAligned: true, devices: null, cpu: null });
  });
});
