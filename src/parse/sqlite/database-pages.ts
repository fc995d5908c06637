/**
 * Pages of an SQLite database as they stand in the file, read ahead where they follow each other. Only to be used while
 * a read transaction is open, which keeps other programs from writing them.
 * Source: sqlite.org/fileformat2.html §1.3 (header), §1.6 (b-tree pages).
 */
import { readSync } from 'node:fs';

/** Bytes of the database's header, which stands before its first page's own. */
export const HEADER_BYTES = 100;
const UTF_8 = 1;

/** Bytes that are read at a time at most. */
const MOST_AHEAD = 256 * 1024;
/** Pages that are read at a time where the last ones were elsewhere. */
const FEW_PAGES = 2;

/** What a database's header says of its pages. */
export interface PageFormat {
  readonly pageSize: number;
  /** Bytes of a page that hold data. */
  readonly usable: number;
}

/** The format of a database's pages; null where its texts are no UTF-8. */
export function readPageFormat(file: number): PageFormat | null {
  const header = Buffer.alloc(HEADER_BYTES);
  if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES || header.readUInt32BE(56) !== UTF_8) return null;
  const told = header.readUInt16BE(16);
  const pageSize = told === 1 ? 65536 : told;
  return pageSize < 512 ? null : { pageSize, usable: pageSize - header.readUInt8(20) };
}

export class Pages {
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Numbers of the first page in `bytes`, and of the one after the last. */
  #first = 0;
  #end = 0;
  #ahead = FEW_PAGES;

  constructor(
    private readonly file: number,
    readonly format: PageFormat,
  ) {
    const { pageSize } = format;
    this.bytes = Buffer.allocUnsafeSlow(Math.max(Math.floor(MOST_AHEAD / pageSize), FEW_PAGES) * pageSize);
    this.view = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
  }

  /** Where a page, numbered from 1, stands in `bytes` until the next one is asked for; -1 where there is none. */
  place(page: number): number {
    if (page < this.#first || page >= this.#end) this.#read(page);
    return page >= this.#first && page < this.#end ? (page - this.#first) * this.format.pageSize : -1;
  }

  #read(page: number): void {
    const { pageSize } = this.format;
    const most = this.bytes.length / pageSize;
    this.#ahead = page === this.#end ? Math.min(this.#ahead * 2, most) : FEW_PAGES;
    this.#first = page;
    this.#end = page;
    if (page < 1) return;
    const read = readSync(this.file, this.bytes, 0, this.#ahead * pageSize, (page - 1) * pageSize);
    this.#end += Math.floor(read / pageSize);
  }
}
