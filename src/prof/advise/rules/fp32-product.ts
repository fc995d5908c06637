/** FP32 products for which the matrix unit has a faster type. */
import { entryOf } from '../../../containers/map-entry.js';
import { smInName } from '../../../ops/kernels/kernel-name.js';
import { matrixTypes, type MathType } from '../../../ops/kernels/matrix-unit.js';
import type { Annotated } from '../../annotate.js';
import type { Place } from '../device-times.js';
import { deviceRule } from '../rule.js';
import type { Found, Gain } from '../finding.js';
import type { Action, FrameworkWords } from '../framework-words.js';
import { excess, GainTally } from '../kernel-tally.js';
import { paddingOf, productKind, RoundedProducts, type ProductKind } from '../product-extents.js';
import { many, ranked, rate, speed, verb } from '../wording.js';

interface Better {
  readonly arch: RegExp;
  readonly type: MathType;
  /** How to allow it, where the framework has a switch for each kind. */
  readonly switches?: (words: FrameworkWords) => Readonly<Record<ProductKind, string>>;
  readonly cast: (words: FrameworkWords) => string;
  /** What runs in FP32; a matrix product by default. */
  readonly unit?: string;
}

const TO_BF16: Better['cast'] = ({ cast }) => `${cast} bfloat16`;
const TO_FP16: Better['cast'] = ({ cast }) => `${cast} float16 (with loss scaling in training)`;
const CANN = { product: 'torch.npu.matmul.allow_hf32 = True', convolution: 'torch.npu.conv.allow_hf32 = True' };

/**
 * Faster types by architecture; the first that its unit supports is used. With TF32 a product of FP32 tensors keeps its
 * type.
 */
const BETTER: readonly Better[] = [
  { arch: /^sm/, type: 'tf32', switches: ({ tf32 }) => tf32, cast: TO_BF16 },
  { arch: /^ascend/, type: 'tf32', switches: () => CANN, cast: TO_BF16 },
  { arch: /^(sm|gfx|ascend)/, type: 'bf16', cast: TO_BF16 },
  { arch: /^(sm|gfx|ascend)/, type: 'fp16', cast: TO_FP16 },
  {
    arch: /^nc-v/,
    type: 'bf16',
    cast: () =>
      'use BF16 operands: load or copy them as nl.bfloat16 in NKI, or compile with --auto-cast matmult --auto-cast-type bf16',
    // An FP32 product takes several instructions.
    unit: 'matrix instruction',
  },
];

const actionOf =
  ({ switches, cast }: Better, kinds: ReadonlySet<ProductKind | null>): Action =>
  (words) => {
    if (switches === undefined) return cast(words);
    const { product, convolution } = switches(words);
    const other = `or ${cast(words)}`;
    if (!kinds.has('convolution') || product === convolution) return `${product}; ${other}`;
    return kinds.size > 1 ? `${product}, for convolutions ${convolution}; ${other}` : `${convolution}; ${other}`;
  };

/** Advice for products that stay in FP32 although the switch is on and their extents fit. */
const ALREADY_ON: Action = (words) => `${TO_BF16(words)} (TF32 is on already: other products of this profile use it)`;

/** Operands of 16 bits are half as large; TF32 takes as much memory as FP32. */
const SIZE: Readonly<Partial<Record<MathType, number>>> = { bf16: 1 / 2, fp16: 1 / 2 };

/** Products that the unit would not make faster. */
const NO_USE = new Set(['vector', 'depthwise', 'no-unit']);

class Products extends GainTally {
  flops = 0;
  better: Better | null = null;
  readonly kinds = new Set<ProductKind | null>();
  flopsPerS: number | null = null;
  bytesPerS: number | null = null;

  override merge(more: Products): void {
    super.merge(more);
    this.flops += more.flops;
    for (const kind of more.kinds) this.kinds.add(kind);
    ({ better: this.better, flopsPerS: this.flopsPerS, bytesPerS: this.bytesPerS } = more);
  }
}

/** Products of one device, in separate groups when it is known only at the end whether they count. */
class ProductGroups {
  readonly rounded = new RoundedProducts();
  readonly groups = new Map<string, { kind: ProductKind | null; fits: boolean; of: Products }>();

  group(kind: ProductKind | null, fits: boolean): Products {
    const key = `${kind ?? ''}/${fits}`;
    return entryOf(this.groups, key, () => ({ kind, fits, of: new Products() })).of;
  }
}

