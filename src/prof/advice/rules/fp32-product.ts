/** FP32 products where the matrix unit has a faster type. */
import { matrixTypes, type MathType } from '../../../ops/matrix-unit.js';
import { isInstruction } from '../../../record/neuron.js';
import type { Annotated } from '../../annotate.js';
import { ByDevice } from '../by-device.js';
import { excess } from '../faster.js';
import type { Gain } from '../finding.js';
import { Longest, Ranking } from '../longest.js';
import type { Answer, Rule } from '../rule.js';
import { many, ranked, rate, speed, time } from '../words.js';

/** What helps, by the architecture; the first that its unit multiplies. A product of FP32 tensors stays one with TF32. */
const BETTER: readonly (readonly [arch: RegExp, type: MathType, action: string])[] = [
  [/^sm/, 'tf32', "torch.set_float32_matmul_precision('high'), for convolutions torch.backends.cudnn.allow_tf32 = True; or autocast to bfloat16"],
  [/^ascend/, 'tf32', 'torch.npu.matmul.allow_hf32 = True, torch.npu.conv.allow_hf32 = True; or autocast to bfloat16'],
  [/^(sm|gfx|ascend)/, 'bf16', 'autocast to bfloat16'],
  [/^(sm|gfx|ascend)/, 'fp16', 'autocast to float16, with a scaled loss in training'],
]; // prettier-ignore

/** Products that the unit would not make faster. */
const NO_USE = new Set(['vector', 'depthwise', 'no-unit']);

class Products {
  count = 0;
  stake = 0;
  gain = 0;
  known = 0;
  flops = 0;
  readonly ops = new Ranking();
  readonly longest = new Longest();
  type: MathType = 'tf32';
  action = '';
  flopsPerS: number | null = null;
  bytesPerS: number | null = null;
}

function betterFor(arch: string | null): (typeof BETTER)[number] | null {
  const types = matrixTypes(arch ?? undefined) ?? [];
  return BETTER.find(([pattern, type]) => pattern.test(arch ?? '') && types.includes(type)) ?? null;
}

const isSlow = ({ tc, unitUse }: Annotated): boolean =>
  unitUse?.dtype === 'fp32' && (tc === 1 || (tc === 0 && !NO_USE.has(unitUse.why?.id ?? '')));

function gainOf({ known, gain, flopsPerS, bytesPerS, count, type }: Products): Gain | null {
  if (known === 0 || flopsPerS === null || bytesPerS === null) return null;
  const of = known < count ? ` of ${known} kernels with known FLOPs and bytes` : '';
  return {
    ns: gain,
    how: `sum${of} of dur − max(FLOPs / ${speed(flopsPerS)} (${type}), bytes / ${rate(bytesPerS)})`,
    isBound: true,
  };
}

export const fp32Product: Rule = {
  name: 'fp32-product',
  doc: 'FP32 matrix products and convolutions where the matrix unit has TF32, BF16 or FP16',
  watch: () => {
    const devices = new ByDevice(() => new Products());
    let looked = 0;
    return {
      row: (row) => {
        if (!row.isProduct || isInstruction(row.record) || (row.unitUse?.dtype ?? null) === null) return;
        looked++;
        const better = isSlow(row) ? betterFor(row.peaks.arch) : null;
        const { dur } = row.record;
        if (better === null || dur === null || !Number.isFinite(dur)) return;
        const { peaks, flops, bytes } = row;
        const products = devices.of(row.record);
        [, products.type, products.action] = better;
        products.flopsPerS = peaks.matrix[products.type] ?? null;
        products.bytesPerS = peaks.bytesPerS;
        products.count++;
        products.stake += dur;
        products.ops.add(row.op ?? row.record.short, dur);
        products.longest.add(row.record);
        const saved = excess(dur, { flops, bytes }, products.flopsPerS, products.bytesPerS);
        if (saved === null) return;
        products.known++;
        products.gain += saved;
        products.flops += flops ?? 0;
      },
      end: (): Answer => ({
        found: devices.all.map(({ profile, device, of }) => ({
          profile,
          device,
          what: `${many(of.count, 'product')} in FP32, ${time(of.stake)}: ${ranked(of.ops)}`,
          action: of.action,
          stake: of.stake,
          gain: gainOf(of),
          kernels: of.longest.ids,
          count: of.count,
          evidence: { kernels: of.count, timeNs: of.stake, flops: of.flops, kernelsWithKnownWork: of.known, type: of.type },
          see: "dprof --where 'dtype==fp32 && (tc==0 || tc==1)' --by op,kernel -f table FILE",
        })),
        ...(looked === 0 ? { why: 'no kernel is known to be a product of a known type' } : undefined),
      }),
    };
  },
}; // prettier-ignore
