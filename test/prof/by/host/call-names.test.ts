/** Calls of libraries in which several parts have calls of one name: each has the work that it launched. */
import { expect } from 'chai';
import { readProfile } from '../../../../src/parse/profile.js';
import { HOST_TABLES, HostTable, type HostTableKind } from '../../../../src/prof/by/host/host-table.js';
import { isDeviceActivity } from '../../../../src/prof/input/device-activity.js';
import { call, task, writeProfile } from '../../../support/ascend-trace.js';
import { training } from '../../../support/ascend-database.js';

/** Pieces of work and ns on the device by call. */
function workOf(path: string): { rows: Record<string, [number, number]>; launched: number } {
  const table = new HostTable(HOST_TABLES['api'] as HostTableKind);
  let launched = 0;
  for (const record of readProfile(path, { profile: 0, ranges: true })) {
    table.take(record);
    if (isDeviceActivity(record) && record.type !== 'sync' && record.launch !== null) launched++;
  }
  return { rows: Object.fromEntries([...table.rows()].map(({ name, work }) => [name, [work.count, work.time]])), launched };
} // prettier-ignore

describe('calls by name', () => {
  it('of Ascend have the work that they launched, each part of the library its own', () => {
    const path = writeProfile([
      call('Node@launch', 11, 0),
      call('Node@launch', 12, 2),
      call('Runtime@launch', 13, 4),
      task('MatMul', 'AI_CORE', 11, 10, 20),
      task('Add', 'AI_CORE', 12, 20, 25),
      task('Mul', 'AI_CORE', 13, 30, 33),
    ]);
    expect(workOf(path).rows).to.deep.equal({ 'node:launch': [2, 15_000], 'runtime:launch': [1, 3000] });
  });

  for (const [what, path] of [['a trace', () => writeProfile([call('Node@launch', 11, 0), task('MatMul', 'AI_CORE', 11, 10, 20)])], ['a database', () => training().write()]] as const) {
    it(`have all work of ${what} that has a launch`, () => {
      const { rows, launched } = workOf(path());
      expect(launched).to.be.greaterThan(0);
      expect(Object.values(rows).reduce((all, [count]) => all + count, 0)).to.equal(launched);
    });
  } // prettier-ignore
});
