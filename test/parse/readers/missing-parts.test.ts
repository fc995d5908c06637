import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { READERS } from '../../../src/parse/registry.js';
import { UserError } from '../../../src/record/errors.js';
import type { EndRecord, ProfileLine } from '../../../src/record/record.js';
import { globalPid, globalTid, NsightDatabase } from '../../support/nsight-database.js';
import { NvprofDatabase } from '../../support/nvprof-database.js';
import { freshPath } from '../../support/fresh-path.js';
import { kernelsOf, onlyKernelOf, recordsOf } from '../../support/profile-records.js';
import { databaseSamples } from '../../support/samples-by-format.js';
import { itLong, itSlow } from '../../support/sets.js';

const CUPTI = 'CUPTI_ACTIVITY_KIND_';

/** A database with a row in every table that is read. */
function nsight(): string {
  const at = { start: 140, end: 150, correlationId: 1, globalPid: globalPid() };
  const db = new NsightDatabase()
    .launch(1, ["{'mod': 'torch', 'op': 'mm', 'args': []}", 'mm, seq = 5'])
    .range('NCCL', 0, null, { eventType: 75, domainId: 1 })
    .range('crossing', 50, 200, { eventType: 60, endGlobalTid: globalTid(9) })
    .row(`${CUPTI}MEMCPY`, { ...at, bytes: 1, copyKind: 1 })
    .row(`${CUPTI}MEMSET`, { ...at, bytes: 1, value: 0 })
    .row(`${CUPTI}SYNCHRONIZATION`, { ...at, syncType: 1 })
    .row(`${CUPTI}GRAPH_TRACE`, { ...at, graphId: 1, graphExecId: 1 })
    .row('META_DATA_EXPORT', { name: 'EXPORT_PRODUCT_VERSION', value: '2026.1' })
    .row('ANALYSIS_DETAILS', { duration: 1000 })
    .row('TARGET_INFO_SESSION_START_TIME', { utcEpochNs: 7n })
    .row('TARGET_INFO_GPU', { id: 0, name: 'GPU', computeMajor: 8, computeMinor: 0, cuDevice: 0 })
    .row('TARGET_INFO_CUDA_DEVICE', { gpuId: 0, cudaId: 0, pid: 1000 });
  db.range(null, 55, 195, { textId: db.string('registered'), domainId: 1 });
  return db.write();
}

function nvprof(): string {
  const at = { start: 1_600_000_000_000_000_140n, end: 1_600_000_000_000_000_150n, correlationId: 1 };
  return new NvprofDatabase()
    .launch(1, ["{'mod': 'torch', 'op': 'mm', 'args': []}", 'mm, seq = 5'])
    .call(101, 109, 1, { table: `${CUPTI}DRIVER`, cbid: 307 })
    .kernel(700, 710, 2, { table: `${CUPTI}KERNEL` })
    .row(`${CUPTI}MEMCPY`, { ...at, copyKind: 1, bytes: 1 })
    .row(`${CUPTI}MEMCPY2`, { ...at, copyKind: 10, bytes: 1 })
    .row(`${CUPTI}MEMSET`, { ...at, bytes: 1 })
    .row(`${CUPTI}CONTEXT`, { contextId: 0, deviceId: 0 })
    .row(`${CUPTI}SYNCHRONIZATION`, { ...at, type: 1 })
    .row(`${CUPTI}DEVICE`, { id: 0, computeCapabilityMajor: 7, coreClockRate: 1, numMultiprocessors: 80 })
    .write();
}

/** Whatever is missing, records keep their form. */
function expectWellFormed(records: readonly ProfileLine[], what: string): void {
  expect(records[0]?.type, what).to.equal('profile');
  expect(records.at(-1)?.type, what).to.equal('end');
  for (const record of records) {
    const text = JSON.stringify(record);
    expect(JSON.parse(text), what).to.deep.equal(record);
    expect(text, what).not.to.match(/NaN|Infinity|undefined/);
    if (record.type === 'kernel') expect(Array.isArray(record.grid) || record.grid === null, what).to.equal(true);
  }
}

