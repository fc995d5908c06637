/** Checks the header of a database before SQLite opens it. */
import { existsSync, statSync } from 'node:fs';
import { UserError } from '../../record/errors.js';
import { firstBytes } from '../files.js';

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';

export const isSqlite = (head: Buffer): boolean => head.subarray(0, MAGIC.length).toString('latin1') === MAGIC;

/**
 * Refuses databases that SQLite cannot read, with a clearer message than SQLite's.
 * @throws UserError
 */
export function refuseUnreadable(path: string): void {
  // Bytes beyond the end of the file are 0.
  const header = Buffer.concat([firstBytes(path, HEADER_BYTES)], HEADER_BYTES);
  if (!isSqlite(header)) throw new UserError('not an SQLite database', { where: path });
  if (header[18] === 2 || header[19] === 2) {
    throw new UserError('database is in WAL mode, and reading it would write next to it', {
      where: path,
      hint: 'convert a copy: sqlite3 COPY "PRAGMA journal_mode=DELETE"',
    });
  }
  if (existsSync(`${path}-journal`) && statSync(`${path}-journal`).size > 0) {
    throw new UserError('database has an unfinished write next to it (-journal)', {
      where: path,
      hint: 'let the program that writes it finish, or open it once with sqlite3',
    });
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65536 : header.readUInt16BE(16);
  const expected = pageSize * header.readUInt32BE(28);
  // The page count is only valid when the change counter equals the version-valid-for number (SQLite file format §1.3.8).
  const valid = header.readUInt32BE(24) === header.readUInt32BE(92);
  const { size } = statSync(path);
  if (valid && size < expected) {
    throw new UserError(`database is cut short: ${size} of ${expected} bytes`, {
      where: path,
      hint: 'copy or export it again',
    });
  }
}
