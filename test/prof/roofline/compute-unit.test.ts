import Database from 'better-sqlite3';
import { expect } from 'chai';
import { COMPUTE_UNITS, occupancyOf } from '../../../src/prof/roofline/occupancy.js';
import type { Extent } from '../../../src/record/record.js';
import { kernelsOf, openedRecordsOf } from '../../support/profile-records.js';
import { itShared, sharedFile } from '../../support/shared.js';

/** Vector, accumulation and scalar registers. */
type Registers = readonly [vector: number, accumulation: number | null, scalar: number | null];

const kernel = (block: Extent, [registers, accumRegisters, scalarRegisters]: Registers, sharedBytes = 0) => ({
  ...{ block, registers, accumRegisters, scalarRegisters, sharedBytes },
});

/** Blocks of a wave, so that the number of blocks is that of waves. */
const wavesOf = (registers: Registers, arch: string): number | undefined =>
  occupancyOf(kernel([COMPUTE_UNITS[arch]?.wave ?? 0, 1, 1], registers), arch)?.warps;

describe('theoretical occupancy on AMD', () => {
  it('adds registers for accumulation where they share the register file', () => {
    // 64 + 72 = 136: 512 / 136 = 3 waves of 8; a block of 4 waves is one on each unit.
    const gemm = kernel([16, 16, 1], [64, 72, 112], 20_480);
    expect(occupancyOf(gemm, 'gfx942')).to.deep.equal({ ...{ blocks: 3, warps: 12, mostWarps: 32, share: 0.375 }, limit: 'registers' }); // prettier-ignore
    // Files of their own: 256 / max(64, 72) = 3 waves of 10; 64 KiB hold 3 blocks of 20 KiB too.
    expect(occupancyOf(gemm, 'gfx908')).to.include({ blocks: 3, mostWarps: 40, share: 0.3 });
  });

  it('is limited by local memory in its allocation unit', () => {
    // 29,440 B take 58 units of 512 B: 65,536 / 29,696 = 2; on gfx950, 23 units of 1280 B: 163,840 / 29,440 = 5.
    const block = kernel([256, 1, 1], [32, 8, 32], 29_440);
    expect(occupancyOf(block, 'gfx90a')).to.include({ blocks: 2, share: 0.25, limit: 'shared memory' });
    expect(occupancyOf(block, 'gfx950')).to.include({ blocks: 5, share: 0.625, limit: 'shared memory' });
  });

  it('is limited by scalar registers, 16 more of which the trap handler takes', () => {
    // 800 / (80 + 16) = 8, 800 / (96 + 16) = 7, 800 / (112 + 16) = 6 waves for each of 4 units.
    expect([80, 96, 112].map((count) => wavesOf([8, 0, count], 'gfx942'))).to.deep.equal([32, 28, 24]);
    expect(wavesOf([8, 0, 112], 'gfx906')).to.equal(24);
    expect(wavesOf([8, 0, 128], 'gfx1100')).to.equal(64);
  });

  it('is limited by barriers where blocks have several waves', () => {
    // 40 waves in blocks of 2 would be 20 blocks.
    expect(occupancyOf(kernel([128, 1, 1], [8, 0, 16]), 'gfx906')).to.include({
      blocks: 16,
      share: 0.8,
      limit: 'blocks',
    });
    expect(occupancyOf(kernel([64, 1, 1], [8, 0, 16]), 'gfx906')).to.include({
      blocks: 40,
      share: 1,
      limit: 'threads',
    });
  });

  it("has the compiler's numbers of waves: its tests of occupancy by registers", () => {
    const counts = [24, 40, 72, 96, 128, 200, 256];
    const wavesOfUnit = (arch: string): (number | undefined)[] =>
      counts.map((count) => (wavesOf([count, 0, 16], arch) ?? NaN) / (COMPUTE_UNITS[arch]?.simds ?? NaN));
    expect(wavesOfUnit('gfx906')).to.deep.equal([10, 6, 3, 2, 2, 1, 1]);
    expect(wavesOfUnit('gfx942')).to.deep.equal([8, 8, 7, 5, 4, 2, 2]);
    expect(wavesOfUnit('gfx1030')).to.deep.equal([16, 16, 12, 10, 8, 4, 4]);
    expect(wavesOfUnit('gfx1100')).to.deep.equal([16, 16, 16, 16, 10, 7, 5]);
  });

  it('takes the counts of older tracers on gfx950 twice, and knows nothing where both readings differ', () => {
    // 92 is not one of a later tracer: 184 of 512, 2 waves. 128 may be 128 or 256, 4 or 2 waves; local memory holds 1 block.
    expect(wavesOf([92, 0, 80], 'gfx950')).to.equal(8);
    expect(wavesOf([128, 0, 80], 'gfx950')).to.equal(undefined);
    expect(wavesOf([96, 32, 80], 'gfx950')).to.equal(16);
    expect(occupancyOf(kernel([256, 1, 1], [128, 0, 96], 114_688), 'gfx950')).to.include({ blocks: 1, share: 0.125, limit: 'shared memory' }); // prettier-ignore
    // 240 twice would be 480: no room for a block of 16 waves.
    expect(occupancyOf(kernel([512, 1, 1], [240, 0, 80]), 'gfx950')).to.include({ blocks: 1, share: 0.25 });
  });

  it('is unknown without one of the counts, for waves of 64 threads on RDNA, and for what cannot run', () => {
    const unknown: readonly [Registers, string][] = [
      [[64, null, 32], 'gfx942'],
      [[64, 0, null], 'gfx942'],
      [[12, 0, 128], 'gfx1100'],
      [[64, 0, 32], 'gfx1310'],
    ];
    for (const [registers, arch] of unknown)
      expect(occupancyOf(kernel([64, 1, 1], registers), arch), arch).to.equal(null);
    expect(occupancyOf(kernel([1024, 1, 1], [256, 0, 32]), 'gfx942')).to.equal(null);
    expect(occupancyOf(kernel([64, 1, 1], [8, 0, 32], 65_537), 'gfx942')).to.equal(null);
  });

  const DATABASES = ['rocpd/bmm_mi300x_results.db', 'rocpd/transpose_w7800_api_only_results.db'];
  itShared(
    'has the limits that devices state',
    DATABASES.map((path) => `data/amd/${path}`),
    (paths) => {
      for (const path of paths) {
        const database = new Database(sharedFile(path) ?? path, { readonly: true });
        const fact = (name: string): string => `json_extract(extdata, '$.${name}')`;
        const columns = `${fact('wave_front_size')} AS wave, ${fact('max_waves_per_simd')} AS waves, ${fact('lds_size_in_kb')} / ${fact('simd_per_cu')} AS shared`;
        const agents = database.prepare(`SELECT name, ${columns} FROM rocpd_info_agent WHERE type = 'GPU'`).all();
        database.close();
        expect(agents).to.not.deep.equal([]);
        for (const { name, ...stated } of agents as { name: string }[]) {
          const { wave, waves, shared, simds } = COMPUTE_UNITS[name] ?? { wave: 0, waves: 0, shared: 0, simds: 1 };
          expect({ wave, waves, shared: shared / simds }, name).to.deep.equal(stated);
        }
      }
    },
  );

  itShared('of a product of matrices on an MI300X', ['data/amd/rocpd/bmm_mi300x_results.db'], ([path = '']) => {
    const occupancies = kernelsOf(path).map((record) => [record.accumRegisters, record.scalarRegisters, occupancyOf(record, 'gfx942')?.warps]); // prettier-ignore
    // 64 + 72 = 136 registers: 3 waves on each of 4 units. The fill has 12 + 4, and all waves.
    expect([...new Set(occupancies.map(String))]).to.deep.equal(['4,48,32', '72,112,12']);
  });

  itShared('of training on an MI350X', ['data/amd/mi350_fsdp_12000_results.json.gz'], async ([path = '']) => {
    const counts = new Map<string, number>();
    for (const record of await openedRecordsOf(path))
      if (record.type === 'kernel') {
        const warps = String(occupancyOf({ block: null, ...record }, 'gfx950')?.warps);
        counts.set(warps, (counts.get(warps) ?? 0) + 1);
      }
    // Worked out apart from the reader and the program; unknown are products of matrices of 128 registers, or of 256.
    expect(Object.fromEntries(counts)).to.deep.equal({
      ...{ 2: 11, 4: 668, 8: 390, 12: 11, 20: 116, 21: 11, 24: 11, 28: 367, 30: 22, 32: 9839, undefined: 554 },
    });
  });
});