interface Part {
  readonly table: string;
  readonly column: string | null;
}

function partsOf(path: string): Part[] {
  const db = new Database(path, { readonly: true });
  const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all() as string[]; // prettier-ignore
  const parts = tables.flatMap((table): Part[] => {
    const columns = db.prepare(`PRAGMA table_info(${table})`).all() as { name: string; pk: number }[];
    const indexed = db
      .prepare('SELECT i.name FROM pragma_index_list(?) l, pragma_index_info(l.name) i')
      .pluck()
      .all(table);
    const others = columns.length > 1 ? columns.filter(({ pk, name }) => pk === 0 && !indexed.includes(name)) : [];
    return [{ table, column: null }, ...others.map(({ name }) => ({ table, column: name }))];
  });
  db.close();
  return parts;
}

function withoutPart(path: string, { table, column }: Part): string {
  const copy = freshPath();
  copyFileSync(path, copy);
  const db = new Database(copy);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(column === null ? `DROP TABLE ${table}` : `ALTER TABLE ${table} DROP COLUMN "${column}"`);
  db.close();
  return copy;
}

/** Without a table a file may be of no format; kernels that are lost for a column are counted. */
function expectLossCounted(path: string, whole: readonly ProfileLine[], { table, column }: Part): void {
  const what = `${table}.${column ?? '*'}`;
  let records: readonly ProfileLine[];
  try {
    records = recordsOf(path, { ranges: true });
  } catch (error) {
    expect(error, what).to.be.instanceOf(UserError);
    return;
  }
  expectWellFormed(records, what);
  const counted = (all: readonly ProfileLine[]): string => JSON.stringify((all.at(-1) as EndRecord).diagnostics);
  const kernels = (all: readonly ProfileLine[]): number => all.filter(({ type }) => type === 'kernel').length;
  const isLoss = column !== null && kernels(records) < kernels(whole);
  if (isLoss) expect(counted(records), what).to.not.equal(counted(whole));
}

