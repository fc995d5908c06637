import { expect } from 'chai';
import Database from 'better-sqlite3';
import type { SampleRecord } from '../../../../src/record/record.js';
import { globalTid, NsightDatabase, PID } from '../../../support/nsight-database.js';
import { diagnosticsOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

type Event = readonly [start: number, cpu: number, isIn: 0 | 1, tid?: number, pid?: number];

function scheduled(...events: readonly Event[]): NsightDatabase {
  const database = new NsightDatabase();
  for (const [start, cpu, isSchedIn, tid, pid] of events) {
    database.row('SCHED_EVENTS', { start, cpu, isSchedIn, globalTid: globalTid(tid, pid) });
  }
  return database;
}

/** `cpu_time 3/1000 = 20` … */
const usageOf = (path: string): string[] =>
  recordsOf(path)
    .filter((record): record is SampleRecord => record.type === 'sample' && record.metric.startsWith('cpu_'))
    .filter(({ start }) => start === null)
    .map(({ metric, value, labels }) => {
      const of = labels === undefined ? '' : ` ${String(labels['cpu'])}/${String(labels['pid'])}`;
      return `${metric}${of} = ${value ?? 'na'}`;
    });

/** Busy cores over time: [start, end, cores]. */
const busyOf = (path: string): (readonly [start: number, end: number, cores: number])[] =>
  recordsOf(path)
    .filter((record): record is SampleRecord => record.type === 'sample' && record.metric === 'cpu_busy')
    .map(({ start, dur, value }) => [start ?? NaN, (start ?? NaN) + (dur ?? NaN), value ?? NaN]);

/** ns that threads ran, by the curve. */
const timeOf = (path: string): number =>
  busyOf(path).reduce((sum, [from, to, cores]) => sum + Math.round((to - from) * cores), 0);

describe('CPU time of an Nsight Systems export', () => {
  it('is that between a thread put onto a core and put off it, by core and process', () => {
    const path = scheduled(
      ...([[100, 3, 1], [110, 3, 0], [130, 4, 1, 7], [150, 3, 1], [160, 3, 0], [190, 4, 0, 7]] as const),
      ...([[200, 3, 1, 9, 2000], [205, 3, 0, 9, 2000]] as const),
    ).write(); // prettier-ignore
    expect(usageOf(path)).to.deep.equal([
      'cpu_traced = 105',
      ...['cpu_time 3/1000 = 20', 'cpu_switches 3/1000 = 2'],
      ...['cpu_time 3/2000 = 5', 'cpu_switches 3/2000 = 1'],
      ...['cpu_time 4/1000 = 60', 'cpu_switches 4/1000 = 1'],
    ]);
    expect(diagnosticsOf(path)).to.not.have.property('scheduling-not-paired');
  });

  it('is the same whatever the order of rows', () => {
    const events: readonly Event[] = [[100, 3, 1], [110, 3, 0], [150, 3, 1], [160, 3, 0], [160, 5, 1, 8], [161, 5, 0, 8]]; // prettier-ignore
    const expected = usageOf(scheduled(...events).write());
    expect(expected).to.include('cpu_time 3/1000 = 20');
    expect(usageOf(scheduled(...events.toReversed()).write())).to.deep.equal(expected);
  });

  it('has no time where one of the two events is missing', () => {
    // Off without on; on twice; off another core; on at the end.
    const path = scheduled([10, 0, 0], [20, 0, 1], [30, 0, 1], [40, 0, 0], [50, 0, 1], [60, 1, 0], [70, 0, 1]).write();
    expect(usageOf(path)).to.deep.equal([
      'cpu_traced = 60',
      ...['cpu_time 0/1000 = 10', 'cpu_switches 0/1000 = 4'],
      ...['cpu_time 1/1000 = 0', 'cpu_switches 1/1000 = 0'],
    ]);
    expect(diagnosticsOf(path)).to.include({ 'scheduling-not-paired': 4 });
  });

  it('leaves out rows of no thread, and counts samples', () => {
    const database = scheduled([10, 0, 1], [20, 0, 0]).row('SCHED_EVENTS', { start: 15, cpu: 0, isSchedIn: 1 });
    for (const id of [1, 2, 3]) {
      const place = id === 3 ? {} : { cpu: 0, globalTid: globalTid() };
      database.row('COMPOSITE_EVENTS', { id, start: id, cpuCycles: 1, threadState: 1, ...place });
    }
    const path = database.write();
    expect(usageOf(path)).to.include.members([`cpu_time 0/${PID} = 10`, `cpu_samples 0/${PID} = 2`]);
    expect(diagnosticsOf(path)).to.include({ 'bad-row': 2 });
  });

  it('is a curve of busy cores over the traced time, whatever the order of rows', () => {
    const events: readonly Event[] = [
      ...([[100, 3, 1], [110, 3, 0], [130, 4, 1, 7], [150, 3, 1], [160, 3, 0], [190, 4, 0, 7]] as const),
      ...([[200, 3, 1, 9, 2000], [205, 3, 0, 9, 2000], [210, 0, 1]] as const),
    ]; // prettier-ignore
    const expected = [
      ...[[100, 110, 1], [110, 130, 0], [130, 150, 1], [150, 160, 2], [160, 190, 1]],
      ...[[190, 200, 0], [200, 205, 1], [205, 210, 0]],
    ]; // prettier-ignore
    expect(busyOf(scheduled(...events).write())).to.deep.equal(expected);
    expect(busyOf(scheduled(...events.toReversed()).write())).to.deep.equal(expected);
  });

  it('has no curve without scheduling', () => {
    const database = new NsightDatabase().row('COMPOSITE_EVENTS', { id: 1, start: 1, cpu: 0, globalTid: globalTid(), cpuCycles: 1, threadState: 1 }); // prettier-ignore
    expect(busyOf(database.write())).to.deep.equal([]);
  });

  it('has a curve of few bins that adds up to the time of all threads', () => {
    // 3000 stretches of 7 ns, 13 ns apart: more than there are bins; two cores in turn, and one thread that runs throughout.
    const events = Array.from({ length: 3000 }, (_, i): readonly Event[] => [
      [20 * i, i % 2, 1, 5],
      [20 * i + 7, i % 2, 0, 5],
    ]).flat();
    const path = scheduled([1, 9, 1, 6], ...events, [60_000, 9, 0, 6]).write();
    expect(timeOf(path)).to.equal(3000 * 7 + 59_999);
    expect(busyOf(path)).to.have.lengthOf.within(400, 1001);
  });

  for (const name of ['nvfuser_h200', 'many_kernels_no_nvtx', 'saxpy_double_runtime_rows']) {
    itShared(`is that of plain SQL over ${name}`, [`data/nsys/${name}.sqlite`], ([path = '']) => {
      const db = new Database(path, { readonly: true });
      // Each thread is put onto a core and off it in turn in these files: ends less starts.
      const sql = `SELECT cpu, (globalTid >> 24) & 0xFFFFFF AS pid,
        sum(CASE isSchedIn WHEN 0 THEN start ELSE -start END) AS time, sum(isSchedIn) AS switches
        FROM SCHED_EVENTS GROUP BY 1, 2 ORDER BY 1, 2`;
      const rows = db.prepare<[], Record<'cpu' | 'pid' | 'time' | 'switches', number>>(sql).all();
      db.close();
      const expected = rows.flatMap(({ cpu, pid, time, switches }) => [
        `cpu_time ${cpu}/${pid} = ${time}`,
        `cpu_switches ${cpu}/${pid} = ${switches}`,
      ]);
      const found = usageOf(path).filter((line) => !/^cpu_(?:traced|samples)/.test(line));
      expect(found).to.deep.equal(expected);
      expect(timeOf(path)).to.equal(rows.reduce((sum, { time }) => sum + time, 0));
      expect(busyOf(path)).to.have.lengthOf.at.most(2001);
    });
  }
});
