import Database from 'better-sqlite3';
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RpdDatabase } from '../../../../samples/programs/write-rpd.js';
import type { CopyRecord, ProfileLine, RangeRecord } from '../../../../src/record/record.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, onlyKernelOf, openedRecordsOf, recordsOf } from '../../../support/profile-records.js'; // prettier-ignore
import { itShared, ROOT } from '../../../support/shared.js';

const SAMPLE = join(ROOT, 'samples', 'decoder.rpd');

/** The rest of the database can be changed by SQL. */
function written(fill: (database: RpdDatabase) => void, sql = ''): string {
  const [database, path] = [new RpdDatabase(1_000_000), freshPath()];
  fill(database);
  writeFileSync(path, database.bytes());
  const changed = new Database(path);
  changed.exec(sql);
  changed.close();
  return path;
}

/** A kernel of 10 to 12 µs, launched at 0. */
const launched = (database: RpdDatabase, api = 'hipLaunchKernel', grid: readonly [number, number] = [8, 2]): void => {
  const call = database.call(api, [0, 5000]);
  database.launch(call, grid, 256, '0x20');
  database.work('KernelExecution', [10_000, 12_000], call, 'scale');
};

const copiesOf = (path: string): CopyRecord[] =>
  recordsOf(path).filter((record): record is CopyRecord => record.type === 'copy');
const rangesOf = (path: string): RangeRecord[] =>
  recordsOf(path, { ranges: true }).filter((record): record is RangeRecord => record.type === 'range');
const sum = (values: readonly (number | null | undefined)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0); // prettier-ignore

describe('rpd: the sample', () => {
  it('begins with the first sample of the clock, 90 us before the time 0 of its program', () => {
    expect(headerOf(SAMPLE)).to.deep.include({ format: 'rpd', tool: 'rocmProfileData, schema 2', startUnixNs: null });
    expect(headerOf(SAMPLE).devices).to.deep.equal([
      { id: 2, vendor: 'amd', name: null, arch: null, units: null, clockHz: null, memBytesPerS: null, memBytes: null },
    ]);
    expect(recordsOf(SAMPLE).filter(({ type }) => type === 'sample')).to.deep.equal([
      { type: 'sample', profile: 0, start: 0, dur: 290_000, device: null, metric: 'sclk', value: 132e6, unit: 'Hz', labels: { gpu: 0 } },
      { type: 'sample', profile: 0, start: 290_000, dur: 700_000, device: null, metric: 'sclk', value: 2.1e9, unit: 'Hz', labels: { gpu: 0 } },
    ]); // prettier-ignore
  });

  it('has kernels with launches, and grids in blocks whatever the call counts', () => {
    const kernels = kernelsOf(SAMPLE);
    expect(kernels.map(({ start, dur, grid, block, launch, device, stream }) => [start, dur, grid, block, launch?.api, device, stream])).to.deep.equal([
      [165_000, 4000, [64, 1, 1], [256, 1, 1], 'hipLaunchKernel', 2, 0],
      [205_000, 40_000, [8, 64, 1], [256, 1, 1], 'hipExtModuleLaunchKernel', 2, 0],
      [330_000, 4000, null, null, 'hipGraphLaunch', 2, 0],
      [334_000, 40_000, null, null, 'hipGraphLaunch', 2, 0],
    ]); // prettier-ignore
    expect(kernels.map(({ graph }) => graph?.id)).to.deep.equal([undefined, undefined, 0x24922d90, 0x24922d90]);
  });

  it('has the ops that the tool took from the texts of ranges, with shapes', () => {
    const [norm, gemm] = kernelsOf(SAMPLE);
    expect(norm).to.deep.include({ mod: ['_C'], op: ['rms_norm'], ranges: ['execute_model', '_C::rms_norm'] });
    expect(gemm?.calls[0]?.args.map((arg) => ('shape' in arg ? arg.shape : null))).to.deep.equal([[64, 1024], [1024, 2048], null, null]); // prettier-ignore
    expect(rangesOf(SAMPLE).map(({ kind, text }) => `${kind} ${text}`)).to.include.members([
      'op aten::_scaled_mm',
      'annotation execute_model',
    ]);
  });

  it('has copies whose direction is that of the work, with bytes where the call states them', () => {
    const copies = copiesOf(SAMPLE).map(({ kind, bytes, launch }) => [kind, bytes, launch?.api]);
    expect(copies).to.deep.equal([
      ['HtoD', 65_536, 'hipMemcpyAsync'],
      ['DtoD', null, 'hipGraphLaunch'],
      ['DtoH', 32, 'hipMemcpyWithStream'],
    ]);
  });
});