describe('a table or a column that is not there', () => {
  for (const sample of databaseSamples(READERS)) {
    const expectCounted = (parts: readonly Part[]): void => {
      const whole = recordsOf(sample, { ranges: true });
      for (const part of parts) {
        const path = withoutPart(sample, part);
        expectLossCounted(path, whole, part);
        rmSync(path);
      }
    };
    const title = `of samples/${basename(sample)} costs what it contains, and is counted where that is kernels`;

    itSlow(`${title}: each table, and every fourth column`, () => {
      expectCounted(partsOf(sample).filter(({ column }, i) => column === null || i % 4 === 0));
    });

    itLong(`${title}: each table and column`, () => {
      expectCounted(partsOf(sample));
    });
  }

  for (const [format, make, identifying] of [
    ['nsight', nsight, ['StringIds']],
    ['nvprof', nvprof, ['StringTable', 'Version']],
  ] as const) {
    const expectKernels = (isTaken: (part: number) => boolean): void => {
      const whole = make();
      const kernels = kernelsOf(whole).length;
      for (const part of partsOf(whole).filter((_, i) => isTaken(i))) {
        const what = `${part.table}.${part.column ?? '*'}`;
        // These two identify the format.
        if (part.column === null && (identifying as readonly string[]).includes(part.table)) continue;
        const path = withoutPart(whole, part);
        const records = recordsOf(path, { ranges: true });
        expectWellFormed(records, what);
        const found = records.filter(({ type }) => type === 'kernel').length;
        if (part.column === null && part.table.endsWith('KERNEL')) expect(found, what).to.be.below(kernels);
        else expect(found, what).to.equal(kernels);
        rmSync(path);
      }
    };

    it(`${format}: costs only what it contains`, () => {
      expectKernels((part) => part % 4 === 0);
    });

    itSlow(`${format}: costs only what it contains, whichever it is`, () => {
      expectKernels(() => true);
    });
  }

  it('nsight: kernels of exports without globalPid belong to the only process', () => {
    const path = new NsightDatabase().launch(1, ['layer:a']).write({ without: { [`${CUPTI}KERNEL`]: ['globalPid'] } });
    expect(onlyKernelOf(path)).to.deep.include({ layer: ['a'], pid: 1000 });
    const nulls = new NsightDatabase().launch(1, ['layer:a']).kernel({ start: 500, end: 501 }, 1, { globalPid: null });
    expect(kernelsOf(nulls.write()).map(({ pid }) => pid)).to.deep.equal([1000, 1000]);
  });

  it('nsight: among several processes they belong to none', () => {
    const db = new NsightDatabase().launch(1, []).call({ start: 1, end: 2 }, 1, { globalTid: globalTid(5, 77) });
    const path = db.write({ without: { [`${CUPTI}KERNEL`]: ['globalPid'] } });
    expect(onlyKernelOf(path)).to.include({ pid: null, launch: null });
  });

  it('nsight: calls without event class are runtime calls (2019)', () => {
    const path = new NsightDatabase().launch(1, []).write({ without: { [`${CUPTI}RUNTIME`]: ['eventClass', 'callchainId'] } }); // prettier-ignore
    expect(onlyKernelOf(path).launch).to.deep.include({ api: 'cudaLaunchKernel' });
  });

  it('nsight: extents that are not there are null, not 0', () => {
    const path = new NsightDatabase().launch(1, []).write({ without: { [`${CUPTI}KERNEL`]: ['gridX', 'blockZ'] } });
    expect(onlyKernelOf(path)).to.include({ grid: null, block: null });
  });

  it('nsight: tables that are there without rows (--lazy=false) are as tables that are not', () => {
    const empty = ['NVTX_EVENTS', `${CUPTI}KERNEL`, `${CUPTI}RUNTIME`, `${CUPTI}MEMCPY`, 'TARGET_INFO_GPU'];
    expect(recordsOf(new NsightDatabase().write({ empty }), { name: 'x' })).to.deep.equal(
      recordsOf(new NsightDatabase().write(), { name: 'x' }),
    );
  });

  it('nvprof: markers of versions without domains are in the default domain', () => {
    const path = new NvprofDatabase(7).launch(1, ['layer:a']).write({ without: { [`${CUPTI}MARKER`]: ['domain'] } });
    expect(onlyKernelOf(path).layer).to.deep.equal(['a']);
  });
});

describe('a cell of the wrong type', () => {
  const ODD = ['text', 'two words', '', '1.5', 1.5, -1, 2n ** 62n, Buffer.from([0, 32, 49]), null] as const;

  /** A copy of the database in which a column has this value in every row. */
  function withCells(whole: string, { table, column }: Part, odd: (typeof ODD)[number]): string {
    const path = freshPath();
    copyFileSync(whole, path);
    const db = new Database(path);
    db.pragma('journal_mode = OFF');
    db.pragma('synchronous = OFF');
    try {
      db.prepare(`UPDATE ${table} SET "${column ?? ''}" = ?`).run(odd);
    } catch {
      // The schema itself forbids it.
    }
    db.close();
    return path;
  }

  /** @param oddOf the values that a column gets in turn, by the number of the column */
  function expectAllKernels(whole: string, oddOf: (column: number) => readonly (typeof ODD)[number][]): void {
    const kernels = kernelsOf(whole).length;
    for (const [i, part] of partsOf(whole).entries()) {
      for (const odd of part.column === null ? [] : oddOf(i)) {
        const path = withCells(whole, part, odd);
        const what = `${part.table}.${part.column} = ${String(odd)}`;
        const records = recordsOf(path, { ranges: true });
        expectWellFormed(records, what);
        expect(records.filter(({ type }) => type === 'kernel').length, what).to.equal(kernels);
        rmSync(path);
      }
    }
  }

  for (const [format, make] of [
    ['nsight', nsight],
    ['nvprof', nvprof],
  ] as const) {
    it(`${format}: in any column loses no kernel and aborts nothing`, () => {
      expectAllKernels(make(), (column) => [ODD[column % ODD.length] ?? null]);
    });

    itLong(`${format}: of any wrong type, in any column, loses no kernel and aborts nothing`, () => {
      expectAllKernels(make(), () => ODD);
    });
  }
});
