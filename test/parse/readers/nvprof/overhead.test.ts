import { expect } from 'chai';
import { EPOCH, NvprofDatabase, PID, threadObject, TID } from '../../../support/nvprof-database.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

/** Launches at 100 and 900, and overhead of each kind. */
function database(): NvprofDatabase {
  const db = new NvprofDatabase().launch(1, ['step']).launch(9, ['step']);
  const overhead = (overheadKind: number, objectKind: number, start: number, end: number): void => {
    const times = { start: EPOCH + BigInt(start), end: EPOCH + BigInt(end) };
    db.row('CUPTI_ACTIVITY_KIND_OVERHEAD', { overheadKind, objectKind, objectId: threadObject(), ...times });
  };
  overhead(1 << 16, 2, 200, 800);
  overhead(2 << 16, 2, 300, 400);
  overhead(3 << 16, 1, 40, 50);
  overhead(1, 2, 850, 860);
  overhead(4 << 16, 2, 870, 880);
  overhead(1 << 16, 3, 870, 880);
  overhead(1 << 16, 2, 880, 870);
  return db;
}

describe('nvprof: overhead of the profiler and the driver', () => {
  it('is ranges of their own kind; the thread of that of a process is not known', () => {
    const found = recordsOf(database().write(), { ranges: true }).flatMap((record) =>
      record.type === 'range' && record.kind === 'overhead' ? [record] : [],
    );
    // The profile starts at 40.
    expect(found.map(({ start, dur, self, pid, tid, text }) => [start, dur, self, pid, tid, text])).to.deep.equal([
      [0, 10, 10, PID, null, 'Resource'],
      [160, 600, 500, PID, TID, 'Buffer Flush'],
      [260, 100, 100, PID, TID, 'Instrumentation'],
      [810, 10, 10, PID, TID, 'Driver Compiler'],
      [830, 10, 10, PID, TID, 'overhead 262144'],
    ]);
  });

  it('is none of the ranges around a launch; that of a device is counted, as is a bad row', () => {
    const path = database().write();
    expect(kernelsOf(path).map(({ ranges }) => ranges)).to.deep.equal([['step'], ['step']]);
    expect(headerOf(path).facts).to.deep.equal({
      not_read: 'overhead of objects other than threads and processes in CUPTI_ACTIVITY_KIND_OVERHEAD: 1',
    });
    expect(diagnosticsOf(path)).to.deep.equal({ 'bad-row': 1, 'event-not-read': 1 });
  });
});
