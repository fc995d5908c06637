/** Rows of the ranks of a page: what they are called, and what they are held against. */
import { expect } from 'chai';
import { join } from 'node:path';
import type { PageJob } from '../../../../src/prof/html/page-data.js';
import type { ProfileLine } from '../../../../src/record/record.js';
import { pageContentsOf } from '../../../support/pages.js';
import { neuronProfile, instruction } from '../../../support/neuron.js';
import { kernel } from '../../../support/kernels.js';

/** A capture of two cores, the second of which works less. */
function* capture(profile: number, rank: number | null): Generator<ProfileLine> {
  const file = join('job', `profile_rank_${profile}.ntff`);
  yield neuronProfile({ profile, rank, file });
  // Ranks of different work: the same would be a copy.
  yield instruction('COPY', 'Vector', 0, 1000 + profile, { profile, device: 4 });
  yield instruction('COPY', 'Vector', 100, 10 + profile, { profile, device: 5 });
}

const rowsOf = (lines: Iterable<ProfileLine>): readonly (readonly [name: string, sharesRank: boolean])[] =>
  (pageContentsOf(lines).data.job as PageJob).ranks.map(({ name, sharesRank }) => [name, sharesRank]);

describe('ranks of a page', () => {
  it('that have several devices each are a row a device, which says so', () => {
    expect(rowsOf([...capture(0, 0), ...capture(1, 1)])).to.deep.equal([
      ['rank 0, device 4', true],
      ['rank 0, device 5', true],
      ['rank 1, device 4', true],
      ['rank 1, device 5', true],
    ]);
  });

  it('are not the cores of a Neuron capture, and are the devices of one process', () => {
    expect(rowsOf(capture(0, null))).to.deep.equal([
      ['device 4', true],
      ['device 5', true],
    ]);
    const gpus = [0, 1].map((id) => ({ ...neuronProfile().devices[0], id, name: 'NVIDIA H100', vendor: 'nvidia' }));
    const lines = [
      neuronProfile({ format: 'nsight', devices: gpus as never, facts: {} }),
      kernel({ id: 1, device: 0 }),
      kernel({ id: 2, device: 1 }),
    ];
    expect(rowsOf(lines)).to.deep.equal([
      ['device 0', false],
      ['device 1', false],
    ]);
  });
});
