/** Kernels by name beside plain SQL over the databases: the columns of `nsys stats --report cuda_gpu_kern_sum`. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { readProfile } from '../../../src/parse/profile.js';
import { groupsOf, valuesOf } from '../../support/groups.js';
import { itShared } from '../../support/shared.js';

/** Time %, Total Time, Instances, Avg, Med, Min, Max, StdDev; the last is 0 for one instance. */
const SUMMARY = `
  WITH one AS (SELECT *, row_number() OVER (PARTITION BY name ORDER BY d) AS nth,
                 count(*) OVER (PARTITION BY name) AS n, avg(d) OVER (PARTITION BY name) AS mean FROM kernel)
  SELECT name, 100.0 * sum(d) / (SELECT sum(d) FROM kernel) AS share, sum(d) AS total, count(*) AS count,
    avg(d) AS mean, avg(CASE WHEN nth IN ((n + 1) / 2, (n + 2) / 2) THEN d END) AS median, min(d) AS min, max(d) AS max,
    CASE n WHEN 1 THEN 0 ELSE sqrt(sum((d - mean) * (d - mean)) / (n - 1)) END AS stddev
  FROM one GROUP BY name`;

type Row = Readonly<Record<string, number | string>>;

function summary(path: string, kernels: string): Row[] {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare(SUMMARY.replace('WITH', `WITH kernel AS (${kernels}),`)).all() as Row[];
  } finally {
    db.close();
  }
}

const COLUMNS = 'share,total,count,mean,median,min,max,stddev';
/** Those that whole numbers make exact, the others but for rounding. */
const EXACT = ['total', 'count', 'median', 'min', 'max'];

function expectEqual(ours: Row, theirs: Row): void {
  for (const key of COLUMNS.split(',')) {
    const [a, b] = [ours[key] as number, theirs[key] as number];
    if (EXACT.includes(key)) expect(a, `${key} of ${String(theirs['name'])}`).to.equal(b);
    else expect(a, `${key} of ${String(theirs['name'])}`).to.be.closeTo(b, 1e-9 * Math.abs(b) + 1e-9);
  }
}

const sumOf = (rows: readonly Readonly<Record<string, unknown>>[], key: string): number =>
  rows.reduce((sum, row) => sum + (row[key] as number), 0);

const NSYS = ['cuda_graph_rtx3060', 'fsdp_2proc', 'h100_2gpu_orphans', 'many_kernels_no_nvtx', 'nvfuser_h200', 'rtx3080_with_target_info', 'saxpy_double_runtime_rows', 'schema_2021', 'vsr_a100_pyprof']; // prettier-ignore
const NSYS_KERNELS = 'SELECT value AS name, end - start AS d FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName'; // prettier-ignore
const NVPROF_KERNELS =
  'SELECT value AS name, end - start AS d FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL k JOIN StringTable s ON s._id_ = k.name';

describe('kernels by name', () => {
  for (const file of NSYS) {
    itShared(`as cuda_gpu_kern_sum has them: ${file}`, [`data/nsys/${file}.sqlite`], ([path = '']) => {
      const theirs = new Map(summary(path, NSYS_KERNELS).map((row) => [row['name'], row]));
      const ours = valuesOf(groupsOf(readProfile(path, { profile: 0 }), { by: 'long', columns: `long,${COLUMNS}` }));
      expect(ours.map(({ long }) => long)).to.have.members([...theirs.keys()]);
      for (const row of ours) expectEqual(row as Row, theirs.get(row['long'] as string) as Row);
      const totals = ours.map(({ total }) => total as number);
      expect(totals).to.deep.equal(totals.toSorted((a, b) => b - a));
      // Short names are fewer: what they add up to is the same.
      const short = valuesOf(
        groupsOf(readProfile(path, { profile: 0 }), { by: 'kernel', columns: 'total,count,share' }),
      );
      for (const key of ['total', 'count', 'share']) {
        expect(sumOf(short, key), key).to.be.closeTo(sumOf([...theirs.values()], key), 1e-9);
      }
    });
  }

  for (const file of ['nsys/no_event_tables.sqlite', 'nsys/nvtx_only.sqlite', 'nvprof/empty_capture.net.sql']) {
    itShared(`none where there are no kernels: ${file}`, [`data/${file}`], ([path = '']) => {
      expect(groupsOf(readProfile(path, { profile: 0 }), { by: 'kernel' }).rows).to.deep.equal([]);
    });
  }

  /** Names are demangled here: rows are distinguished by their numbers. */
  const byNumbers = (rows: readonly Row[]): Row[] => {
    const numbers = ['total', 'min', 'max', 'median'];
    return rows.toSorted((a, b) => numbers.reduce((order, key) => order || Number(a[key]) - Number(b[key]), 0));
  };

  for (const file of ['lm_v100.net.sql', 'nccl_8v100.nvvp']) {
    itShared(`as nvprof has them: ${file}`, [`data/nvprof/${file}`], ([path = '']) => {
      const theirs = byNumbers(summary(path, NVPROF_KERNELS));
      const grouped = groupsOf(readProfile(path, { profile: 0 }), { by: 'long', columns: COLUMNS });
      const ours = byNumbers(valuesOf(grouped) as Row[]);
      expect(ours).to.have.length(theirs.length);
      theirs.forEach((row, i) => {
        expectEqual(ours[i] as Row, row);
      });
    });
  }
});
