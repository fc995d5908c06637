import { expect } from 'chai';
import { globalTid, NsightDatabase, PID, TID } from '../../../support/nsight-database.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

describe('Nsight Systems: overhead of the profiler and the driver', () => {
  const database = (): NsightDatabase => {
    const db = new NsightDatabase().launch(1, ['step']).launch(9, ['step']);
    const overhead = (table: string, start: number, end: number, name: string, tid: bigint | null): unknown =>
      db.row(table, { start, end, globalTid: tid, nameId: db.string(name) });
    overhead('PROFILER_OVERHEAD', 200, 800, 'CUPTI Buffer flush', globalTid());
    overhead('PROFILER_OVERHEAD', 300, 400, 'CUPTI Instrumentation', globalTid());
    overhead('CUPTI_ACTIVITY_KIND_OVERHEAD', 890, 920, 'Lazy Function Loading', globalTid(TID + 1));
    overhead('CUPTI_ACTIVITY_KIND_OVERHEAD', 50, 40, 'ends before it starts', globalTid());
    return db;
  };

  it('is ranges of their own kind, each with the time outside of those within', () => {
    const found = recordsOf(database().write(), { ranges: true }).flatMap((record) =>
      record.type === 'range' && record.kind === 'overhead' ? [record] : [],
    );
    expect(found.map(({ start, dur, self, pid, tid, text }) => [start, dur, self, pid, tid, text])).to.deep.equal([
      [200, 600, 500, PID, TID, 'CUPTI Buffer flush'],
      [300, 100, 100, PID, TID, 'CUPTI Instrumentation'],
      [890, 30, 30, PID, TID + 1, 'Lazy Function Loading'],
    ]);
  });

  it('is none of the ranges around a launch, is no table that is not read, and a bad row is counted', () => {
    const path = database().write();
    expect(kernelsOf(path).map(({ ranges }) => ranges)).to.deep.equal([['step'], ['step']]);
    expect(headerOf(path)).to.not.have.property('facts');
    expect(diagnosticsOf(path)).to.deep.equal({ 'bad-row': 1 });
    expect(recordsOf(path).filter(({ type }) => type === 'range')).to.deep.equal([]);
  });
});
