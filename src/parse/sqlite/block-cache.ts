/**
 * Cells by row number, read ahead: neighbouring rows are asked for soon after each other, and a block of them costs
 * less than a third of as many single look-ups. Where the rows of a table are in no such order, reading ahead is
 * given up.
 */
import { LruCache } from '../../containers/lru-cache.js';
import type { Cell, Cells } from './sqlite.js';

/** Rows of a block. */
const BLOCK = 64;
/** Blocks at hand: the threads of a program are in different parts of the table. */
const BLOCKS = 32;
/** Blocks after which reading ahead is given up unless a quarter of what was read was asked for. */
const TRIAL = 256;

/** @param cells null when there is no such table: every cell is null then */
export function cachedCells(cells: Cells | null): (rowid: number) => Cell {
  if (cells === null) return () => null;
  const blocks = new LruCache<number, Cell[]>(BLOCKS);
  let asked = 0;
  let read = 0;
  const readBlock = (number: number): Cell[] => {
    read++;
    const block = new Array<Cell>(BLOCK).fill(null);
    const from = number * BLOCK;
    for (const [rowid, cell] of cells.block(from, from + BLOCK - 1)) block[rowid - from] = cell;
    return block;
  };
  return (rowid) => {
    if (read >= TRIAL && asked * 4 < read * BLOCK) return cells.one(rowid);
    asked++;
    return blocks.of(Math.floor(rowid / BLOCK), readBlock)[((rowid % BLOCK) + BLOCK) % BLOCK] ?? null;
  };
}
