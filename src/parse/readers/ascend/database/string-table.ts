/** The table of strings, looked up on demand: a long run has millions of strings, most of which are not needed. */
import { LruCache } from '../../../../containers/lru-cache.js';
import { NumericColumn } from '../../../../containers/numeric-column.js';
import { NumberIndex } from '../../../capture/number-index.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';

const TABLE = 'STRING_IDS';

/** Id of "no string". */
export const NO_STRING = 4294967295;

export class StringTable {
  readonly #texts = new LruCache<number, string | null>(16384);
  readonly #lookup: (id: number) => string | null;

  constructor(database: SqliteFile) {
    const lookup = database.lookup(TABLE, 'value');
    const rowOf = rowsById(database);
    this.#lookup = (id) => {
      const value = lookup?.(rowOf(id));
      return typeof value === 'string' ? value : null;
    };
  }

  /** The string with an id; null when there is none. */
  text(id: number): string | null {
    if (!(id >= 0) || id === NO_STRING) return null;
    return this.#texts.of(id, this.#lookup);
  }
}

/** Maps ids to rowids: equal in databases of the profiler, but a copy made by other means may differ. */
function rowsById(database: SqliteFile): (id: number) => number {
  if (!database.hasColumn(TABLE, 'id') || database.count(TABLE, 'id IS NOT rowid') === 0) return (id) => id;
  const ids = NumericColumn.floats();
  const rows = NumericColumn.floats();
  const index = new NumberIndex(ids);
  database.eachNumbers(TABLE, ['id', { needs: [], sql: 'rowid' }], ([id = NaN, row = NaN]) => {
    if (Number.isNaN(id)) return;
    ids.push(id);
    rows.push(row);
    index.put(ids.length - 1);
  });
  return (id) => {
    const found = index.get(id);
    return found === -1 ? -1 : rows.at(found);
  };
}
