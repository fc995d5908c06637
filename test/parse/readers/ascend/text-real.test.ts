/** Real profiles in text: records of trace_view.json against the CSV files that the profiler wrote with it. */
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { completeKernel } from '../../../../src/record/fields/record-fields.js';
import type { CollectiveLine, KernelRecord, ProfileLine, ProfileRecord } from '../../../../src/record/record.js';
import { recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

type Row = Readonly<Record<string, string>>;
const rowsOf = (folder: string, name: string): Row[] => parse(readFileSync(join(folder, name)), { columns: true, bom: true }); // prettier-ignore

const isCollective = (row: Row): boolean => /HCCL|COMMUNICATION/.test(row['Accelerator Core'] ?? '');
/** Nanoseconds since 1970 of `1736408883704643.212\t`. */
const unixOf = (cell: string | undefined): bigint => BigInt((cell ?? '').trim().replace('.', ''));
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('"', '').trim();
const kernelsOf = (records: readonly ProfileLine[]): KernelRecord[] =>
  records.filter((record) => record.type === 'kernel').map(completeKernel);
const collectivesOf = (records: readonly ProfileLine[]): CollectiveLine[] =>
  records.filter((record) => record.type === 'collective');
const startOf = (records: readonly ProfileLine[]): bigint => BigInt((records[0] as ProfileRecord).startUnixNs ?? NaN);

/** Sums by key. */
function sums(pairs: Iterable<readonly [key: string, value: number]>): Map<string, number> {
  const totals = new Map<string, number>();
  for (const [key, value] of pairs) totals.set(key, (totals.get(key) ?? 0) + value);
  return totals;
}

/** How many keys have the same value in both, to a tolerance; of how many. */
function agreeing(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>, within: number): string {
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  const same = keys.filter((key) => Math.abs((a.get(key) ?? NaN) - (b.get(key) ?? NaN)) <= within);
  return `${same.length} of ${keys.length}`;
}

/** Text labels of a kernel: shapes, types and formats of its inputs and outputs. */
const LABELS: readonly (readonly [label: string, column: string])[] = [
  ['opType', 'Type'],
  ['inputShapes', 'Input Shapes'],
  ['inputTypes', 'Input Data Types'],
  ['inputFormats', 'Input Formats'],
  ['outputShapes', 'Output Shapes'],
  ['outputTypes', 'Output Data Types'],
  ['outputFormats', 'Output Formats'],
];

/** Kernels of the records that kernel_details.csv has too, the same in everything: how many, of how many rows. */
function sameKernels(records: readonly ProfileLine[], rows: readonly Row[]): string {
  const start = startOf(records);
  const byKey = new Map(kernelsOf(records).map((kernel) => [`${start + BigInt(kernel.start)} ${kernel.name}`, kernel]));
  const kernels = rows.filter((row) => !isCollective(row));
  const same = kernels.filter((row) => {
    const kernel = byKey.get(`${unixOf(row['Start Time(us)'])} ${row['Name'] ?? ''}`);
    if (kernel === undefined) return false;
    return (
      // The file has three decimals, the trace more.
      Math.abs((kernel.dur ?? NaN) - Number(row['Duration(us)']) * 1000) <= 1.001 &&
      kernel.engine === row['Accelerator Core'] &&
      kernel.stream === Number(row['Stream ID']) &&
      kernel.step === Number(row['Step Id']) &&
      kernel.labels?.['taskId'] === Number(row['Task ID']) &&
      String(kernel.labels['contextId'] ?? 'N/A') === row['Context ID'] &&
      // 0 where a kernel runs on one kind of cores.
      String(kernel.labels['mixBlockDim'] ?? 0) === row['Mix Block Dim'] &&
      (kernel.block?.[0] ?? 0) === Number(row['Block Dim']) &&
      kernel.counters?.['aic_total_cycles'] ===
        (row['aic_total_cycles'] === 'N/A' ? undefined : Number(row['aic_total_cycles'])) && // prettier-ignore
      LABELS.every(([label, column]) => (kernel.labels?.[label] ?? 'N/A') === (bare(row[column]) || 'N/A'))
    );
  });
  expect(byKey.size).to.equal(kernels.length);
  return `${same.length} of ${kernels.length}`;
}

/** Count and µs by operator's type and core, of records and of op_statistic.csv: how many agree. */
function sameStatistics(records: readonly ProfileLine[], folder: string): string {
  const rows = rowsOf(folder, 'op_statistic.csv').filter((row) => !isCollective({ 'Accelerator Core': row['Core Type'] ?? '' })); // prettier-ignore
  const keyed = kernelsOf(records).map((kernel) => [`${String(kernel.labels?.['opType'])} ${String(kernel.engine)}`, kernel.dur ?? NaN] as const); // prettier-ignore
  const key = (row: Row): string => `${row['OP Type'] ?? ''} ${row['Core Type'] ?? ''}`;
  const counts = agreeing(sums(keyed.map(([name]) => [name, 1])), sums(rows.map((row) => [key(row), Number(row['Count'])])), 0); // prettier-ignore
  // Each kernel's duration is rounded to a nanosecond once more.
  const times = agreeing(sums(keyed.map(([name, dur]) => [name, dur / 1000])), sums(rows.map((row) => [key(row), Number(row['Total Time(us)'])])), 0.06); // prettier-ignore
  return `counts ${counts}, times ${times}`;
}

interface RawEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat?: string;
  readonly tid: number;
  readonly ts: string;
  readonly id?: unknown;
}

