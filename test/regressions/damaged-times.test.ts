/**
 * Inputs in which one time is damaged: it is unknown, and no other time loses its nanoseconds. Found by `npm run fuzz`.
 */
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { completeKernel } from '../../src/record/fields/record-fields.js';
import { op, task, timeText } from '../support/ascend-trace.js';
import { AscendDatabase, EPOCH } from '../support/ascend-database.js';
import { freshPath } from '../support/fresh-path.js';
import { kernel, launch, traceText, writeTrace } from '../support/kineto-trace.js';
import { NsightDatabase } from '../support/nsight-database.js';
import { NvprofDatabase } from '../support/nvprof-database.js';
import { recordsOf } from '../support/profile-records.js';

/** Start and duration of each kernel. */
const timesOf = (path: string): (number | null)[][] =>
  recordsOf(path)
    .filter((record) => record.type === 'kernel')
    .map(completeKernel)
    .map(({ start, dur }) => [start, dur]);

/** Starts and durations of all records that are not exact nanoseconds. */
const inexactOf = (path: string): unknown[] =>
  recordsOf(path).flatMap((record) => {
    const times = [record].flatMap((each) => ['start' in each ? each.start : null, 'dur' in each ? each.dur : null]);
    return times.filter((time) => typeof time === 'number' && !Number.isSafeInteger(time));
  });

function writeText(text: string, ending: string): string {
  const path = freshPath(ending);
  writeFileSync(path, text);
  return path;
}

