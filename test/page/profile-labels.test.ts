import { expect } from 'chai';
import { deviceTexts } from '../../src/page/profile-labels.js';

const device = (id: number, name: string | null) => ({ id, name, arch: 'gfx942' });

describe('names of devices in the header', () => {
  const CASES = [
    [[device(0, 'H100')], [0], ['H100']],
    [[0, 1].map((id) => device(id, 'H100')), [0, 1], ['2 × H100']],
    [Array.from({ length: 8 }, (_, id) => device(id, 'MI300X')), [3], ['8 × MI300X installed, 1 used']],
    [[device(0, 'A100'), device(1, 'T4')], [0], ['A100', 'T4 installed, none used']],
    [[device(0, null)], [], ['gfx942 installed, none used']],
  ] as const;
  for (const [devices, used, texts] of CASES)
    it(`are ${texts.join(' · ')}`, () => expect(deviceTexts(devices, new Set(used))).to.deep.equal(texts));
});
