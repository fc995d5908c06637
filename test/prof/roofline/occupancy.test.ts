import Database from 'better-sqlite3';
import { expect } from 'chai';
import fc from 'fast-check';
import { MULTIPROCESSORS, occupancyOf } from '../../../src/prof/roofline/occupancy.js';
import type { Extent } from '../../../src/record/record.js';
import { fileOf, isKernel, ofType, rawTraceOf, recordsOf, traceOf, TRACES } from '../../support/kineto.js';
import { propertyRuns } from '../../support/property-runs.js';
import { itEachShared, itShared, sharedFile } from '../../support/shared.js';

const threads = (block: Extent): number => block[0] * block[1] * block[2];
const kernel = (block: Extent, registers: number, sharedBytes: number) => ({ block, registers, sharedBytes });

/** What the tracer calls estimated occupancy, %: that of the blocks which the grid has for each multiprocessor. */
const STATED = 'est. achieved occupancy %';

const NSIGHT = ['rtx3080_with_target_info', 'cuda_graph_rtx3060', 'nvfuser_h200', 'vsr_a100_pyprof', 'nvtx_only'];

describe('theoretical occupancy', () => {
  it('by threads, blocks, registers or shared memory', () => {
    expect(occupancyOf(kernel([256, 1, 1], 96, 0), 'sm75')).to.deep.equal({
      blocks: 2,
      warps: 16,
      mostWarps: 32,
      share: 0.5,
      limit: 'registers',
    });
    expect(occupancyOf(kernel([32, 1, 1], 16, 0), 'sm80')).to.include({ blocks: 32, share: 0.5, limit: 'blocks' });
    expect(occupancyOf(kernel([128, 1, 1], 32, 0), 'sm80')).to.include({ share: 1, limit: 'threads' });
    expect(occupancyOf(kernel([128, 1, 1], 252, 67584), 'sm80')).to.include({ blocks: 2, share: 0.125 });
    expect(occupancyOf(kernel([128, 1, 1], 64, 98304), 'sm80')).to.include({ blocks: 1, limit: 'shared memory' });
  });

  it('is unknown without a launch, without registers, on other devices, and for what cannot run', () => {
    const whole = kernel([128, 1, 1], 32, 0);
    for (const missing of [{ block: null }, { registers: null }, { sharedBytes: null }]) {
      expect(occupancyOf({ ...whole, ...missing }, 'sm80')).to.equal(null);
    }
    for (const arch of [undefined, 'gfx942', 'gfx1310', 'sm10']) expect(occupancyOf(whole, arch)).to.equal(null);
    expect(occupancyOf(kernel([1024, 1, 1], 255, 0), 'sm80')).to.equal(null);
    expect(occupancyOf(kernel([128, 1, 1], 32, 1e6), 'sm80')).to.equal(null);
  });

  it('is never more than the whole, nor rises with what a block takes', () => {
    const archs = fc.constantFrom(...Object.keys(MULTIPROCESSORS));
    const sizes = [fc.integer({ min: 1, max: 1024 }), fc.integer({ min: 1, max: 255 }), fc.nat(232448)] as const;
    const share = (x: number, registers: number, bytes: number, arch: string): number =>
      occupancyOf(kernel([x, 1, 1], registers, bytes), arch)?.blocks ?? 0;
    fc.assert(
      fc.property(archs, ...sizes, (arch, x, registers, bytes) => {
        const one = share(x, registers, bytes, arch);
        expect(occupancyOf(kernel([x, 1, 1], registers, bytes), arch)?.share ?? 0).to.be.within(0, 1);
        for (const more of [share(x + 32, registers, bytes, arch), share(x, registers + 8, bytes, arch)]) {
          expect(more).to.be.at.most(one);
        }
        expect(share(x, registers, bytes + 4096, arch)).to.be.at.most(one);
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  /** Each architecture, with kernels of libraries, of PyTorch and generated ones. */
  const SAMPLED: readonly string[] = [
    ...['h100_vit', 'h100_qwen', 'b200_rank0of8', 'a100_nccl_metadata', 'v100_resnet50_2021', 'mi300_bert_small'],
  ];
  itEachShared(
    SAMPLED.map(fileOf),
    TRACES.filter((trace) => !SAMPLED.includes(trace)).map(fileOf),
    (file) => `is what the tracer estimated for the blocks there are: ${traceOf(file)}`,
    async (_, file) => {
      const trace = traceOf(file);
      const stated = new Map<unknown, number>();
      for (const { args = {}, ...event } of rawTraceOf(trace).traceEvents.filter(isKernel)) {
        if (typeof args[STATED] === 'number') stated.set(`${String(args['correlation'])} ${event.name}`, args[STATED]);
      }
      const lines = await recordsOf(trace);
      let compared = 0;
      const devices = ofType(lines, 'profile').flatMap((profile) => profile.devices);
      for (const record of ofType(lines, 'kernel')) {
        const { grid, block } = record;
        const device = devices.find(({ id }) => id === record.device);
        const occupancy = occupancyOf(record, device?.arch ?? undefined);
        const estimated = stated.get(`${record.corr} ${record.name}`);
        // It states 0 for blocks that take more than 48 KB, which kernels have to ask for.
        if (occupancy === null || estimated === undefined || estimated === 0) continue;
        compared++;
        const unit = MULTIPROCESSORS[device?.arch ?? ''];
        const blocks = Math.min(occupancy.blocks, threads(grid ?? [0, 0, 0]) / (device?.units ?? NaN));
        expect((100 * blocks * threads(block ?? [0, 0, 0])) / (unit?.threads ?? NaN)).to.be.closeTo(estimated, 0.51);
      }
      expect(compared > 0).to.equal([...stated.values()].some((value) => value > 0));
    },
  );

  for (const name of NSIGHT) {
    const path = `data/nsys/${name}.sqlite`;
    itShared(`has the limits that the device states: ${name}`, [path], () => {
      const database = new Database(sharedFile(path) ?? '', { readonly: true });
      const limits =
        'maxWarpsPerSm * threadsPerWarp AS threads, maxBlocksPerSm AS blocks, maxShmemPerSm / 1024 AS shared';
      const capability = "'sm' || computeMajor || computeMinor AS arch";
      const rows = database.prepare(`SELECT ${capability}, ${limits} FROM TARGET_INFO_GPU`).all();
      database.close();
      expect(rows).to.not.deep.equal([]);
      for (const { arch, ...stated } of rows as { arch: string }[]) {
        expect(MULTIPROCESSORS[arch], arch).to.deep.equal(stated);
      }
    });
  }
});
