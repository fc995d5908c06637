import Database from 'better-sqlite3';
import { expect } from 'chai';
import { ofType } from '../../../support/kineto.js';
import { globalPid, NsightDatabase } from '../../../support/nsight-database.js';
import { EPOCH, NvprofDatabase } from '../../../support/nvprof-database.js';
import type { Cells } from '../../../support/profile-database.js';
import { diagnosticsOf, recordsOf } from '../../../support/profile-records.js';
import { itShared } from '../../../support/shared.js';

const CUPTI = 'CUPTI_ACTIVITY_KIND_';
const devicesOfWaits = (path: string): number[] => ofType(recordsOf(path), 'sync').map(({ device }) => device);

describe('waits in Nsight exports, whose rows all state device 0', () => {
  /** A wait of one process after the other. */
  const waits = (db: NsightDatabase, ...cells: readonly Cells[]): NsightDatabase => {
    cells.forEach((own, i) =>
      db.row(`${CUPTI}SYNCHRONIZATION`, { start: 200 + i, end: 210, globalPid: globalPid(10), syncType: 3, ...own }),
    );
    return db;
  };
  const CONTEXTS = [{ contextId: 1 }, { contextId: 2 }, { contextId: 1, globalPid: globalPid(11) }];

  for (const table of ['TARGET_INFO_CUDA_CONTEXT_INFO', 'TARGET_INFO_CUDA_NULL_STREAM']) {
    it(`have the device of the context and process in ${table}`, () => {
      const db = new NsightDatabase();
      db.row(table, { vmId: 1, processId: 10, contextId: 1, deviceId: 4 });
      db.row(table, { vmId: 1, processId: 10, contextId: 2, deviceId: 5 });
      db.row(table, { vmId: 1, processId: 11, contextId: 1, deviceId: 6 });
      expect(devicesOfWaits(waits(db, ...CONTEXTS).write())).to.deep.equal([4, 5, 6]);
    });
  }

  it('have the device of the work in their context where no table lists contexts', () => {
    const db = new NsightDatabase();
    const work = { start: 100, end: 110, globalPid: globalPid(10) };
    db.kernel(work, null, { ...work, contextId: 1, deviceId: 4 });
    db.row(`${CUPTI}MEMCPY`, { ...work, contextId: 2, deviceId: 5, copyKind: 1 });
    db.row(`${CUPTI}MEMSET`, { ...work, contextId: 1, deviceId: 6, globalPid: globalPid(11) });
    expect(devicesOfWaits(waits(db, ...CONTEXTS).write())).to.deep.equal([4, 5, 6]);
  });

  it('keep the device of their row, counted where there are several, when nothing else has their context', () => {
    const db = new NsightDatabase();
    for (const deviceId of [0, 1]) db.kernel({ start: 100, end: 110 }, null, { contextId: 1 + deviceId, deviceId });
    const path = waits(db, { contextId: 9, deviceId: 1 }, { contextId: 0 }).write();
    expect(devicesOfWaits(path)).to.deep.equal([1, 0]);
    expect(diagnosticsOf(path)).to.include({ 'wait-without-device': 2 });
    const alone = waits(new NsightDatabase(), { contextId: 9 }).write();
    expect(diagnosticsOf(alone)).not.to.have.property('wait-without-device');
  });

  for (const file of ['fsdp_2proc', 'h100_2gpu_orphans']) {
    itShared(
      `${file}: sums of waits by device are those of SQL by context`,
      [`data/nsys/${file}.sqlite`],
      ([path = '']) => {
        const db = new Database(path, { readonly: true });
        const sql = `
        SELECT device, sum(w.end - w.start) FROM ${CUPTI}SYNCHRONIZATION AS w JOIN
          (SELECT DISTINCT globalPid, contextId, deviceId AS device FROM ${CUPTI}KERNEL) USING (globalPid, contextId)
        GROUP BY device`;
        const expected = new Map(db.prepare(sql).raw().all() as [number, number][]);
        db.close();
        const sums = new Map<number, number>();
        for (const { device, dur } of ofType(recordsOf(path), 'sync')) {
          sums.set(device, (sums.get(device) ?? 0) + (dur ?? NaN));
        }
        expect(expected.size).to.equal(2);
        expect([...sums].sort()).to.deep.equal([...expected].sort());
      },
    );
  }
});

describe('waits in nvprof databases, whose rows state no device', () => {
  const wait = (db: NvprofDatabase, contextId: number): string =>
    db.row(`${CUPTI}SYNCHRONIZATION`, { start: EPOCH + 200n, end: EPOCH + 210n, contextId, type: 3 }).write();

  it('have the device of the work in their context where the table of contexts lacks it', () => {
    const db = new NvprofDatabase().kernel(120, 150, 1, { contextId: 3, deviceId: 2 });
    expect(devicesOfWaits(wait(db, 3))).to.deep.equal([2]);
  });

  it('are counted when nothing else has their context', () => {
    const db = new NvprofDatabase().row(`${CUPTI}DEVICE`, { id: 0 }).row(`${CUPTI}DEVICE`, { id: 1 });
    expect(diagnosticsOf(wait(db, 3))).to.include({ 'wait-without-device': 1 });
  });
});
