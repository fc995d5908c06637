import { expect } from 'chai';
import { globalTid, NsightDatabase, PID, TID } from '../../../support/nsight-database.js';
import { diagnosticsOf, headerOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';
import type { RangeRecord } from '../../../../src/record/record.js';

const systemCallsOf = (path: string): RangeRecord[] =>
  recordsOf(path, { ranges: true }).flatMap((record) =>
    record.type === 'range' && record.domain === 'OSRT' ? [record] : [],
  );

describe('Nsight Systems: calls of system libraries', () => {
  const database = (): NsightDatabase => {
    const db = new NsightDatabase().launch(1, ['step']);
    const call = (start: number, end: number, name: string, tid = TID): unknown =>
      db.row('OSRT_API', { start, end, eventClass: 27, globalTid: globalTid(tid), nameId: db.string(name), returnValue: 0, callchainId: 0 }); // prettier-ignore
    call(200, 800, 'fopen');
    call(300, 400, 'open64');
    // Longer than the profile's work.
    call(100, 90_000, 'poll', TID + 1);
    call(50, 40, 'ends before it starts');
    return db;
  };

  it('are ranges of kind api in a domain of their own, with the time outside of those within', () => {
    const found = systemCallsOf(database().write());
    expect(
      found.map(({ kind, start, dur, self, pid, tid, text }) => [kind, start, dur, self, pid, tid, text]),
    ).to.deep.equal([
      ['api', 100, 89_900, 89_900, PID, TID + 1, 'poll'],
      ['api', 200, 600, 500, PID, TID, 'fopen'],
      ['api', 300, 100, 100, PID, TID, 'open64'],
    ]);
  });

  it('are read only with all ranges, because there may be very many, and are never counted as not read', () => {
    const path = database().write();
    for (const ranges of [false, 'without-calls', 'long-calls'] as const) {
      const kinds = recordsOf(path, { ranges }).flatMap((record) => (record.type === 'range' ? [record.domain] : []));
      expect(kinds, String(ranges)).to.not.include('OSRT');
    }
    expect(headerOf(path)).to.not.have.property('facts');
    expect(diagnosticsOf(path)).to.deep.equal({});
    expect((recordsOf(path, { ranges: true }).at(-1) as { diagnostics: unknown }).diagnostics).to.deep.equal({
      'bad-row': 1,
    });
  });

  itShared('are all there in a real export', ['data/nsys/schema_2021.sqlite'], ([path = '']) => {
    const all = systemCallsOf(path);
    expect(all).to.have.length(12_492);
    // sqlite3: count(*) and sum(end - start) of OSRT_API joined with StringIds, value 'poll'.
    const polls = all.filter(({ text }) => text === 'poll');
    expect([polls.length, polls.reduce((sum, { dur }) => sum + dur, 0)]).to.deep.equal([407, 39_575_207_840]);
  });
});