describe('rpd: cells', () => {
  it('takes the stream of the launch, and the queue where none is stated', () => {
    expect(onlyKernelOf(written(launched)).stream).to.equal(0x20);
    expect(onlyKernelOf(written(launched, "UPDATE rocpd_kernelapi SET stream = ''")).stream).to.equal(1);
  });

  it('counts grids in threads in what rocprofiler-sdk traced', () => {
    const sdk = 'ALTER TABLE rocpd_api ADD COLUMN domain_id integer';
    expect(onlyKernelOf(written((database) => { launched(database, 'hipLaunchKernel', [1000, 2]); }, sdk)).grid).to.deep.equal([4, 2, 1]); // prettier-ignore
  });

  it('reads arguments from their own table since schema 3', () => {
    const path = written(
      (database) => {
        database.call('UserMarker', [0, 9000], { args: 'step' });
        launched(database);
      },
      'CREATE TABLE rocpd_ustring AS SELECT id, string FROM rocpd_string; UPDATE rocpd_string SET string = 7 WHERE string = \'step\'', // prettier-ignore
    );
    expect(onlyKernelOf(path).ranges).to.deep.equal(['step']);
  });

  it('has an unknown size where the tracer left it empty, without a word: a size may exceed 32 bits', () => {
    const path = written((database) => {
      const call = database.call('hipMemcpy', [0, 5]);
      database.copy(call, '', 1);
      database.work('MEMORY_COPY_HOST_TO_DEVICE', [1, 4], call);
    });
    expect(copiesOf(path).map(({ kind, bytes }) => [kind, bytes])).to.deep.equal([['HtoD', null]]);
    expect(diagnosticsOf(path)).to.deep.equal({});
  });

  it('reads ops from the texts of ranges where the tool has not taken them apart', () => {
    const path = written((database) => {
      database.call('UserMarker', [0, 9000], { args: 'aten::mm, seq = 5, op_id = 3, sizes = [[8, 64], [64, 32]]' });
      launched(database);
    });
    expect(onlyKernelOf(path)).to.deep.include({ op: ['mm'], seq: [5] });
  });

  it('takes the sequence number of an op from its own cell', () => {
    const path = written((database) => {
      database.op('aten::mm', [0, 9000], 3, [5, '[[8, 64], [64, 32]]']);
      launched(database);
    });
    expect(onlyKernelOf(path)).to.deep.include({ op: ['mm'], seq: [5] });
  });

  it('counts work of another kind, and keeps a kernel without its call', () => {
    const path = written((database) => {
      database.call('hipInit', [0, 1]);
      database.work('Barrier', [1, 2], 9);
      database.work('KernelExecution', [3, 4], 9, 'alone');
    });
    expect(onlyKernelOf(path)).to.deep.include({ name: 'alone', start: 3, dur: 1, launch: null, grid: null });
    expect(diagnosticsOf(path)).to.deep.equal({ 'event-not-read': 1, 'kernel-without-launch': 1 });
    expect(headerOf(path).facts).to.deep.equal({ not_read: 'rocpd_op Barrier: 1' });
  });

  it('keeps a kernel without times, which takes that of its launch, and counts a call without', () => {
    const path = written(
      launched,
      "UPDATE rocpd_op SET start = 'x'; INSERT INTO rocpd_api VALUES (77, 7, 7, '', 5, 2, 1)",
    );
    expect(onlyKernelOf(path)).to.deep.include({ name: 'scale', start: 0, dur: null });
    expect(diagnosticsOf(path)).to.deep.equal({ 'bad-row': 2, 'row-without-time': 1 });
  });
});

/** Figures of a real profile, of plain SQL over its tables. */
function figures(records: readonly ProfileLine[]): Readonly<Record<string, unknown>> {
  const kernels = records.filter((record) => record.type === 'kernel');
  const copies = records.filter((record) => record.type === 'copy');
  const kinds = [...kernels.map(({ launch }) => launch?.api ?? 'none'), ...copies.map(({ kind }) => kind ?? 'none'), ...records.map(({ type }) => type), ...records.flatMap((record) => record.type === 'range' ? [String(record.kind)] : [])]; // prettier-ignore
  return {
    ...Object.fromEntries([...new Set(kinds)].map((kind) => [kind, kinds.filter((each) => each === kind).length])),
    ...{ kernelNs: sum(kernels.map(({ dur }) => dur)), copyNs: sum(copies.map(({ dur }) => dur)) },
    ...{ copyBytes: sum(copies.map(({ bytes }) => bytes)), sized: copies.filter(({ bytes }) => bytes !== null).length },
    ...{ grids: kernels.filter(({ grid }) => grid !== null && grid !== undefined).length },
    ...{
      unread: records.flatMap((record) => (record.type === 'end' ? [record.diagnostics['event-not-read']] : []))[0],
    },
    ...{ names: new Set(kernels.map(({ name }) => name)).size },
  };
}

