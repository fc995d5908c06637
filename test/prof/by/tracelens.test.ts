/** Time by innermost op beside TraceLens' tables of ops. */
import { expect } from 'chai';
import { fileOf, ofType, recordsOf } from '../../support/kineto.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { itShared } from '../../support/shared.js';
import { readCsv, tableOf } from '../../support/tracelens.js';

/**
 * Rows of the table by op; of these the ops whose time there is not that of kernels alone, and what else is in it. It
 * counts no memset of AMD's traces, although they were launched like all others.
 */
const ROWS: Readonly<Record<string, readonly [rows: number, withOthers: readonly string[], others: readonly Other[]]>> =
  {
    h100_bert_small: [10, ['_local_scalar_dense'], ['copy', 'set']],
    h100_qwen: [20, ['mm', 'addmm', '_local_scalar_dense'], ['copy', 'set']],
    h100_vit: [9, ['cudnn_convolution'], ['copy', 'set']],
    mi300_norm_layers_training: [18, [], []],
    mi300_resnet_training: [21, ['copy_'], ['copy']],
  };
type Other = 'copy' | 'set';

/** Times there are differences of µs in double precision, since 1970: off by up to 0.3 ns a kernel. */
const ROUNDING_NS = 0.5;

/** ns of the kernels, copies and memsets launched by each op itself; recomputed ones are rows of their own there. */
function opsOf(path: string): Map<string, number> {
  const ops = new Map<string, number>();
  for (const row of readCsv(path)) {
    const op = row['name']?.replace(/^.*::/, '') ?? '';
    ops.set(op, (ops.get(op) ?? 0) + Number(row['total_direct_kernel_time_sum']) * 1000);
  }
  return ops;
}

describe('kernels by innermost op', () => {
  for (const [trace, [ops, withOthers, types]] of Object.entries(ROWS)) {
    itShared(`take as long as in TraceLens' ops_summary: ${trace}`, [fileOf(trace), tableOf(trace, 'ops_summary')], async ([, path = '']) => {
      const records = await recordsOf(trace);
      const ours = new Map(
        valuesOf(groupsOf(records, { by: 'inner', columns: 'inner,total,count' })).map((row) => [row['inner'], row]),
      );
      const theirs = opsOf(path);
      expect(theirs.size).to.equal(ops);
      let others = 0;
      let kernels = 0;
      const differing: string[] = [];
      for (const [op, ns] of theirs) {
        const total = (ours.get(op)?.['total'] ?? 0) as number;
        const count = (ours.get(op)?.['count'] ?? 0) as number;
        if (Math.abs(ns - total) <= ROUNDING_NS * count) continue;
        differing.push(op);
        others += ns - total;
        kernels += count;
      }
      expect(differing).to.have.members([...withOthers]);
      const launched = types.flatMap((type) => ofType(records, type)).filter(({ launch }) => launch !== null);
      const time = launched.reduce((sum, { dur }) => sum + (dur ?? NaN), 0);
      expect(others).to.be.closeTo(time, ROUNDING_NS * (kernels + launched.length));
    }); // prettier-ignore
  }
});
