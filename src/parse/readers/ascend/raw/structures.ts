/**
 * Reads files of structures and of records, a few MB at a time. Bytes that are cut off at the end of a file are counted.
 */
import { statSync } from 'node:fs';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { ByteWindow } from '../../../input/byte-window.js';
import { Structure, type StructureFields, type StructureLayout } from './layouts.js';

/**
 * Counts a kind of file as cut off if all its slices are empty. A single empty slice loses nothing; the vendor's parser
 * skips it too.
 */
export function countEmpty(paths: readonly string[], diagnostics: Diagnostics): void {
  const isEmpty = paths.length > 0 && paths.every((path) => statSync(path).size === 0);
  if (isEmpty) diagnostics.count('truncated-input');
}

/**
 * The structures in files, in order. Slices of a device are one stream, so a structure may continue in the next slice.
 * Slices of the host begin with a whole structure, because each begins with the magic number.
 */
export function* structuresIn<F extends StructureFields>(
  paths: readonly string[],
  { bytes: size, magic, fields }: StructureLayout<F>,
  diagnostics: Diagnostics,
  isOneStream = false,
): Generator<Structure<F>> {
  countEmpty(paths, diagnostics);
  const structure = new Structure(fields);
  let rest = Buffer.alloc(0);
  for (const path of paths) {
    const window = new ByteWindow(path);
    try {
      for (let from = 0; window.more(from);) {
        from = 0;
        const bytes = rest.length === 0 ? window.bytes : Buffer.concat([rest, window.bytes.subarray(0, window.end)]);
        const end = rest.length + window.end;
        structure.bytes = bytes;
        let at = 0;
        for (; at + size <= end; at += size) {
          structure.at = at;
          if (magic === undefined || bytes.readUInt16LE(at + magic[0]) === magic[1]) yield structure;
          else diagnostics.count('row-passed-over');
        }
        rest = Buffer.from(bytes.subarray(at, end));
        from = window.end;
      }
    } finally {
      window.close();
    }
    if (isOneStream) continue;
    if (rest.length > 0) diagnostics.count('truncated-input');
    rest = Buffer.alloc(0);
  }
  if (rest.length > 0) diagnostics.count('truncated-input');
}

/** Size of a type and a length in bytes. */
const HEAD_BYTES = 6;

/** Size limit of a record in bytes: a damaged length would swallow everything after it. */
const LARGEST = 64 * 1024 * 1024;

/** A record's structure, and its strings by type. */
interface FoundRecord<F extends StructureFields> {
  readonly structure: Structure<F>;
  readonly textAt: (type: number) => Buffer | null;
}

/**
 * The records in files: type (16 bits), length (32 bits), then a structure, and strings that again have type, length and
 * value.
 */
export function* recordsIn<F extends StructureFields>(
  paths: readonly string[],
  { bytes: size, fields }: StructureLayout<F>,
  diagnostics: Diagnostics,
): Generator<FoundRecord<F>> {
  countEmpty(paths, diagnostics);
  const structure = new Structure(fields);
  for (const path of paths) {
    const window = new ByteWindow(path);
    try {
      for (let [from, more] = [0, true]; more;) {
        more = window.more(from);
        from = 0;
        for (;;) {
          const start = from + HEAD_BYTES;
          if (start > window.end) break;
          const length = window.bytes.readUInt32LE(from + 2);
          if (length > LARGEST) more = false;
          if (start + length > window.end) break;
          from = start + length;
          if (length < size) {
            diagnostics.count('row-passed-over');
            continue;
          }
          const bytes = window.bytes.subarray(start, from);
          structure.bytes = bytes;
          yield { structure, textAt: (type) => textIn(bytes, size, type) };
        }
        if (!more && from < window.end) diagnostics.count('truncated-input');
      }
    } finally {
      window.close();
    }
  }
}

/** The bytes of a string; null when there is none of that type. */
function textIn(bytes: Buffer, from: number, type: number): Buffer | null {
  for (let at = from; at + HEAD_BYTES <= bytes.length;) {
    const start = at + HEAD_BYTES;
    const end = start + bytes.readUInt32LE(at + 2);
    if (end > bytes.length) return null;
    if (bytes.readUInt16LE(at) === type) return bytes.subarray(start, end);
    at = end;
  }
  return null;
}
