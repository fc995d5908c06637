import { expect } from 'chai';
import { devicesOfTrace } from '../../../../src/parse/readers/kineto/devices.js';
import { openInput } from '../../../../src/parse/source.js';
import type { Device } from '../../../../src/record/record.js';
import { headerOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const H100 = { id: 0, name: 'NVIDIA H100 80GB HBM3', totalGlobalMem: 85018279936, computeMajor: 9, computeMinor: 0, numSms: 132 }; // prettier-ignore
const MI300 = { id: 0, name: 'AMD Instinct MI300X', totalGlobalMem: 206141652992, computeMajor: 9, computeMinor: 4, numSms: 304 }; // prettier-ignore

const read = (properties: unknown, ...used: number[]): Device[] => devicesOfTrace(properties, new Set(used));
const unknown = (id: number): Device => ({
  id,
  vendor: 'unknown',
  name: null,
  arch: null,
  units: null,
  clockHz: null,
  memBytesPerS: null,
  memBytes: null,
});

describe('Kineto: devices', () => {
  it('as the trace describes them', () => {
    expect(read([H100])).to.deep.equal([
      {
        id: 0,
        vendor: 'nvidia',
        name: 'NVIDIA H100 80GB HBM3',
        arch: 'sm90',
        units: 132,
        clockHz: null,
        memBytesPerS: null,
        memBytes: 85018279936,
      },
    ]);
  });

  // LLVM, "User Guide for AMDGPU Backend": processors of the Instinct series.
  const architectures: [name: string, vendor: string, arch: string | null][] = [
    ['Tesla V100-SXM2-16GB', 'nvidia', 'sm90'],
    ['A100', 'nvidia', 'sm90'],
    ['NVIDIA GeForce RTX 4090', 'nvidia', 'sm90'],
    ['AMD Instinct MI210', 'amd', 'gfx90a'],
    ['AMD Instinct MI250X/MI250', 'amd', 'gfx90a'],
    ['AMD Instinct MI300X', 'amd', 'gfx942'],
    ['AMD Instinct MI325X', 'amd', 'gfx942'],
    ['AMD Instinct MI355X', 'amd', 'gfx950'],
    ['AMD Radeon RX 7900 XTX', 'amd', null],
    ['Graphcore', 'unknown', null],
  ];
  for (const [name, vendor, arch] of architectures) {
    it(`${name}: ${vendor}, ${arch ?? 'architecture not known'}`, () => {
      expect(read([{ ...H100, name }])[0]).to.include({ vendor, arch, name });
    });
  }

  it("without a telling name are those of the trace's runtime; AMD's have an architecture by version if it is one's alone", () => {
    const named = (device: object, vendor: string): unknown => devicesOfTrace([device], new Set(), vendor)[0];
    const { name, ...nameless } = MI300;
    expect(named({ ...nameless, name: '' }, 'amd')).to.include({
      vendor: 'amd',
      name: null,
      arch: 'gfx942',
      units: 304,
    });
    expect(named({ ...nameless, computeMinor: 5 }, 'amd')).to.include({ arch: 'gfx950' });
    // 9.0 is gfx900 to gfx90a.
    expect(named({ ...nameless, computeMinor: 0 }, 'amd')).to.include({ vendor: 'amd', arch: null });
    expect(named({ ...nameless, name: '' }, 'nvidia')).to.include({ vendor: 'nvidia', arch: 'sm94' });
    expect(named({ ...MI300, name }, 'nvidia')).to.include({ vendor: 'amd' });
  });

  for (const file of ['vllm_decode.capture', 'vllm_decode.replay']) {
    itShared(`${file}: the nameless devices are AMD's`, [`data/kineto/graphs/${file}.json.gz`], async ([path = '']) => {
      const input = await openInput(path);
      const header = headerOf(input.path);
      input.dispose();
      const expected = { vendor: 'amd', name: null, arch: 'gfx942', units: 304, memBytes: 206141652992 };
      for (const device of header.devices) expect(device).to.include(expected);
      expect(header.devices.length).to.be.above(0);
    });
  }

  it('of one model are listed under the ids of activities too: AMD numbers the CPUs among the devices', () => {
    const both = read([MI300, { ...MI300, id: 1 }], 2, 3);
    expect(both.map(({ id, name }) => [id, name])).to.deep.equal([0, 1, 2, 3].map((id) => [id, 'AMD Instinct MI300X']));
  });

  it('of several models do not describe another id', () => {
    expect(read([H100, { ...MI300, id: 1 }], 1, 4)[2]).to.deep.equal(unknown(4));
  });

  it('that are not described are known by number alone', () => {
    for (const properties of [
      undefined,
      null,
      'GPU',
      5,
      {},
      [null, 3],
      [{ id: 'zero' }],
      [{ name: 'A100' }],
      [{ id: -1 }],
    ])
      expect(read(properties, 3), JSON.stringify(properties)).to.deep.equal([unknown(3)]);
  });

  it('cells of the wrong type are not known', () => {
    expect(read([{ id: 0, name: 5, numSms: '132', totalGlobalMem: -1 }])).to.deep.equal([unknown(0)]);
  });
});