function betterFor(arch: string | null): Better | null {
  const types = matrixTypes(arch ?? undefined) ?? [];
  return BETTER.find((better) => better.arch.test(arch ?? '') && types.includes(better.type)) ?? null;
}

/**
 * Architecture of the row's device. If the profile does not state it, the architecture that the kernel was built for,
 * because the device is at least as new.
 */
function archOf({ peaks, record }: Annotated): string | null {
  const sm = peaks.arch === null ? smInName(record.name) : null;
  return sm === null ? peaks.arch : `sm${sm}`;
}

const mayBeRounded = (row: Annotated): boolean =>
  row.model.mayRoundConvolutions?.(row.record) === true && productKind(row) === 'convolution';

const isSlow = (row: Annotated): boolean =>
  row.unitUse?.dtype === 'fp32' &&
  (row.tc === 1 || (row.tc === 0 && !NO_USE.has(row.unitUse.why?.id ?? ''))) &&
  !mayBeRounded(row);

/** Whether the matrix unit multiplies a faster type than the product's. */
export const hasFasterType = (row: Annotated): boolean => isSlow(row) && betterFor(archOf(row)) !== null;

/** Whether the extents would fill the unit with TF32. */
const fits = ({ described, peaks, record }: Annotated): boolean =>
  described === null || paddingOf(described.call, 'fp32', peaks.arch, record.name) === null;

function add(products: Products, row: Annotated, dur: number, better: Better): void {
  const { peaks, flops, bytes, record } = row;
  products.better = better;
  products.kinds.add(productKind(row));
  products.flopsPerS = peaks.matrix[better.type] ?? null;
  products.bytesPerS = peaks.bytesPerS;
  products.add(record, row.op ?? record.short, dur);
  const moved = bytes === null ? null : bytes * (SIZE[better.type] ?? 1);
  const saved = excess(dur, { flops, bytes: moved }, products.flopsPerS, products.bytesPerS);
  products.addGain(dur, saved);
  if (saved !== null && flops !== null) products.flops += flops;
}

function gainOf(products: Products): Gain | null {
  const { flopsPerS, bytesPerS, better } = products;
  if (flopsPerS === null || bytesPerS === null || better === null) return null;
  const half = SIZE[better.type] === undefined ? '' : 'half the ';
  return products.bounded(`dur − max(FLOPs / ${speed(flopsPerS)} (${better.type}), ${half}bytes / ${rate(bytesPerS)})`);
}

const finding = (products: Products, action: Action): Omit<Found, keyof Place> => ({
  what: `${many(products.count, products.better?.unit ?? 'matrix product')} ${verb(products.count, 'run')} in FP32, ${products.timeText}: ${ranked(products.names)}`,
  action,
  ...products.facts,
  gain: gainOf(products),
  evidence: {
    ...products.facts.evidence,
    flops: products.flops,
    kernelsWithKnownWork: products.known,
    type: products.better?.type ?? '',
  },
  see: "dprof --where 'dtype==fp32 && (tc==0 || tc==1)' --by op,kernel -f table FILE",
});

export const fp32Product = deviceRule({
  name: 'fp32-product',
  doc: 'FP32 matrix products and convolutions where the matrix unit has TF32, BF16 or FP16',
  why: 'no kernel is known to be a matrix product of a known type',
  start: () => new ProductGroups(),
  row: (row, devices) => {
    if (!row.isProduct || (row.unitUse?.dtype ?? null) === null) return false;
    const groups = devices.of(row.record);
    groups.rounded.see(row);
    const better = isSlow(row) ? betterFor(archOf(row)) : null;
    const { dur } = row.record;
    if (better === null || dur === null || !Number.isFinite(dur)) return true;
    add(groups.group(productKind(row), fits(row)), row, dur, better);
    return true;
  },
  // All FP32 products, except those that do not use the unit only because of their extents; see `alignment.ts`.
  findings: ({ rounded, groups }) => {
    const [off, on] = [new Products(), new Products()];
    for (const { kind, fits, of: products } of groups.values()) {
      if (!rounded.isOn(kind)) off.merge(products);
      else if (fits) on.merge(products);
    }
    return [
      ...(off.better === null ? [] : [finding(off, actionOf(off.better, off.kinds))]),
      ...(on.count > 0 ? [finding(on, ALREADY_ON)] : []),
    ];
  },
});
