/** Lanes with the names that the profile gives them, in place of the numbers of streams. */
import { expect } from 'chai';
import { join } from 'node:path';
import { pageContentsOf, shownFirst } from '../../../support/pages.js';
import { traced } from '../../../support/trace-events.js';
import { recordsOf } from '../../../support/profile-records.js';
import { ROOT } from '../../../support/shared.js';

const TPU = recordsOf(join(ROOT, 'samples', 'step-tpu.xplane.pb'), { ranges: true });
const LINES = ['XLA Ops', 'Async XLA Ops', 'XLA TraceMe'];

describe('lanes of a TPU', () => {
  it('have the names of its lines on the page', () => {
    const { lanes } = shownFirst(pageContentsOf(TPU));
    expect(lanes.filter(({ kind }) => kind === 'device').map(({ name }) => name)).to.deep.equal(LINES);
  });

  it('have them in a Perfetto trace, where waits have a track beside their line', () => {
    const paths = new Set(traced(TPU).shown.events.map(({ track }) => track.path));
    expect([...paths].flatMap((path) => /^device 0: TPU v6 Lite\/(.*)$/.exec(path)?.[1] ?? []).sort()).to.deep.equal([
      'Async XLA Ops',
      'XLA Ops',
      'XLA TraceMe syncs',
    ]);
  });
});
