import { expect } from 'chai';
import { difference, fieldsOf, leastOf, mostOf, ratio, sumOf, total } from '../../../src/page/figures/field.js';
import type { PageProfile } from '../../../src/prof/html/page-data.js';
import { FIXTURE } from '../fixture.js';

const { overview, kernels } = FIXTURE.profiles[0] as PageProfile;
const kernel = fieldsOf('overview.kernels', overview.kernels);
const device = fieldsOf('overview.devices.0', overview.devices[0]);

describe('figures of a page', () => {
  it('are numbers of its data, named by where they stand', () => {
    expect(kernel('time')).to.deep.equal({ name: 'overview.kernels.time', value: 7e6 });
    const gaps = fieldsOf('overview.devices.0.gaps', overview.devices[0]?.gaps);
    expect(gaps('host')).to.deep.equal({ name: 'overview.devices.0.gaps.host', value: 1e6 });
  });

  it('are computed from such numbers, and named after how', () => {
    // (8 - 6 - 1) / 10
    expect(ratio(difference(device('busy'), device('compute'), device('exposed')), device('span'))).to.deep.equal({
      name: 'overview.devices.0.busy - overview.devices.0.compute - overview.devices.0.exposed / overview.devices.0.span',
      value: 0.1,
    });
    // 8 + 10
    expect(total(device('busy'), device('span')).value).to.equal(18e6);
  });

  it('go over lists', () => {
    expect(sumOf('kernels.shown.*', kernels.shown, 'count')).to.deep.equal({
      name: 'sum(kernels.shown.*.count)',
      value: 104,
    });
    expect(mostOf('kernels.shown.*', kernels.shown, 'time').value).to.equal(4e6);
    expect(leastOf('kernels.shown.*', kernels.shown, 'time').value).to.equal(1e6);
    // What is not known is passed over: of three, one has no share.
    expect(sumOf('kernels.shown.*', kernels.shown, 'tc').value).to.equal(1);
  });

  it('are null, never 0, where nothing is known', () => {
    expect(fieldsOf<{ readonly there: number }>('nothing', null)('there').value).to.equal(null);
    expect(sumOf<{ readonly busy: number }>('overview.devices.*', [], 'busy').value).to.equal(null);
    expect(total().value).to.equal(null);
    const unknown = { name: 'unknown', value: null };
    expect(difference(kernel('time'), unknown).value).to.equal(null);
    expect(difference(unknown, kernel('time')).value).to.equal(null);
    expect(total(kernel('time'), unknown).value).to.equal(null);
    expect(ratio(kernel('time'), unknown).value).to.equal(null);
    // Of no kernel the duration is unknown: 7 ms over 0.
    expect(ratio(kernel('time'), kernel('untimed')).value).to.equal(null);
  });

  it('cannot be asked for by a name that the data does not have', () => {
    // @ts-expect-error there is no such number
    expect(kernel('duration').value).to.equal(null);
    // @ts-expect-error a list is not a number
    expect(kernel('precision').value).to.equal(null);
  });
});
