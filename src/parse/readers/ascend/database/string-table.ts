/** The table of strings, looked up on demand: a long run has millions of strings, most of which are not needed. */
import { LruCache } from '../../../../containers/lru-cache.js';
import type { SqliteFile } from '../../../sqlite/sqlite.js';

const TABLE = 'STRING_IDS';

/** Id of "no string". */
export const NO_STRING = 4294967295;

export class StringTable {
  readonly #texts = new LruCache<number, string | null>(16384);
  readonly #lookup: (id: number) => string | null;

  constructor(database: SqliteFile) {
    const lookup = database.lookup(TABLE, 'value', 'id');
    this.#lookup = (id) => {
      const value = lookup?.(id);
      return typeof value === 'string' ? value : null;
    };
  }

  /** The string with an id; null when there is none. */
  text(id: number): string | null {
    if (!(id >= 0) || id === NO_STRING) return null;
    return this.#texts.of(id, this.#lookup);
  }
}
