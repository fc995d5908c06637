/** Products whose extents miss what the matrix unit asks for, with the padded ones. */
import { isInstruction } from '../../../record/neuron.js';
import type { Annotated } from '../../annotate.js';
import { ByDevice } from '../by-device.js';
import { excess } from '../faster.js';
import type { Gain } from '../finding.js';
import { Longest } from '../longest.js';
import { paddingOf, type Padding } from '../product-extents.js';
import type { Answer, Rule } from '../rule.js';
import { many, percent, rate, speed, time } from '../words.js';

/** Reasons that a kernel's name or the extents tell: see `tensor-core-advice.ts`. */
const MISALIGNED = new Set(['shape', 'align1', 'align2']);

/** Kinds of extents that are told apart on a device. */
const MOST_KINDS = 2000;

class Kind {
  count = 0;
  stake = 0;
  gain = 0;
  known = 0;
  readonly longest = new Longest();
  constructor(
    readonly op: string,
    readonly padding: Padding,
    readonly flopsPerS: number | null,
    readonly bytesPerS: number | null,
  ) {}
}

/** The kernel ran off the unit for its extents, or on it with loads of one or two elements. */
const isMisaligned = ({ tc, unitUse }: Annotated): boolean =>
  MISALIGNED.has((tc === 0 ? unitUse?.why?.id : tc === 1 ? unitUse?.slowed?.id : null) ?? '');

function gainOf({ known, gain, flopsPerS, bytesPerS, padding }: Kind): Gain | null {
  if (known === 0 || flopsPerS === null || bytesPerS === null) return null;
  const factor = Number(padding.factor.toPrecision(4));
  return {
    ns: gain,
    how: `sum of dur − ${factor} · max(FLOPs / ${speed(flopsPerS)}, bytes / ${rate(bytesPerS)}), ${factor} being the added work`,
    isBound: true,
  };
}

function add(kinds: Map<string, Kind>, row: Annotated, dur: number, padding: Padding): void {
  const { peaks, unitUse, flops, bytes, record } = row;
  const op = row.op ?? record.short;
  const dtype = unitUse?.dtype ?? '';
  const key = `${op}/${dtype}/${padding.extents}`;
  let kind = kinds.get(key);
  if (kind === undefined) {
    if (kinds.size === MOST_KINDS) return;
    const rates = peaks.matrix as Readonly<Record<string, number | undefined>>;
    kinds.set(key, (kind = new Kind(`${op} (${dtype})`, padding, rates[dtype === 'fp32' ? 'tf32' : dtype] ?? null, peaks.bytesPerS))); // prettier-ignore
  }
  kind.count++;
  kind.stake += dur;
  kind.longest.add(record);
  const { factor } = padding;
  const work = { flops: flops === null ? null : flops * factor, bytes: bytes === null ? null : bytes * factor };
  const saved = excess(dur, work, kind.flopsPerS, kind.bytesPerS);
  if (saved === null) return;
  kind.known++;
  kind.gain += saved;
}

export const alignment: Rule = {
  name: 'alignment',
  doc: 'products kept off the matrix unit, or slowed on it, by extents that are no multiples; with the padded ones',
  watch: () => {
    const devices = new ByDevice(() => new Map<string, Kind>());
    let looked = 0;
    return {
      row: (row) => {
        const { record, described, unitUse } = row;
        if (!row.isProduct || described === null || unitUse === null || isInstruction(record)) return;
        looked++;
        if (record.dur === null || !Number.isFinite(record.dur) || !isMisaligned(row)) return;
        const padding = paddingOf(described.call, unitUse.dtype, row.peaks.arch);
        if (padding !== null) add(devices.of(record), row, record.dur, padding);
      },
      end: (): Answer => ({
        found: devices.all.flatMap(({ profile, device, of }) =>
          [...of.values()].map((kind) => ({
            profile,
            device,
            what: `${kind.op} of ${kind.padding.extents}: ${many(kind.count, 'kernel')}, ${time(kind.stake)}, not aligned for the matrix unit`,
            action: `pad to ${kind.padding.padded} (multiples of ${kind.padding.multiple}): ${percent(kind.padding.factor - 1)} more work`,
            stake: kind.stake,
            gain: gainOf(kind),
            kernels: kind.longest.ids,
            count: kind.count,
            evidence: {
              kernels: kind.count,
              timeNs: kind.stake,
              extents: kind.padding.extents,
              padded: kind.padding.padded,
              workFactor: kind.padding.factor,
            },
            see: "dprof --where 'tcwhy==shape || long~align1 || long~align2' --by op,params,long FILE",
          })),
        ),
        ...(looked === 0 ? { why: 'no op tells the extents of a product' } : undefined),
      }),
    };
  },
};
