import Database from 'better-sqlite3';
import { expect } from 'chai';
import { join } from 'node:path';
import { recordsOf } from '../../../support/profile-records.js';
import { itShared, ROOT } from '../../../support/shared.js';

interface Resources {
  readonly registers: number | null;
  readonly sharedBytes: number | null;
}

/** Of each kernel, as a row of the database has them, in order. */
function stated(path: string): Resources[] {
  const database = new Database(path, { readonly: true });
  try {
    const tables = database.prepare(`SELECT name FROM sqlite_master WHERE name GLOB 'CUPTI_*_KERNEL'`).pluck().all();
    const columns = 'registersPerThread AS registers, staticSharedMemory + dynamicSharedMemory AS sharedBytes';
    return tables.flatMap((table) => database.prepare(`SELECT ${columns} FROM ${String(table)}`).all() as Resources[]);
  } finally {
    database.close();
  }
}

function read(path: string): Resources[] {
  return recordsOf(path).flatMap((line) => {
    if (line.type !== 'kernel') return [];
    return { registers: line.registers ?? null, sharedBytes: line.sharedBytes ?? null };
  });
}

const sorted = (all: readonly Resources[]): string[] => all.map((one) => JSON.stringify(one)).sort();

describe('registers and shared memory of kernels', () => {
  for (const name of ['lenet.nsys.sqlite', 'transformer.nvprof.sql']) {
    it(`are those of their rows: ${name}`, () => {
      const path = join(ROOT, 'samples', name);
      expect(read(path)).to.not.deep.equal([]);
      expect(sorted(read(path))).to.deep.equal(sorted(stated(path)));
    });
  }

  const shared = [
    'nsys/nvfuser_h200.sqlite',
    'nsys/schema_2021.sqlite',
    'nsys/fsdp_2proc.sqlite',
    'pyprof/nvprof_1000.sql',
  ];
  for (const name of shared) {
    itShared(`are those of their rows: ${name}`, [`data/${name}`], ([path = '']) => {
      expect(sorted(read(path))).to.deep.equal(sorted(stated(path)));
    });
  }
});
