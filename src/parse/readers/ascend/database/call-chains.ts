/**
 * Call stacks: one row a frame, depth 0 the innermost. The table has no index and is the longest of a profile with
 * stacks, so that the strings of its rows are held, 4 bytes a frame; a stack is put together when it is asked for.
 */
import { Recent } from '../../../../record/recent.js';
import { Column } from '../../../column.js';
import { sortRows, allRows } from '../../../order.js';
import { PairIndex } from '../../../pair-index.js';
import type { SqliteFile } from '../../../sqlite.js';
import { readFrame } from '../../../torch/names.js';
import type { Strings } from './strings.js';

const TABLE = 'PYTORCH_CALLCHAINS';
const COLUMNS = ['id', 'stack', 'stackDepth'];

export class CallChains {
  /** In order of chain, then depth. */
  #frames = Column.counts();
  /** By chain, its id and the place of its innermost frame. */
  #ids = Column.floats();
  #first = Column.counts();
  #index = this.#newIndex();
  #lastId = NaN;
  #lastDepth = NaN;
  #inOrder = true;
  /** By string, the frame of the program that it names; null for others. */
  readonly #read = new Recent<number, string | null>(8192);

  constructor(
    private readonly database: SqliteFile,
    private readonly strings: Strings,
  ) {
    database.eachNumbers(TABLE, COLUMNS, ([id = NaN, stack = NaN, depth = NaN]) => {
      if (this.#inOrder) this.#add(id, stack, depth);
    });
    if (!this.#inOrder) this.#readSorted();
  }

  /** The frames of the program in a stack, `train.py:184`, outermost first. */
  frames(id: number): string[] {
    const chain = this.#index.get(0, id);
    if (chain === -1) return [];
    const first = this.#first.at(chain);
    const end = chain + 1 < this.#first.length ? this.#first.at(chain + 1) : this.#frames.length;
    const frames: string[] = [];
    for (let place = end - 1; place >= first; place--) {
      const frame = this.#read.of(this.#frames.at(place), (string) => this.#frameOf(string));
      if (frame !== null) frames.push(frame);
    }
    return frames;
  }

  #newIndex(): PairIndex {
    return new PairIndex(
      () => 0,
      (chain) => this.#ids.at(chain),
    );
  }

  /** Adds the next frame of a chain, or the first of the next chain. */
  #add(id: number, stack: number, depth: number): void {
    if (Number.isNaN(id) || !(stack >= 0)) return;
    if (id !== this.#lastId) {
      if (id < this.#lastId) this.#inOrder = false;
      this.#ids.push(id);
      this.#first.push(this.#frames.length);
      this.#index.put(this.#ids.length - 1);
    } else if (depth < this.#lastDepth) this.#inOrder = false;
    this.#lastId = id;
    this.#lastDepth = depth;
    this.#frames.push(stack);
  }

  /** Reads the table again where its rows do not stand as the profiler writes them: 20 bytes a frame meanwhile. */
  #readSorted(): void {
    const [ids, stacks, depths] = [Column.floats(), Column.counts(), Column.counts()];
    this.database.eachNumbers(TABLE, COLUMNS, ([id = NaN, stack = NaN, depth = NaN]) => {
      if (Number.isNaN(id) || !(stack >= 0)) return;
      ids.push(id);
      stacks.push(stack);
      depths.push(depth >= 0 ? depth : 0);
    });
    const rows = allRows(ids.length);
    sortRows(rows, (a, b) => ids.at(a) - ids.at(b) || depths.at(a) - depths.at(b) || stacks.at(a) - stacks.at(b));
    this.#frames = Column.counts();
    this.#ids = Column.floats();
    this.#first = Column.counts();
    this.#index = this.#newIndex();
    this.#lastId = NaN;
    for (const row of rows) this.#add(ids.at(row), stacks.at(row), depths.at(row));
  }

  #frameOf(string: number): string | null {
    const read = readFrame((this.strings.text(string) ?? '').trim());
    return read.kind === 'frame' ? read.frame : null;
  }
}
