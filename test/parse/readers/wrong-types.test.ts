/** Cells of the wrong type: whatever column they are in, records that differ for it come with a loss or a doubt. */
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIAGNOSTICS, type DiagnosticName } from '../../../src/record/diagnostics.js';
import { UserError } from '../../../src/record/errors.js';
import type { EndRecord, ProfileLine } from '../../../src/record/record.js';
import { freshPath } from '../../support/fresh-path.js';
import { recordsOf } from '../../support/profile-records.js';
import { itLong, itSlow } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

const SAMPLES = ['lenet.nsys.sqlite', 'lenet.nvprof.sql', 'ascend_pytorch_profiler_0.db'];

/** Columns that hold numbers, and those that name the same things everywhere: rows of them fit no other. */
function numberColumns(path: string): (readonly [table: string, column: string])[] {
  const database = new Database(path, { readonly: true });
  const of = (sql: string): string[] => database.prepare(sql).pluck().all() as string[];
  const tables = of("SELECT name FROM sqlite_master WHERE type = 'table'");
  const found = tables.flatMap((table) =>
    of(`SELECT name FROM pragma_table_info('${table}') WHERE pk = 0`)
      .filter((column) => of(`SELECT DISTINCT typeof("${column}") FROM "${table}"`).includes('integer'))
      .map((column) => [table, column] as const),
  );
  database.close();
  return found;
}

function damaged(path: string, table: string, column: string): string {
  const copy = freshPath();
  copyFileSync(path, copy);
  const database = new Database(copy);
  database.exec(`UPDATE "${table}" SET "${column}" = 'x' WHERE rowid % 3 = 0`);
  database.close();
  return copy;
}

const textOf = (records: readonly ProfileLine[]): string =>
  JSON.stringify(records.slice(1, -1).map((record) => record));

/** Losses and doubts. */
const saidOf = (end: EndRecord): string[] =>
  Object.entries(end.diagnostics).flatMap(([name, count]) =>
    DIAGNOSTICS[name as DiagnosticName][0] === 'note' ? [] : [`${name} ${count}`],
  );

describe('a cell of the wrong type', () => {
  for (const sample of SAMPLES) {
    const expectCounted = (isTaken: (column: number) => boolean): void => {
      const path = join(ROOT, 'samples', sample);
      const name = { name: 'profile' };
      const intact = recordsOf(path, name);
      const silent: string[] = [];
      for (const [table, column] of numberColumns(path).filter((_, i) => isTaken(i))) {
        try {
          const records = recordsOf(damaged(path, table, column), name);
          const isSaid = saidOf(records.at(-1) as EndRecord).join() !== saidOf(intact.at(-1) as EndRecord).join();
          if (textOf(records) !== textOf(intact) && !isSaid) silent.push(`${table}.${column}`);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
        }
      }
      expect(silent).to.deep.equal([]);
    };
    const title = `of ${sample} is counted where records differ for it`;
    itSlow(`in each second column ${title}`, () => expectCounted((column) => column % 2 === 0));
    itLong(`in any column ${title}`, () => expectCounted(() => true));
  }
});