describe('rpd: cells that differ', () => {
  it('takes the name of the symbol where the work has none', () => {
    const sql = `INSERT INTO rocpd_string (id, string) VALUES (900, '_Z5scalePf');
      UPDATE rocpd_op SET description_id = (SELECT id FROM rocpd_string WHERE string = '');
      UPDATE rocpd_kernelapi SET kernelName_id = 900`;
    expect(onlyKernelOf(written(launched, sql)).name).to.equal('scale(float*)');
  });

  it('has the counters of schema 3, added up over the parts of the device', () => {
    const sql = `CREATE TABLE rocpd_counter (id INTEGER PRIMARY KEY, op_id INTEGER, name_id INTEGER, value REAL);
      INSERT INTO rocpd_string (id, string) VALUES (901, 'SQ_WAVES');
      INSERT INTO rocpd_counter (op_id, name_id, value) VALUES (1, 901, 32), (1, 901, 16), (NULL, 901, 8), (1, 902, 4)`;
    const path = written(launched, sql);
    expect(onlyKernelOf(path).counters).to.deep.equal({ SQ_WAVES: 48 });
    expect(headerOf(path).facts).to.deep.equal({
      not_read: 'counter values without a dispatch: 1, counter values without a name: 1',
    });
  });

  it('has no value for a clock that is empty', () => {
    const path = written((database) => { database.clock([0, 10], 132); launched(database); }, "UPDATE rocpd_monitor SET value = ''"); // prettier-ignore
    expect(recordsOf(path).flatMap((record) => (record.type === 'sample' ? [record.value] : []))).to.deep.equal([null]);
  });

  it('keeps a copy without a direction', () => {
    const path = written((database) => {
      const call = database.call('hipMemcpy', [20_000, 30_000]);
      database.copy(call, 64, 1);
      database.work('MEMORY_COPY_NONE', [21_000, 22_000], call);
    });
    expect(copiesOf(path).map(({ kind, bytes, dur }) => [kind, bytes, dur])).to.deep.equal([[null, 64, 1000]]);
  });

  it('reads a text that still states the sequence number and sizes, as that of NVTX', () => {
    const path = written((database) => {
      database.op('aten::mm, seq = 5, op_id = 3, sizes = [[4, 4], [4, 4]]', [0, 9000], 1);
      launched(database);
    });
    expect(onlyKernelOf(path)).to.deep.include({ op: ['mm'], mod: ['aten'], seq: [5] });
  });
});

describe('rpd: real profiles', () => {
  itShared('a product of matrices on an MI200', ['data/amd/matmul_result.rpd'], ([path = '']) => {
    expect(figures(recordsOf(path, { ranges: true }))).to.deep.include({
      ...{ kernel: 29, kernelNs: 26_399_795, names: 20, hipLaunchKernel: 28, hipExtModuleLaunchKernel: 1, grids: 29 },
      ...{ copy: 55, copyNs: 157_512_821, copyBytes: 2_032_000_296, HtoD: 2, DtoH: 53 },
      ...{ set: 1, api: 120, sample: 15, unread: 5 },
    });
  });

  itShared('vLLM with a graph on an MI300X', ['data/amd/vllm_mi300.rpd.gz'], async ([path = '']) => {
    expect(figures(await openedRecordsOf(path, { ranges: true }))).to.deep.include({
      ...{ kernel: 8948, kernelNs: 407_137_675, names: 33, grids: 1228 },
      ...{ hipGraphLaunch: 7720, hipLaunchKernel: 972, hipExtModuleLaunchKernel: 256 },
      ...{ copy: 1176, copyNs: 9_487_406, HtoD: 350, DtoH: 22, DtoD: 804, sized: 536, copyBytes: 4_295_697_056 },
      ...{ op: 11_816, annotation: 68, api: 2830, sample: 81, unread: 22 },
    });
  });
});
