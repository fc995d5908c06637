/** Rows of an nvprof database an hour before all others, read or not: none sets the start. */
import { expect } from 'chai';
import { EPOCH, NvprofDatabase, threadObject } from '../../../support/nvprof-database.js';
import { diagnosticsOf, headerOf, kernelsOf, recordsOf } from '../../../support/profile-records.js';

const HOUR = 3_600_000_000_000;

/** Launches every 100 ns from 100 on, and a mark at 40: the profile starts there, and lasts until 4030. */
function database(): NvprofDatabase {
  const db = new NvprofDatabase();
  for (let n = 1; n <= 40; n++) db.launch(n, []);
  return db.marker(1, 40, { id: 900, objectKind: 2, objectId: threadObject() });
}

const overhead = (db: NvprofDatabase, at: number, objectKind: number): NvprofDatabase => {
  const times = { start: EPOCH + BigInt(at), end: EPOCH + BigInt(at + 5) };
  return db.row('CUPTI_ACTIVITY_KIND_OVERHEAD', { overheadKind: 1, objectKind, objectId: threadObject(), ...times });
};

const marker = (db: NvprofDatabase, flags: number, at: number, objectKind = 2): NvprofDatabase =>
  db.marker(flags, at, { id: 901, objectKind, objectId: threadObject() });

const ROWS: Readonly<Record<string, (db: NvprofDatabase, at: number) => NvprofDatabase>> = {
  call: (db, at) => db.call(at, at + 5, 999),
  'call that ends before it starts': (db, at) => db.call(at, at - 5, 999),
  kernel: (db, at) => db.kernel(at, at + 5, 999),
  range: (db, at) => db.range('far', at, at + 5),
  mark: (db, at) => marker(db, 1, at),
  'end without a start': (db, at) => marker(db, 4, at),
  'start of a process': (db, at) => marker(db, 2, at, 1),
  'overhead of a thread': (db, at) => overhead(db, at, 2),
  'overhead of a device': (db, at) => overhead(db, at, 3),
};

describe('nvprof: a row far before all others', () => {
  const start = { startUnixNs: String(EPOCH + 40n), dur: 3990 };

  for (const [what, add] of Object.entries(ROWS)) {
    it(`sets no start: a ${what}`, () => {
      expect(headerOf(database().write())).to.deep.include(start);
      const path = add(database(), -HOUR).write();
      expect(headerOf(path)).to.deep.include(start);
      expect(diagnosticsOf(path)['time-far-away']).to.equal(1);
      expect(kernelsOf(path).find(({ corr }) => corr === 1)?.start).to.equal(80);
      const ranges = recordsOf(path, { ranges: true }).filter(({ type }) => type === 'range');
      expect(ranges.map((record) => 'start' in record && Number(record.start) >= 0)).to.not.include(false);
      expect(ranges).to.have.length(40);
    });
  }
});
