import { expect } from 'chai';
import type { PageProfile } from '../../src/prof/html/page-data.js';
import { deviceTexts, openedAtFirst } from '../../src/page/profile-labels.js';
import { FIXTURE } from './fixture.js';

const device = (id: number, name: string | null) => ({ id, name, arch: 'gfx942' });

describe('names of devices in the header', () => {
  const CASES = [
    [[device(0, 'H100')], [0], ['H100']],
    [[0, 1].map((id) => device(id, 'H100')), [0, 1], ['2 × H100']],
    [Array.from({ length: 8 }, (_, id) => device(id, 'MI300X')), [3], ['8 × MI300X installed, 1 used']],
    [[device(0, 'A100'), device(1, 'T4')], [0], ['A100', 'T4 installed, none used']],
    [[device(0, null)], [], ['gfx942']],
    [[0, 1].map((id) => device(id, 'H100')), [], ['2 × H100']],
  ] as const;
  for (const [devices, used, texts] of CASES)
    it(`are ${texts.join(' · ')}`, () => expect(deviceTexts(devices, new Set(used))).to.deep.equal(texts));
});

describe('profile that a page opens on', () => {
  const [first] = FIXTURE.profiles as [PageProfile];
  const busy = (...times: readonly number[]): PageProfile => ({
    ...first,
    overview: { ...first.overview, devices: first.overview.devices.flatMap((one) => times.map((time) => ({ ...one, busy: time }))) },
  }); // prettier-ignore
  const opened = (...profiles: readonly PageProfile[]): number => openedAtFirst({ profiles });

  it('is the first of those with much work', () => {
    expect(opened(busy(100), busy(120))).to.equal(0);
    expect(opened(busy(1), busy(100), busy(90))).to.equal(1);
    expect(opened(busy(), busy(30, 30), busy(100))).to.equal(1);
    expect(opened(busy(), busy())).to.equal(0);
    expect(opened()).to.equal(0);
  });
});