describe('a damaged time', () => {
  it('of nvprof does not move the others: one long before, one long after', () => {
    const database = new NvprofDatabase();
    for (const n of [1, 2, 3, 4]) database.call(100 * n, 100 * n + 10, n).kernel(100 * n + 20, 100 * n + 51, n);
    const odd = { start: 12, end: 9_223_372_036_854_775_807n };
    const path = database.kernel(0, 0, 3, odd).call(0, 0, 5, odd).write();
    expect(timesOf(path)).to.deep.equal([
      [20, 31],
      [120, 31],
      [200, null],
      [220, 31],
      [320, 31],
    ]);
  });

  it('of Nsight costs its cell', () => {
    const far = 4_611_686_018_427_387_904n;
    const database = new NsightDatabase().launch(1, []).launch(2, []).call({ start: 300, end: 310 }, 3);
    database.kernel({ start: 0, end: 0 }, 3, { start: 320, end: far }).range('open', 0, null, { start: 50, end: far });
    expect(timesOf(database.write())).to.deep.equal([
      [120, 10],
      [220, 10],
      [300, null],
    ]);
    expect(inexactOf(database.write())).to.deep.equal([]);
  });

  it('of a PyTorch trace costs its cell', () => {
    const events = [1, 2, 3].flatMap((n) => [
      launch(n, 1_700_000_000_000_000 + n),
      kernel('k', n, `170000000000001${n}.123`),
    ]);
    const damaged = [...events, kernel('k', 9, 17), kernel('k', 2, '1700000000000020.5').replace('"dur": 10', '"dur": 1e17')]; // prettier-ignore
    expect(timesOf(writeTrace(traceText(damaged)))).to.deep.include.members([[10_123, 10_000], [11_123, 10_000], [19_500, null]]); // prettier-ignore
    expect(inexactOf(writeTrace(traceText(damaged)))).to.deep.equal([]);
  });

  it('is none where a device has a clock of its own: since 1970 or since the machine started', () => {
    const calls = Array.from({ length: 20 }, (_, n) => launch(n + 1, 1_700_000_000_000_000 + 100 * n));
    const kernels = calls.map((_, n) => kernel('k', n + 1, 5_000_000_010 + 100 * n));
    const records = recordsOf(writeTrace(traceText([...calls, ...kernels])));
    const durations = records.flatMap((record) => (record.type === 'kernel' ? [record.dur ?? NaN] : []));
    // A double has no single nanoseconds that far away.
    expect(durations.filter((dur) => Math.abs(dur - 10_000) <= 256)).to.have.length(20);
    expect(records.at(-1)).to.have.nested.property('diagnostics.clocks-differ', 1);
  });

  it('costs no other time where it is the first of a trace, a table or a database', () => {
    const events = [1, 2, 3].flatMap((n) => [
      launch(n, 1_700_000_000_000_000 + n),
      kernel('k', n, `170000000000001${n}.5`),
    ]);
    const kernels = [[10_500, 10_000], [11_500, 10_000], [12_500, 10_000]]; // prettier-ignore
    for (const first of [17, '9999999999999999']) {
      const times = timesOf(writeTrace(traceText([kernel('k', 9, first), ...events])));
      expect(times.filter(([, dur]) => dur !== null)).to.deep.equal(kernels);
    }
    const database = new AscendDatabase();
    database.kernel('damaged', [0, 5], 1, {}, { startNs: 1n, endNs: 6n });
    for (const start of [100, 200, 300]) database.kernel('k', [start, start + 5], start);
    expect(timesOf(database.write()).filter(([, dur]) => dur !== null)).to.deep.equal([[0, 5], [100, 5], [200, 5]]); // prettier-ignore
    const rows = ['12.5', ...[1, 2, 3].map((n) => `1700000000000${n}00.5`)].map(
      (time) => `relu,Relu,AI_CORE,${time},5`,
    );
    const table = writeText(
      ['Name,Type,Accelerator Core,Start Time(us),Duration(us)', ...rows].join('\n'),
      'kernel_details.csv',
    );
    expect(timesOf(table).filter(([, dur]) => dur !== null)).to.deep.equal([[0, 5000], [100_000, 5000], [200_000, 5000]]); // prettier-ignore
  });

  it('is none of the times that are not of events: those of metadata, and of arguments', () => {
    const metadata = Array.from({ length: 150 }, () => '{"ph": "M", "name": "thread_name", "ts": 0, "args": {}}');
    const events = [1, 2, 3].map((n) =>
      kernel('k', n, `170000000000001${n}.5`).replace('"args": {', `"args": {"ts": ${n}, "TS": ${n}, `),
    );
    expect(timesOf(writeTrace(traceText([...metadata, ...events])))).to.deep.equal([
      [0, 10_000],
      [1000, 10_000],
      [2000, 10_000],
    ]);
  });

  it("of an Ascend trace and of an Ascend database's step costs the event", () => {
    const trace = [op('aten::add', 1, 9), task('add', 'AI_CORE', 7, 20, 30), task('add', 'AI_CORE', 8, 40, 50)];
    const far = trace[2]?.replace(timeText(40), '12.5') ?? '';
    expect(inexactOf(writeText(`[${[trace[0], trace[1], far].join(',')}]`, 'trace_view.json'))).to.deep.equal([]);
    const database = new AscendDatabase();
    database.string('STRING_IDS is what identifies the format');
    database.row('STEP_TIME', { id: 3, startNs: 0, endNs: EPOCH });
    database.row('TASK', { startNs: EPOCH, endNs: EPOCH + 5n, deviceId: 0, globalTaskId: 1, taskType: 1 });
    // Far from the end of every other call, too.
    database.row('CANN_API', { startNs: EPOCH, endNs: 2n * EPOCH, type: 10_000, globalTid: 1, name: 1 });
    database.row('CANN_API', { startNs: EPOCH, endNs: EPOCH + 7n, type: 10_000, globalTid: 1, name: 1 });
    const path = database.write();
    expect(inexactOf(path)).to.deep.equal([]);
    const calls = recordsOf(path, { ranges: true }).filter((record) => record.type === 'range');
    expect(calls.map(({ dur }) => dur)).to.deep.equal([7]);
  });

  it('or duration of a Neuron profile as JSON costs the row, or the cell', () => {
    const row = { timestamp: 10, duration: 10, opcode: 'MATMUL', subgroup: 'Tensor', pc: 1, id: 7 };
    const rows = [row, { ...row, timestamp: 20, duration: 1e28 }, { ...row, timestamp: 1e22 }];
    const clock = { metadata: [{ first_hw_timestamp: 0, last_hw_timestamp: 1000 }], summary: [{ total_time: 1e-6 }] };
    const path = writeText(JSON.stringify({ ...clock, instruction: rows }), '.json');
    expect(timesOf(path)).to.deep.equal([
      [10, 10],
      [20, null],
    ]);
    expect(recordsOf(path).at(-1)).to.deep.include({ diagnostics: { 'row-passed-over': 1 } });
  });

  it('beside a negative count of devices of neuron-monitor leaves the report', () => {
    const counts = { neuron_device_count: -2, neuroncore_per_device_count: 2, error: '' };
    const path = writeText(JSON.stringify({ neuron_hardware_info: counts }), '.jsonl');
    expect(recordsOf(path)[0]).to.deep.include({ devices: [] });
  });

  it('that is the period of a report of neuron-monitor is not a period', () => {
    const report = (period: number): string =>
      JSON.stringify({ system_data: { memory_info: { period, memory_used_bytes: 5, error: '' } } });
    const samples = recordsOf(writeText([1, 31_457_280_000, 1].map(report).join('\n'), '.jsonl')).filter(
      ({ type }) => type === 'sample',
    );
    const used = samples.filter((sample) => 'metric' in sample && sample.metric === 'memory_used_bytes');
    expect(used.map((sample) => ('dur' in sample ? sample.dur : null))).to.deep.equal([1e9, null, 1e9]);
  });
});
