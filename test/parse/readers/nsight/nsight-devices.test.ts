import { expect } from 'chai';
import type { Device } from '../../../../src/record/record.js';
import { globalPid, NsightDatabase } from '../../../support/nsight-database.js';
import { headerOf, kernelsOf } from '../../../support/profile-records.js';

const GPUS = ['A', 'B', 'C'] as const;

/** Three GPUs, ids 0 to 2, and one kernel of each process on each ordinal of its own. */
function host(
  ordinals: readonly (readonly [pid: number, ordinal: number, gpu: number])[],
  used: readonly (readonly [pid: number, ordinal: number])[],
): { devices: [id: number, name: string | null][]; ran: [pid: number, device: number][] } {
  const db = new NsightDatabase();
  GPUS.forEach((name, id) => db.row('TARGET_INFO_GPU', { id, name, cuDevice: id }));
  for (const [pid, cudaId, gpuId] of ordinals) db.row('TARGET_INFO_CUDA_DEVICE', { gpuId, cudaId, pid });
  used.forEach(([pid, deviceId], i) =>
    db.kernel({ start: 100 + i, end: 101 + i }, null, { deviceId, globalPid: globalPid(pid) }, `of ${pid}`),
  );
  const path = db.write();
  return {
    devices: headerOf(path).devices.map(({ id, name }) => [id, name]),
    ran: kernelsOf(path).map(({ name, device }) => [Number(name.slice(3)), device]),
  };
}

describe('Nsight Systems: devices', () => {
  const unknown: Omit<Device, 'id'> = {
    ...{ vendor: 'nvidia', name: null, arch: null, units: null },
    ...{ clockHz: null, memBytesPerS: null, memBytes: null },
  };

  it('keep the ordinals of CUDA when all processes mean the same by them', () => {
    const ordinals = [[10, 0, 2], [10, 1, 1], [11, 0, 2]] as const; // prettier-ignore
    const { devices, ran } = host(ordinals, [[10, 0], [10, 1], [11, 0]]); // prettier-ignore
    expect(devices).to.deep.equal([[0, 'C'], [1, 'B']]); // prettier-ignore
    expect(ran).to.deep.equal([[10, 0], [10, 1], [11, 0]]); // prettier-ignore
  });

  it('are distinguished by GPU when each process sees its own GPU as 0 (CUDA_VISIBLE_DEVICES)', () => {
    const { devices, ran } = host([[10, 0, 2], [11, 0, 1]], [[10, 0], [11, 0]]); // prettier-ignore
    expect(ran).to.deep.equal([[10, 2], [11, 1]]); // prettier-ignore
    expect(new Map(devices).get(2)).to.equal('C');
    expect(new Map(devices).get(1)).to.equal('B');
  });

  it('are those of the GPU rows in exports without the mapping', () => {
    const { devices, ran } = host([], [[10, 1]]);
    expect(devices).to.deep.equal([[0, 'A'], [1, 'B'], [2, 'C']]); // prettier-ignore
    expect(ran).to.deep.equal([[10, 1]]);
  });

  it('that only occur in kernels are listed with unknown properties', () => {
    const db = new NsightDatabase().kernel({ start: 1, end: 2 }, null, { deviceId: 5 });
    expect(headerOf(db.write()).devices).to.deep.equal([{ id: 5, ...unknown }]);
  });

  it('have the units that the columns hold, whatever the documentation says', () => {
    const db = new NsightDatabase().row('TARGET_INFO_GPU', {
      ...{ id: 0, name: 'NVIDIA GeForce RTX 3080', computeMajor: 8, computeMinor: 6, smCount: 68, cuDevice: 0 },
      ...{ clockRate: 1_710_000_000, memoryBandwidth: 760_080_000_000n, totalMemory: 10_736_893_952n },
    });
    expect(headerOf(db.write()).devices).to.deep.equal([
      {
        ...{ id: 0, vendor: 'nvidia', name: 'NVIDIA GeForce RTX 3080', arch: 'sm86', units: 68 },
        ...{ clockHz: 1_710_000_000, memBytesPerS: 760_080_000_000, memBytes: 10_736_893_952 },
      },
    ]);
  });

  it('have null for every value that is not there', () => {
    const db = new NsightDatabase().row('TARGET_INFO_GPU', { id: 0 });
    expect(headerOf(db.write()).devices).to.deep.equal([{ id: 0, ...unknown }]);
  });
});
