/**
 * Products whose extents do not meet the alignment of the matrix unit, with the padded extents: products that run slower on
 * the unit, that do not run on it, and FP32 products that do not use TF32 although others do.
 */
import { LAUNCHING } from '../../../record/glossary.js';
import { boundedEntryOf } from '../../../containers/map-entry.js';
import type { Annotated } from '../../annotate.js';
import { deviceRule } from '../rule.js';
import type { Gain } from '../finding.js';
import { excess, GainTally } from '../kernel-tally.js';
import { paddingOf, type Padding, productKind, RoundedProducts, type ProductKind } from '../product-extents.js';
import { many, percent, rate, speed, time } from '../wording.js';

/** Reasons found in a kernel's name or the extents; see `tensor-core-advice.ts`. */
const MISALIGNED = new Set(['shape', 'align1', 'align2']);
/** Reasons of FP32 products; whether TF32 is allowed is known only at the end. */
const NOT_ROUNDED = new Set(['ffma', 'simt', 'fp32-without-tf32']);

/** Maximum number of kinds of extents to sum per device, and number to list. */
const MOST_KINDS = 2000;
const NAMED = 3;

/** Padding to more than this multiple of the work is not worthwhile, such as one channel to four. */
const MOST_WORK = 3;

/** Products of one op with the same extents. */
class Kind extends GainTally {
  constructor(
    readonly op: string,
    readonly type: string,
    readonly padding: Padding,
    readonly flopsPerS: number | null,
    /** The kind of product that must use TF32 for this group to count; null to count always. */
    readonly where: ProductKind | null,
  ) {
    super();
  }
}

class MisalignedProducts {
  readonly rounded = new RoundedProducts();
  readonly kinds = new Map<string, Kind>();
  bytesPerS: number | null = null;
}

const reasonOf = ({ tc, unitUse }: Annotated): string =>
  (tc === 0 ? unitUse?.why?.id : tc === 1 ? unitUse?.slowed?.id : null) ?? '';

/** Whether its extents keep a product off the matrix unit, or slow it there. */
export const isMisaligned = (row: Annotated): boolean => MISALIGNED.has(reasonOf(row));

/** Null when the extents are not the reason. */
function whereOf(row: Annotated): { readonly kind: ProductKind | null } | null {
  const reason = reasonOf(row);
  // Because of its extents, the kernel did not use the unit, or loads only one or two elements at a time.
  if (MISALIGNED.has(reason)) return { kind: null };
  const kind = productKind(row);
  return NOT_ROUNDED.has(reason) && kind !== null && row.unitUse?.dtype === 'fp32' ? { kind } : null;
}

function kindOf(
  { kinds }: MisalignedProducts,
  row: Annotated,
  padding: Padding,
  where: ProductKind | null,
): Kind | null {
  const op = row.op ?? row.record.short;
  const dtype = row.unitUse?.dtype ?? '';
  const key = `${op}/${dtype}/${padding.extents}/${padding.padded}`;
  return boundedEntryOf(kinds, key, MOST_KINDS, () => {
    const type = dtype === 'fp32' ? 'tf32' : dtype;
    const rates = row.peaks.matrix as Readonly<Record<string, number | undefined>>;
    return new Kind(`${op} (${dtype})`, type, padding, rates[type] ?? null, where);
  });
}

function add(
  products: MisalignedProducts,
  row: Annotated,
  dur: number,
  padding: Padding,
  where: ProductKind | null,
): void {
  const kind = kindOf(products, row, padding, where);
  if (kind === null) return;
  const { peaks, flops, bytes, record } = row;
  kind.add(record, kind.op, dur);
  products.bytesPerS = peaks.bytesPerS;
  const { factor } = padding;
  const work = { flops: flops === null ? null : flops * factor, bytes: bytes === null ? null : bytes * factor };
  kind.addGain(dur, excess(dur, work, kind.flopsPerS, peaks.bytesPerS));
}

function gainOf(all: GainTally, kinds: readonly Kind[], bytesPerS: number | null): Gain | null {
  if (bytesPerS === null) return null;
  const peaks = kinds.flatMap(({ flopsPerS, type }) => (flopsPerS === null ? [] : [`${speed(flopsPerS)} (${type})`]));
  return all.bounded(
    `dur − f · max(FLOPs / ${[...new Set(peaks)].join(' or ')}, bytes / ${rate(bytesPerS)}), f = work after padding / work before`,
  );
}

const found = ({ op, padding, count, time: ns }: Kind): string =>
  `${op} of ${padding.extents}: ${many(count, 'kernel')}, ${time(ns)}`;

const change = ({ padding: { extents, padded, multiple, factor } }: Kind): string =>
  `${extents} to ${padded} (multiples of ${multiple}, ${percent(factor - 1)} more work)`;

/** `a; b; c; and 4 more`. */
const listed = (kinds: readonly Kind[], say: (kind: Kind) => string): string =>
  [...kinds.slice(0, NAMED).map(say), ...(kinds.length > NAMED ? [`and ${kinds.length - NAMED} more`] : [])].join('; ');

export const alignment = deviceRule({
  name: 'alignment',
  doc: 'matrix products whose shapes keep them off the matrix unit or slow them there; how to pad them',
  why: 'no matrix product has known shapes',
  vendors: LAUNCHING,
  start: () => new MisalignedProducts(),
  row: (row, devices) => {
    const { record, described, unitUse } = row;
    const { dur, name } = record;
    if (!row.isProduct || described === null || unitUse === null) return false;
    const products = devices.of(record);
    products.rounded.see(row);
    const where = whereOf(row);
    if (dur === null || !Number.isFinite(dur) || where === null) return true;
    const padding = paddingOf(described.call, unitUse.dtype, row.peaks.arch, name);
    if (padding !== null && padding.factor <= MOST_WORK) add(products, row, dur, padding, where.kind);
    return true;
  },
  findings: (products) => {
    const kinds = [...products.kinds.values()]
      .filter(({ where }) => where === null || products.rounded.isOn(where))
      .sort((a, b) => b.gain - a.gain || b.stake - a.stake);
    const [first] = kinds;
    if (first === undefined) return [];
    const all = new GainTally();
    for (const kind of kinds) all.merge(kind);
    const plain = kinds.reduce((sum, { where, count }) => (where === null ? sum : sum + count), 0);
    const off =
      plain > 0 ? `; ${many(plain, 'kernel')} in FP32 although other products of this profile run in TF32` : '';
    return [
      {
        what: `${many(all.count, 'matrix product')} ${all.count === 1 ? 'has' : 'have'} shapes that are not aligned for the matrix unit, ${all.timeText}${off}`,
        details: listed(kinds, found),
        action: `pad ${listed(kinds, change)}`,
        ...all.facts,
        gain: gainOf(all, kinds, products.bytesPerS),
        evidence: {
          ...all.facts.evidence,
          kinds: kinds.length,
          padded: listed(kinds.slice(0, NAMED), ({ padding: { extents, padded } }) => `${extents} -> ${padded}`),
          workFactor: first.padding.factor,
        },
        see: "dprof --where 'tcwhy==shape || long~align1 || long~align2 || dtype==fp32 && tc==0' --by op,params,long FILE",
      },
    ];
  },
});
