/** What msprof itself exports: msprof_*.json with its tables, task_time_*.csv, and which of them is read. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { foundIn } from '../../../support/found.js';
import { call, csv, marked, processNames, task, timeText, traceText } from '../../../support/ascend-trace.js';
import { AscendDatabase } from '../../../support/ascend-database.js';
import { freshPath } from '../../../support/fresh-path.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

/** Writes files of `PROF_1/mindstudio_profiler_output`. @returns the folder */
function exported(files: Readonly<Record<string, string>>, parent = freshPath('_prof')): string {
  const folder = join(parent, 'PROF_1', 'mindstudio_profiler_output');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const [TRACE, SUMMARY, TIMES] = ['msprof_20260102030405.json', 'op_summary_20260102030406.csv', 'task_time_20260102030406.csv']; // prettier-ignore

const mark = (name: string, args: object): string =>
  JSON.stringify({ ph: 'X', name, pid: 3000 * 1024, tid: 3001, ts: timeText(4), dur: 30, args });

const trace = traceText([
  ...processNames,
  call('Node@launch', 7, 5),
  task('MatMul1', 'AI_CORE', 7, 10, 15),
  mark('epoch', { event_type: 'push/pop', domain: 'train' }),
]);

const SUMMARY_COLUMNS = ['Device_id', 'Op Name', 'OP Type', 'Task Type', 'Task Start Time(us)', 'Task Duration(us)', 'Stream ID', 'Block Num', 'Input Shapes']; // prettier-ignore

const summary = csv(
  SUMMARY_COLUMNS,
  [0, 'MatMul1', 'MatMulV2', 'AI_CORE', `${timeText(10)}\t`, 5, 2, 24, '"""8,8;8,8"""'],
); // prettier-ignore

const times = csv(
  ['Device_id', 'kernel_name', 'kernel_type', 'stream_id', 'task_id', 'task_time(us)', 'task_start(us)', 'task_stop(us)'],
  [1, 'MatMul1', 'KERNEL_AICORE', 2, 7, 5, `${timeText(10)}\t`, `${timeText(15)}\t`],
  [1, 'N/A', 'MEMCPY_ASYNC', 3, 1, 2.5, timeText(16), timeText(18.5)],
  [1, 'N/A', 'EVENT_WAIT', 3, 2, 1, timeText(19), timeText(20)],
  [1, 'N/A', 'PLACE_HOLDER_SQE', 3, 3, 0, timeText(20), timeText(20)],
  [1, 'N/A', 'KERNEL_AIVEC', 2, 8, 4, timeText(21), timeText(25)],
); // prettier-ignore

describe('Ascend: what msprof exports', () => {
  it('gives kernels of a trace the shapes of op_summary_*.csv, and marks of mstx as ranges', () => {
    const folder = exported({ [TRACE]: trace, [SUMMARY]: summary });
    const [kernel] = kernelsOf(join(folder, TRACE));
    expect(kernel).to.deep.include({ name: 'MatMul1', block: [24, 1, 1], engine: 'AI_CORE', stream: 2 });
    expect(kernel?.labels).to.deep.include({ opType: 'MatMulV2', inputShapes: '8,8;8,8' });
    expect(kernel?.launch).to.deep.include({ api: 'launch' });
    const ranges = recordsOf(join(folder, TRACE), { ranges: 'without-calls' }).filter(({ type }) => type === 'range');
    expect(ranges).to.have.length(1);
    expect(ranges[0]).to.deep.include({ text: 'epoch', domain: 'train', dur: 30_000 });
  });

  it('joins the slices of a table in order of their numbers, and counts those that are missing', async () => {
    const row = (name: string, at: number): (string | number)[] => [0, name, 'Add', 'AI_CORE', timeText(at), 5, 2, 24, 'N/A']; // prettier-ignore
    const slice = (...rows: (string | number)[][]): string => csv(SUMMARY_COLUMNS, ...rows);
    const names = (path: string): (string | null)[] => kernelsOf(path).map(({ name }) => name);
    const [first, second, third] = [0, 2, 10].map((n) => `op_summary_slice_${n}_20260102030406.csv`) as [string, string, string]; // prettier-ignore
    const folder = exported({ [first]: slice(row('A', 10)), [third]: slice(row('C', 30)), [second]: slice(row('B', 20)) }); // prettier-ignore
    expect(names(join(folder, first))).to.deep.equal(['A', 'B', 'C']);
    // Number 1, and 3 to 9.
    expect(diagnosticsOf(join(folder, first))['table-slice-missing']).to.equal(8);
    expect(names(join(folder, second))).to.deep.equal(['B']);
    expect((await foundIn([folder])).profiles.map(({ source }) => source.name)).to.deep.equal([join(folder, first)]);
    // The other writer gives the first slice no number, and each its own time.
    const [base, next] = ['op_summary_0_20260102030406.csv', 'op_summary_0_slice_1_20260102030409.csv'];
    const other = exported({ [base]: slice(row('A', 10)), [next]: slice(row('MatMul1', 10)), [TRACE]: trace });
    expect(names(join(other, base))).to.deep.equal(['A', 'MatMul1']);
    expect(diagnosticsOf(join(other, base))).to.not.have.property('table-slice-missing');
    const [kernel] = kernelsOf(join(other, TRACE));
    expect(kernel).to.deep.include({ name: 'MatMul1', block: [24, 1, 1] });
  });

  it('joins ranges of one thread and start with those of the device that have their text', () => {
    const other = (text: string): string[] =>
      marked(text, [4, 20], [52, 60]).map((each) => each.replaceAll('4000000005', '4000000099'));
    const path = join(exported({ [TRACE]: traceText([...processNames, ...marked('outer', [4, 40], [50, 70]), ...other('inner')]) }), TRACE); // prettier-ignore
    const spans = (): unknown[] =>
      recordsOf(path, { ranges: true }).flatMap((found) => (found.type === 'range' ? [[found.text, found.start, found.dur]] : [])); // prettier-ignore
    expect(spans()).to.deep.equal([
      ['outer', 0, 36_000],
      ['inner', 0, 16_000],
      ['npu:0:outer', 46_000, 20_000],
      ['npu:0:inner', 48_000, 8_000],
    ]);
    expect(diagnosticsOf(path)).to.not.have.any.keys('device-range-by-order', 'event-not-read');
    const alike = [...marked('same', [4, 40], [50, 70]), ...other('same')];
    writeFileSync(path, traceText([...processNames, ...alike]));
    expect(spans()).to.have.length(4);
    expect(diagnosticsOf(path)).to.include({ 'device-range-by-order': 1 });
  });

  it('reads tasks of task_time_*.csv by their types', () => {
    const path = join(exported({ [TIMES]: times }), TIMES);
    const records = recordsOf(path).flatMap((record) => ('stream' in record && 'device' in record ? [record] : []));
    expect(records.map(({ type, start, dur, stream, device }) => [type, start, dur, stream, device])).to.deep.equal([
      ['kernel', 0, 5000, 2, 1],
      ['copy', 6000, 2500, 3, 1],
      ['sync', 9000, 1000, 3, 1],
      ['kernel', 11_000, 4000, 2, 1],
    ]);
    expect(records[2]).to.deep.include({ kind: 'stream-wait-event' });
    const [matrix, vector] = kernelsOf(path);
    expect(matrix).to.deep.include({ name: 'MatMul1', labels: { taskType: 'KERNEL_AICORE', taskId: 7 } });
    expect(vector).to.deep.include({ name: 'kernel#na', engine: 'AI_VECTOR_CORE' });
    expect(headerOf(path).facts).to.deep.include({ not_read: 'PLACE_HOLDER_SQE: 1' });
  });

  it('reads memory in KB of tables with a time in their names', () => {
    const record = csv(
      ['Device_id', 'Component', 'Timestamp(us)', 'Total Allocated(KB)', 'Total Reserved(KB)', 'Device'],
      [0, 'GE', timeText(11), 3, 5, 'NPU:2'],
    );
    const folder = exported({ [SUMMARY]: summary, 'memory_record_20260102030406.csv': record });
    const samples = recordsOf(join(folder, SUMMARY)).flatMap((found) => (found.type === 'sample' ? [found] : []));
    expect(samples.map(({ metric, value, device }) => [metric, value, device])).to.deep.equal([
      ['memory_allocated', 3 * 1024, 2],
      ['memory_reserved', 5 * 1024, 2],
    ]);
  });

  it('reads a run once: its database, else the trace, else op_summary_*.csv, else task_time_*.csv', async () => {
    const all = { [TRACE]: trace, [SUMMARY]: summary, [TIMES]: times };
    const readOf = async (folder: string): Promise<string[]> => {
      const { profiles, failures } = await foundIn([folder]);
      expect(failures).to.deep.equal([]);
      return profiles.map(({ source }) => source.file);
    };
    expect(await readOf(exported({ [TIMES]: times }))).to.deep.equal([TIMES]);
    expect(await readOf(exported({ [TIMES]: times, [SUMMARY]: summary }))).to.deep.equal([SUMMARY]);
    expect(await readOf(exported(all))).to.deep.equal([TRACE]);
    const database = new AscendDatabase();
    database.timed('TASK', [1, 2], { taskType: database.string('AI_CORE') });
    const parent = freshPath('_prof');
    exported(all, parent);
    database.write({ renamed: { PYTORCH_API: 'gone' } }, join(parent, 'PROF_1', 'msprof_20260102030405.db'));
    expect(await readOf(parent)).to.deep.equal(['msprof_20260102030405.db']);
    const run = freshPath('_ascend_pt');
    exported(all, run);
    mkdirSync(join(run, 'ASCEND_PROFILER_OUTPUT'));
    writeFileSync(join(run, 'ASCEND_PROFILER_OUTPUT', 'trace_view.json'), trace);
    expect(await readOf(run)).to.deep.equal(['trace_view.json']);
  });
});