/** By ns since 1970, the name of the op from which a flow leads to what starts then; ids as text, since they exceed 2^53. */
function opsByFlow(folder: string): Map<string, string> {
  const text = readFileSync(join(folder, 'trace_view.json'), 'utf8').replace(/"id": (\d{16,})/g, '"id": "$1"');
  const events = JSON.parse(text) as RawEvent[];
  const ops = new Map(events.filter(({ cat }) => cat === 'cpu_op').map(({ tid, ts, name }) => [`${tid} ${ts}`, name]));
  const flows = events.filter(({ ph, cat }) => ph === 's' && cat === 'async_npu');
  return new Map(flows.map(({ id, tid, ts }) => [String(id), ops.get(`${tid} ${ts}`) ?? '']));
}

for (const rank of [0, 1]) {
  describe(`Ascend text of rank ${rank}`, () => {
    const name = `data/ascend/text_level1_rank${rank}/ASCEND_PROFILER_OUTPUT`;
    const read = (folder: string): ProfileLine[] => recordsOf(join(folder, 'trace_view.json'));

    itShared('has the kernels of kernel_details.csv', [name], ([folder = '']) => {
      expect(sameKernels(read(folder), rowsOf(folder, 'kernel_details.csv'))).to.equal('187 of 187');
    });

    itShared('has its collectives, with bytes and links', [name], ([folder = '']) => {
      const records = read(folder);
      const start = startOf(records);
      const rows = rowsOf(folder, 'kernel_details.csv').filter(isCollective);
      const collectives = collectivesOf(records);
      expect(collectives.map((one) => one.name)).to.deep.equal(rows.map((row) => row['Name']));
      collectives.forEach((one, i) => {
        // The file cuts off what is less than a nanosecond, the trace rounds it.
        expect(Number(start + BigInt(one.start) - unixOf(rows[i]?.['Start Time(us)']))).to.be.within(0, 1);
        expect(one.dur).to.be.closeTo(Number(rows[i]?.['Duration(us)']) * 1000, 1.001);
        expect(one).to.include({ kind: 'allReduce', dtype: 'float32', link: 'HCCS', algorithm: 'MESH-RING' });
      });
      // Elements of the four messages, 4 bytes each.
      expect(collectives.map(({ bytes }) => bytes)).to.deep.equal([4097000, 16781312, 37752832, 2469696].map((n) => n * 4)); // prettier-ignore
    });

    itShared('has the sums of op_statistic.csv', [name], ([folder = '']) => {
      const records = read(folder);
      expect(sameStatistics(records, folder)).to.match(/^counts (\d+) of \1, times (\d+) of \2$/);
    });

    itShared('places the work where operator_details.csv does', [name], ([folder = '']) => {
      const records = read(folder);
      const start = startOf(records);
      const ops = opsByFlow(folder);
      let misplaced = 0;
      const pairs = records.flatMap((record) => {
        if (record.type !== 'kernel' && record.type !== 'collective' && record.type !== 'copy') return [];
        const op = ops.get(String(start + BigInt(record.start)));
        if (op === undefined) return [];
        const around = record.type === 'copy' ? [op] : [...(record.ranges ?? []), ...(record.calls ?? []).map((call) => `${call.mod}::${call.op}`)]; // prettier-ignore
        if (!around.includes(op)) misplaced++;
        return [[op, (record.dur ?? NaN) / 1000] as const];
      });
      const self = rowsOf(folder, 'operator_details.csv').map((row) => [row['Name'] ?? '', Number(row['Device Self Duration(us)'])] as const); // prettier-ignore
      expect([pairs.length, misplaced]).to.deep.equal([210, 0]);
      expect(agreeing(sums(pairs), sums(self.filter(([, time]) => time > 0)), 0.06)).to.equal('33 of 33');
    });

    itShared('states the step of copies, as the databases of the same program do', [name], ([folder = '']) => {
      const copies = read(folder).filter((record) => record.type === 'copy');
      expect(copies.map(({ step }) => step)).to.deep.equal(Array(24).fill(50));
    });

    itShared('states direction, module, forward op and step of kernels', [name], ([folder = '']) => {
      const kernels = kernelsOf(read(folder));
      expect(kernels.filter(({ launch }) => launch?.api === 'launch')).to.have.length(187);
      expect(kernels.filter(({ step }) => step === 50)).to.have.length(187);
      // As in the databases of the same program: 139 kernels in a module, 89 with a forward op.
      expect(kernels.filter(({ layer }) => layer.length > 0)).to.have.length(139);
      expect(kernels.filter(({ forward }) => forward !== undefined && forward !== null)).to.have.length(89);
    });

    itShared('adds clock, units and memory', [name], ([folder = '']) => {
      const records = read(folder);
      const [profile] = records as [ProfileRecord];
      expect(profile.rank).to.equal(rank);
      // 24 · 1800 MHz: what cycles over utilization and duration give (43200 MHz) for every kernel on matrix units.
      expect(profile.devices).to.deep.include({ id: rank, vendor: 'huawei', name: null, arch: null, units: 24, clockHz: 1.8e9, memBytesPerS: null, memBytes: null }); // prettier-ignore
      const held = (metric: string): number[] => records.flatMap((record) => (record.type === 'sample' && record.metric === metric ? [record.value ?? NaN] : [])); // prettier-ignore
      const most = rowsOf(folder, 'memory_record.csv').reduce((peak, row) => Math.max(peak, Number(row['Total Reserved(MB)'])), 0); // prettier-ignore
      expect(Math.max(...held('memory_reserved'))).to.equal(most * 2 ** 20);
      expect(held('op_memory')).to.have.length(rowsOf(folder, 'operator_memory.csv').length);
      expect(Math.max(...held('llc_hit_rate'))).to.be.within(60, 100);
    });

    itShared('changes nothing in its folder', [name], ([folder = '']) => {
      const stamps = (): unknown => readdirSync(folder).map((file) => [file, statSync(join(folder, file)).mtimeMs]);
      const before = stamps();
      read(folder);
      expect(stamps()).to.deep.equal(before);
    });
  });
}

describe('Ascend text without a trace', () => {
  const name = 'data/ascend/text_qwen_level2_rank0/ASCEND_PROFILER_OUTPUT';

  itShared('is read from kernel_details.csv: kernels and sums of op_statistic.csv', [name], ([folder = '']) => {
    const records = recordsOf(join(folder, 'kernel_details.csv'));
    const rows = rowsOf(folder, 'kernel_details.csv');
    expect(sameKernels(records, rows)).to.equal('2448 of 2448');
    expect(collectivesOf(records)).to.have.length(rows.filter(isCollective).length);
    expect(sameStatistics(records, folder)).to.equal('counts 35 of 35, times 35 of 35');
    const [profile] = records as [ProfileRecord];
    // 20 · 1650 MHz = 33000 MHz.
    expect(profile.devices[0]).to.include({ id: 0, units: 20, clockHz: 1.65e9 });
    expect(profile.tool).to.equal('Ascend PyTorch Profiler (torch_npu 2.7.1, CANN 8.3.RC1)');
    expect(JSON.stringify(records)).to.not.match(/expandable_segments|HCCL_ALGO/);
  });
});
