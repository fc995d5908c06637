/**
 * Kernels of real profiles whose rates are above the peaks of their devices, and why that can be. What no reason here
 * covers would be a defect of the counting.
 */
import { expect } from 'chai';
import { join } from 'node:path';
import { openProfile } from '../../../src/parse/find.js';
import { readProfile } from '../../../src/parse/profile.js';
import type { Annotated } from '../../../src/prof/annotate.js';
import { fileOf, rowsOf, TRACES } from '../../support/kineto.js';
import { annotate } from '../../support/rows.js';
import { itShared } from '../../support/shared.js';

/** Bytes of the last-level cache and bytes/s of the memory, as the vendor's data sheets have them. */
const DEVICES: Readonly<Record<string, readonly [cache: number, memory: number]>> = {
  'Tesla V100-DGXS-32GB': [6 * 2 ** 20, 900e9],
  // An A100 of 40 GB.
  'NVIDIA A100-PG509-200': [40 * 2 ** 20, 1555e9],
  'NVIDIA A100-SXM4-40GB': [40 * 2 ** 20, 1555e9],
  'NVIDIA H100 80GB HBM3': [50 * 2 ** 20, 3352e9],
};

/**
 * Winograd's F(4x4, 3x3) does 36 multiplications for 144 (Lavin and Gray, Fast Algorithms for Convolutional Neural
 * Networks, 2016). Its products are plain matrix products by their names, between kernels that transform tiles.
 */
const isWinograd = ({ record, op, placement }: Annotated): boolean =>
  /conv/.test(op ?? '') && /winograd|^volta_sgemm_/.test(record.short) && (placement.computeShare ?? 0) <= 400;

/** What the cache held before a kernel and holds after it does not pass through the memory. */
function fitsInCache({ record, bytes, profile }: Annotated): boolean {
  const name = profile?.devices.find(({ id }) => id === record.device)?.name ?? '';
  const [cache, memory] = DEVICES[name] ?? expect.fail(`${name}: not in the table of this test`);
  return (((bytes ?? NaN) - 2 * cache) / (record.dur ?? NaN)) * 1e9 <= memory;
}

/** How many rates are above the peak, by reason. */
function reasonsOf(rows: readonly Annotated[]): Readonly<Record<string, number>> {
  const reasons: Record<string, number> = {};
  for (const row of rows) {
    const above = [
      [row.placement.computeShare, isWinograd, 'winograd'],
      [row.placement.memoryShare, fitsInCache, 'cache'],
    ] as const;
    for (const [share, isExplained, reason] of above) {
      if (share === null || share <= 100) continue;
      const found = isExplained(row) ? reason : `unexplained: ${row.record.short}`;
      reasons[found] = (reasons[found] ?? 0) + 1;
    }
  }
  return reasons;
}

const FOUND: Partial<Record<(typeof TRACES)[number], Readonly<Record<string, number>>>> = {
  h100_owlv2: { cache: 127 },
  a100_rank3of8_training: { cache: 214 },
  v100_resnet50_2021: { cache: 450, winograd: 219 },
};

/** Others than PyTorch's traces. Instructions of a Neuron program that start a transfer have no rate of their own. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'nsys/vsr_a100_pyprof.sqlite': { cache: 6 },
  'nvprof/lm_v100.net.sql': {},
  'neuron/trn2_baseline_bf16_s1024/baseline_exec_2_profile_full.json.gz': {},
  'neuron/trn2_baseline_fp32_s512/baseline_exec_2_profile_full.json': {},
  'neuron/trn2_fused_bf16_s512/fused_exec_2_profile_full.json': {},
};

describe('rates of kernels above the peaks of their devices', () => {
  for (const trace of TRACES) {
    itShared(`have a reason: ${trace}`, [fileOf(trace)], async () => {
      expect(reasonsOf(await rowsOf(trace))).to.deep.equal(FOUND[trace] ?? {});
    });
  }

  for (const [name, reasons] of Object.entries(OTHERS)) {
    itShared(`have a reason: ${name}`, [join('data', name)], async ([path = '']) => {
      const { source } = await openProfile(path);
      const records = [...readProfile(source.path, { profile: 0, name: source.name })];
      source.dispose();
      expect(reasonsOf(annotate(records))).to.deep.equal(reasons);
    });
  }
});
