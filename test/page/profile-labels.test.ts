import { expect } from 'chai';
import fc from 'fast-check';
import type { PageProfile } from '../../src/prof/html/page-data.js';
import { deviceTexts, rankNames } from '../../src/page/profile-labels.js';
import { openedAtFirst } from '../../src/prof/html/page-elements.js';
import { FIXTURE } from './fixture.js';

const device = (id: number, name: string | null) => ({ id, vendor: 'amd', name, arch: 'gfx942' });
const nameless = (vendor: string) => ({ id: 0, vendor, name: null, arch: null });

describe('names of devices in the header', () => {
  const CASES = [
    [[device(0, 'H100')], [0], ['H100']],
    [[0, 1].map((id) => device(id, 'H100')), [0, 1], ['2 × H100']],
    [Array.from({ length: 8 }, (_, id) => device(id, 'MI300X')), [3], ['8 × MI300X installed, 1 used']],
    [[device(0, 'A100'), device(1, 'T4')], [0], ['A100', 'T4 installed, none used']],
    [[device(0, null)], [], ['gfx942']],
    [[0, 1].map((id) => device(id, 'H100')), [], ['2 × H100']],
    [[nameless('nvidia')], [0], ['NVIDIA GPU (model not recorded)']],
    [[nameless('unknown')], [0], ['device (model not recorded)']],
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
  const opened = (...profiles: readonly PageProfile[]): number => openedAtFirst(profiles);

  it('is the first of those with much work', () => {
    expect(opened(busy(100), busy(120))).to.equal(0);
    expect(opened(busy(1), busy(100), busy(90))).to.equal(1);
    expect(opened(busy(), busy(30, 30), busy(100))).to.equal(1);
    expect(opened(busy(), busy())).to.equal(0);
    expect(opened()).to.equal(0);
  });

  it('is no capture of a graph where another did any work, however much the capture warmed up', () => {
    const capture = { ...busy(100), isGraphCapture: true };
    expect(opened(capture, busy(10))).to.equal(1);
    expect(opened(busy(10), capture)).to.equal(0);
    expect(opened(capture, busy(), capture)).to.equal(0);
  });
});

describe('names of profiles', () => {
  const [first] = FIXTURE.profiles as [PageProfile];
  const [header] = [first.overview.header].filter((known) => known !== null);
  if (header === undefined) throw new Error('no header');
  const named = (rank: number | null, file: string, isGraphCapture = false): PageProfile => ({
    ...{ ...first, isGraphCapture },
    overview: { ...first.overview, header: { ...header, rank, file } },
  });
  const CASES: readonly (readonly [names: string[], profiles: PageProfile[]])[] = [
    [
      ['rank 0', 'rank 1'],
      [named(0, 'a.gz'), named(1, 'b.gz')],
    ],
    [
      ['rank 0, a.gz (graph capture)', 'rank 0, b.gz'],
      [named(0, 'a.gz', true), named(0, 'b.gz')],
    ],
    [
      ['a.gz (graph capture)', 'b.gz'],
      [named(null, 'a.gz', true), named(null, 'b.gz')],
    ],
    [
      ['a.gz, profile 0', 'a.gz, profile 1', 'rank 2'],
      [named(null, 'a.gz'), named(null, 'a.gz'), named(2, 'a.gz')],
    ],
    [
      ['Example Profiler', 'b.gz'],
      [named(null, '-'), named(null, 'b.gz')],
    ],
  ];
  for (const [names, profiles] of CASES)
    it(`are ${names.join(' · ')}`, () => expect(rankNames({ profiles })).to.deep.equal(names));

  it('differ, whatever ranks and files are equal', () => {
    const some = fc.tuple(fc.option(fc.integer({ min: 0, max: 2 })), fc.constantFrom('a', 'b', 'c'), fc.boolean());
    fc.assert(
      fc.property(fc.array(some, { maxLength: 8 }), (all) => {
        const names = rankNames({ profiles: all.map((one) => named(...one)) });
        expect(new Set(names).size).to.equal(all.length);
        expect(names.map((name) => name.endsWith('(graph capture)'))).to.deep.equal(all.map(([, , is]) => is));
      }),
    );
  });
});
