import { expect } from 'chai';
import { valueOf } from '../../../src/page/figures/field.js';
import type { PageProfile } from '../../../src/prof/html/page-data.js';
import { FIXTURE } from '../fixture.js';

const scope = { data: { ...FIXTURE, opened: 0 }, profile: FIXTURE.profiles[0] as PageProfile };
const value = (field: string): number | null => valueOf(scope, field);

describe('fields of a page', () => {
  it('are paths in the profile that is shown, or in the page', () => {
    expect(value('overview.kernels.time')).to.equal(7e6);
    expect(value('overview.devices.0.gaps.host')).to.equal(1e6);
    expect(value('profiles.1.overview.devices.0.busy')).to.equal(9.6e6);
    expect(value('advice.0.finding.gain.ns')).to.equal(5e5);
  });

  it('are evaluated from left to right', () => {
    // (8 - 6 - 1) / 10
    expect(
      value(
        'overview.devices.0.busy - overview.devices.0.compute - overview.devices.0.notUnderCompute / overview.devices.0.span',
      ),
    ).to.equal(0.1);
  });

  it('go over lists', () => {
    expect(value('sum(kernels.shown.*.count)')).to.equal(104);
    expect(value('max(kernels.shown.*.time)')).to.equal(4e6);
    expect(value('min(kernels.shown.*.time)')).to.equal(1e6);
    // What is not known is passed over: of three, one has no share.
    expect(value('sum(kernels.shown.*.tc)')).to.equal(1);
  });

  it('are null, never 0, where nothing is there', () => {
    expect(value('overview.nothing.there')).to.equal(null);
    expect(value('sum(overview.graphs.*.time)')).to.equal(null);
    expect(value('overview.kernels.time / overview.kernels.untimed')).to.equal(null);
    expect(value('overview.kernels.time - overview.nothing')).to.equal(null);
  });
});
