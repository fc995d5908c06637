/** FLOPs, bytes and times by op beside TraceLens', of five traces: every row of its tables agrees or is explained. */
import { expect } from 'chai';
import { DEVIATIONS, ROWS, type Amounts, type Deviation } from '../../../docs/differences/tracelens.js';
import type { Annotated } from '../../../src/prof/annotate.js';
import { fileOf, ofType, recordsOf, rowsOf } from '../../support/kineto.js';
import { itShared } from '../../support/shared.js';
import { keyOf, opTotals, readCsv, tableOf, type OpTotals } from '../../support/tracelens.js';

/** What all kernels launched by calls of one op with the same arguments have. */
interface Ours {
  readonly calls: Set<number>;
  flops: number | null;
  bytes: number | null;
}

/** Sums by call; a kernel counts in every call around it, once where two of them are alike. */
function sumsOf(rows: readonly Annotated[]): Map<string, Ours> {
  const sums = new Map<string, Ours>();
  for (const { record, flops, bytes } of rows) {
    const keys = record.calls.map(keyOf);
    keys.forEach((key, i) => {
      const sum = sums.get(key) ?? { calls: new Set(), flops: 0, bytes: 0 };
      sums.set(key, sum);
      sum.calls.add(record.callIds?.[i] ?? NaN);
      if (keys.indexOf(key) !== i) return;
      sum.flops = sum.flops === null || flops === null ? null : sum.flops + flops;
      sum.bytes = sum.bytes === null || bytes === null ? null : sum.bytes + bytes;
    });
  }
  return sums;
}

/** FLOPs within 0.1 %, bytes within 1 %. */
const WITHIN = { flops: 1e-3, bytes: 1e-2 } as const;
const CELLS = ['flops', 'bytes'] as const;

const agrees = (ours: number | null, theirs: number | null, within: number): boolean =>
  ours !== null && theirs !== null && Math.abs(ours - theirs) <= within * theirs;

const explains = ({ ops, rows, applies }: Deviation, trace: string, { op, args }: OpTotals): boolean =>
  trace in rows && ops.includes(op) && (applies?.(args) ?? true);

/** Both answers are the hand's, in the cells that it names. */
function expectByHand({ id, byHand }: Deviation, row: OpTotals, found: Ours | undefined): void {
  const { ours, theirs } = byHand(row.args);
  const cells = (amounts: Amounts): (keyof Amounts)[] => CELLS.filter((cell) => amounts[cell] !== undefined);
  for (const cell of cells(theirs)) {
    const ratio = (row[cell] ?? NaN) / ((theirs[cell] ?? NaN) * row.calls);
    expect(ratio, `${id}: ${cell} of TraceLens, ${row.key}`).to.be.closeTo(1, 1e-9);
  }
  if (ours === null) {
    expect(found, row.key).to.equal(undefined);
    return;
  }
  for (const cell of cells(ours))
    expect(found?.[cell], `${id}: ${cell}, ${row.key}`).to.equal((ours[cell] ?? NaN) * row.calls);
}

for (const [trace, expected] of Object.entries(ROWS)) {
  describe(`TraceLens' table of the ops of ${trace}`, () => {
    const shared = [fileOf(trace), tableOf(trace, 'unified_perf_summary')];

    itShared('has as many calls of every op', shared, async ([, path = '']) => {
      const sums = sumsOf(await rowsOf(trace));
      const missing = opTotals(path).filter(({ key, calls }) => sums.get(key)?.calls.size !== calls);
      // Copies by the copy engine; an op under a name made with that of a kernel.
      const names = new Set(missing.map(({ op }) => op.replace(/->.*$/, '->')));
      for (const name of names) expect(name).to.match(/^(copy_|_local_scalar_dense|mse_loss->)$/);
      expect(missing.filter(({ key }) => sums.has(key))).to.deep.equal([]);
    });

    itShared('has our FLOPs and bytes, or the reason why not', shared, async ([, path = '']) => {
      const sums = sumsOf(await rowsOf(trace));
      const counts = { agree: 0, explained: 0, withoutModel: 0 };
      const byDeviation = new Map<string, number>();
      for (const row of opTotals(path)) {
        const found = sums.get(row.key);
        if (row.flops === null && row.bytes === null) {
          counts.withoutModel += row.rows;
          continue;
        }
        const differing = CELLS.filter((cell) => !agrees(found?.[cell] ?? null, row[cell], WITHIN[cell]));
        if (differing.length === 0) {
          counts.agree += row.rows;
          continue;
        }
        const [deviation, ...others] = DEVIATIONS.filter((one) => explains(one, trace, row));
        expect(deviation, `${row.key}: ${differing.join(' and ')}`).to.not.equal(undefined);
        expect(others).to.deep.equal([]);
        if (deviation === undefined) continue;
        expect(Object.keys(deviation.byHand(row.args).theirs), row.key).to.include.members(differing);
        expectByHand(deviation, row, found);
        counts.explained += row.rows;
        byDeviation.set(deviation.id, (byDeviation.get(deviation.id) ?? 0) + row.rows);
      }
      const listed = DEVIATIONS.filter(({ rows }) => trace in rows).map(({ id, rows }) => [id, rows[trace]]);
      expect(Object.fromEntries(byDeviation)).to.deep.equal(Object.fromEntries(listed));
      expect(counts).to.deep.equal(expected);
    });
  });
}

describe("TraceLens' other tables", () => {
  itShared('copies without a kernel are as many of every size', [fileOf('mi300_resnet_training'), tableOf('mi300_resnet_training', 'unified_perf_summary')], async ([, path = '']) => {
    const trace = 'mi300_resnet_training';
    const kernels = sumsOf(await rowsOf(trace));
    const theirs = new Map<number, number>();
    for (const { key, op, calls, bytes } of opTotals(path)) {
      if (op !== 'copy_' || kernels.has(key)) continue;
      const size = Math.round((bytes ?? NaN) / calls / 2);
      theirs.set(size, (theirs.get(size) ?? 0) + calls);
    }
    const ours = new Map<number, number>();
    for (const { launch, bytes } of ofType(await recordsOf(trace), 'copy')) {
      if (launch !== null) ours.set(bytes ?? NaN, (ours.get(bytes ?? NaN) ?? 0) + 1);
    }
    expect(Object.fromEntries(ours)).to.deep.equal(Object.fromEntries(theirs));
  }); // prettier-ignore

  for (const trace of ['h100_bert_small', 'h100_vit', 'h100_qwen', 'mi300_norm_layers_training']) {
    itShared(`kernels by op, name and stream are as many and take as long: ${trace}`, [fileOf(trace), tableOf(trace, 'kernel_summary')], async ([, path = '']) => {
      const ours = new Map<string, { count: number; ns: number }>();
      for (const { record } of await rowsOf(trace)) {
        const call = record.launch === null ? undefined : record.calls.at(-1);
        const key = [call === undefined ? '' : `${call.mod}::${call.op}`, record.name, record.stream].join(' | ');
        const sum = ours.get(key) ?? { count: 0, ns: 0 };
        ours.set(key, { count: sum.count + 1, ns: sum.ns + (record.dur ?? NaN) });
      }
      const theirs = readCsv(path).map((row) => [
        [row['Parent cpu_op'], row['Kernel name'], row['Kernel stream']].join(' | '),
        { count: Number(row['Kernel duration (µs)_count']), ns: Math.round(Number(row['Kernel duration (µs)_sum']) * 1000) },
      ]);
      expect(Object.fromEntries(ours)).to.deep.equal(Object.fromEntries(theirs));
    }); // prettier-ignore
  }
});
