/**
 * Consistency checks of a Parquet file before the library reads it, because the library trusts counts when it allocates
 * memory, and lengths of runs. Needed for files without a checksum, which other programs write. Source: parquet.thrift and
 * Encodings.md of the Parquet format.
 */
import type { ColumnMetaData, FileMetaData, PageHeader, RowGroup, SchemaTree } from 'hyparquet';
import { parquetSchema, snappyUncompress } from 'hyparquet';
import { parquetHeader } from 'hyparquet/src/column.js';
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from 'hyparquet/src/schema.js';

/**
 * Maximum size in bytes of a decompressed page, which is safe to hold in memory; other programs write pages of some
 * megabytes.
 */
const LARGEST_PAGE = 256 * 1024 * 1024;
/** Number of values that a run may have beyond the page, because the last group of a run is padded. */
const MOST_FILLED = 512;

/** Throws an error with the text, as the library does. */
function check(isRight: boolean, wrong: string): asserts isRight {
  if (!isRight) throw new Error(`wrong: ${wrong}`);
}

const isCount = (value: unknown, most: number): boolean =>
  (typeof value === 'bigint' || Number.isInteger(value)) && Number(value) >= 0 && Number(value) <= most;

/**
 * Checks the numbers of rows and the offsets of a file's row groups.
 * @param size the size of the file in bytes
 */
export function checkGroups(metadata: FileMetaData, size: number): void {
  let rows = 0;
  const { schema } = metadata;
  const areCounts = schema.every(({ num_children: n }) => n === undefined || isCount(n, schema.length));
  check(areCounts, 'the children of an element of the schema');
  for (const group of metadata.row_groups) {
    check(isCount(group.num_rows, Number.MAX_SAFE_INTEGER), 'the rows of a group');
    rows += Number(group.num_rows);
    for (const { meta_data: meta } of group.columns) {
      check(meta !== undefined, 'a column that is not described');
      const [start, end] = placeOf(meta);
      const isInside = isCount(start, size) && isCount(end, size) && start <= end;
      check(isInside, `the place of ${nameOf(meta)}`);
    }
  }
  check(rows === Number(metadata.num_rows), 'the rows of all groups');
}

const nameOf = (meta: ColumnMetaData): string => `column ${meta.path_in_schema.join('.')}`;

/** Byte range of a column's pages in a file; the dictionary comes first, if there is one. */
function placeOf(meta: ColumnMetaData): readonly [start: number, end: number] {
  const dictionary = Number(meta.dictionary_page_offset ?? 0);
  const start = dictionary > 0 ? dictionary : Number(meta.data_page_offset);
  return [start, start + Number(meta.total_compressed_size)];
}

/** Checks the pages of a column (for a column of objects, of all its parts) in a row group. */
export function checkColumn(
  metadata: FileMetaData,
  group: RowGroup,
  name: string,
  bytesAt: (start: number, end: number) => ArrayBuffer,
): void {
  for (const { meta_data: meta } of group.columns) {
    if (meta?.path_in_schema[0] !== name) continue;
    const [start, end] = placeOf(meta);
    const column = new ColumnPages(meta, getTreePath(parquetSchema(metadata), [...meta.path_in_schema]));
    column.check(new DataView(bytesAt(start, end)), start);
    const values = column.isList ? meta.num_values : group.num_rows;
    check(column.values === Number(values), `the values in the pages of ${nameOf(meta)} from byte ${start}`);
  }
}

/** The pages of a column, one after the other. */
class ColumnPages {
  values = 0;
  readonly #levels: readonly number[];

  constructor(
    private readonly meta: ColumnMetaData,
    path: SchemaTree[],
  ) {
    this.#levels = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)];
  }

  get isList(): boolean {
    return this.#levels[0] !== 0;
  }

  check(view: DataView, start: number): void {
    const reader = { view, offset: 0 };
    // The library continues until only one byte is left.
    while (reader.offset < view.byteLength - 1) {
      const at = `the page of ${nameOf(this.meta)} at byte ${start + reader.offset}`;
      checkStruct(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), reader.offset, at);
      const header = parquetHeader(reader);
      const { compressed_page_size: size, uncompressed_page_size: unpacked } = header;
      check(isCount(size, view.byteLength - reader.offset), `the size of ${at}`);
      check(isCount(unpacked, LARGEST_PAGE), `the size of ${at}, unpacked`);
      const bytes = new Uint8Array(view.buffer, view.byteOffset + reader.offset, size);
      this.#checkPage(header, bytes, at);
      reader.offset += size;
    }
  }

  #checkPage(header: PageHeader, bytes: Uint8Array, at: string): void {
    const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header;
    const most = Math.max(Number(this.meta.num_values), 0);
    if (header.type === 'DICTIONARY_PAGE') {
      check(dictionary !== undefined && isCount(dictionary.num_values, most), `the values of ${at}`);
      this.#unpacked(bytes, header.uncompressed_page_size, at);
      return;
    }
    const page = header.type === 'DATA_PAGE' ? v1 : header.type === 'DATA_PAGE_V2' ? v2 : undefined;
    check(page !== undefined && isCount(page.num_values, most), `the kind or the values of ${at}`);
    this.values += page.num_values;
    if (v2 === undefined) this.#checkFirstVersion(header, bytes, at);
    else this.#checkSecondVersion(header, bytes, at);
  }

  /** Version 1: levels, each after its length, and values, all compressed. */
  #checkFirstVersion(header: PageHeader, bytes: Uint8Array, at: string): void {
    const { num_values: count = 0, encoding } = header.data_page_header ?? {};
    const page = this.#unpacked(bytes, header.uncompressed_page_size, at);
    let offset = 0;
    for (const level of this.#levels) {
      if (level === 0) continue;
      const length = new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(offset, true);
      checkRuns(page, offset + 4, { width: widthOf(level), count }, at);
      offset += 4 + length;
    }
    this.#checkValues(page.subarray(offset), { encoding, count }, at);
  }

  /** Version 2: levels, whose lengths are in the header, followed by the compressed values. */
  #checkSecondVersion(header: PageHeader, bytes: Uint8Array, at: string): void {
    const v2 = header.data_page_header_v2;
    if (v2 === undefined) return;
    const { num_values: count, num_nulls: nulls, encoding } = v2;
    const lengths = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length];
    check(isCount(nulls, count), `the nulls of ${at}`);
    let offset = 0;
    for (const [i, length] of lengths.entries()) {
      check(isCount(length, bytes.length - offset), `the levels of ${at}`);
      const level = this.#levels[i] ?? 0;
      if (level > 0) checkRuns(bytes, offset, { width: widthOf(level), count }, at);
      offset += length;
    }
    const rest = bytes.subarray(offset);
    const page = v2.is_compressed === false ? rest : this.#unpacked(rest, header.uncompressed_page_size - offset, at);
    this.#checkValues(page, { encoding, count: count - nulls }, at);
  }

  /** Checks runs of dictionary indices, or differences; for other encodings the library stops at the end of the bytes. */
  #checkValues(page: Uint8Array, values: { encoding: string | undefined; count: number }, at: string): void {
    const { encoding, count } = values;
    if (encoding === 'RLE_DICTIONARY' || encoding === 'PLAIN_DICTIONARY') {
      const [width = 0] = page;
      check(width <= 32, `the bits of values of ${at}`);
      if (width > 0) checkRuns(page, 1, { width, count }, at);
    } else if (encoding === 'RLE') {
      checkRuns(page, 4, { width: 1, count }, at);
    } else if (encoding?.startsWith('DELTA_') === true && page.length > 0) {
      checkDifferences(page, at);
    }
  }

  /** @throws Error when the size of a page differs from its header */
  #unpacked(bytes: Uint8Array, size: number, at: string): Uint8Array {
    if (this.meta.codec !== 'SNAPPY') return bytes;
    check((size === 0 && bytes.length === 0) || snappySize(bytes, at) === size, `the size of ${at}, unpacked`);
    const page = new Uint8Array(size);
    snappyUncompress(bytes, page);
    return page;
  }
}

/** Maximum nesting of Thrift structs; those of Parquet are less than half as deep. */
const DEEPEST = 32;

/**
 * Checks that a struct in Thrift's compact protocol ends within the given bytes; with a negative length the library would
 * go back and loop forever.
 * @returns offset of the struct's end
 */
export function checkStruct(bytes: Uint8Array, from: number, where: string, depth = 0): number {
  check(depth < DEEPEST, `the depth of ${where}`);
  for (let at = from; ;) {
    check(at < bytes.length, `the end of ${where}`);
    const field = bytes[at++] ?? 0;
    const type = field & 15;
    if (type === 0) return at;
    // The field number follows unless it is given as a small difference from the previous one.
    if (field < 16) at = varint(bytes, at, where)[1];
    // The type itself contains the value of a boolean.
    if (type > 2) at = checkElement(bytes, at, { type, where, depth });
  }
}

function checkElement(
  bytes: Uint8Array,
  from: number,
  element: { type: number; where: string; depth: number },
): number {
  const { type, where, depth } = element;
  if (type <= 3) return from + 1;
  if (type <= 6) {
    let end = from;
    while ((bytes[end] ?? 0) >= 0x80) end++;
    return end + 1;
  }
  if (type === 7) return from + 8;
  if (type === 12) return checkStruct(bytes, from, where, depth + 1);
  check(type === 8 || type === 9, `a type of ${where}`);
  const [first = 0] = bytes.subarray(from);
  const isShort = type === 9 && first >> 4 < 15;
  const [length, begin] = isShort ? [first >> 4, from + 1] : varint(bytes, type === 9 ? from + 1 : from, where);
  check(length <= bytes.length - begin, `a length of ${where}`);
  if (type === 8) return begin + length;
  let at = begin;
  for (let i = 0; i < length; i++) at = checkElement(bytes, at, { type: first & 15, where, depth });
  return at;
}

/**
 * Checks the file metadata at the end of a file.
 * @param bytesAt reads bytes of the file
 */
export function checkFooter(size: number, bytesAt: (start: number, end: number) => ArrayBuffer): void {
  check(size >= 12, 'the size of the file');
  const length = new DataView(bytesAt(size - 8, size)).getUint32(0, true);
  check(length <= size - 12, 'the size of the footer');
  checkStruct(new Uint8Array(bytesAt(size - 8 - length, size - 8)), 0, 'the footer');
}

/** Number of bytes after the tag of a copy, by kind of tag. */
const COPY_BYTES = [0, 1, 2, 4];

/**
 * Uncompressed size of a Snappy block, computed from its literals and copies; on a literal of 2^31 bytes or more the
 * library would go back and loop forever. Source: format_description.txt of Snappy.
 * @throws Error when the size differs from the one that the block states, or the block is truncated
 */
export function snappySize(bytes: Uint8Array, where: string): number {
  const [stated, first] = varint(bytes, 0, where);
  let [at, size] = [first, 0];
  while (at < bytes.length) {
    const tag = bytes[at++] ?? 0;
    const kind = tag & 3;
    let length = (tag >>> 2) + 1;
    if (kind === 1) length = ((tag >>> 2) & 7) + 4;
    // A long literal has its length in up to four bytes.
    const more = kind === 0 ? Math.max(0, length - 60) : (COPY_BYTES[kind] ?? 0);
    if (kind === 0 && more > 0) {
      length = 1;
      for (let i = 0; i < more; i++) length += (bytes[at + i] ?? 0) * 2 ** (8 * i);
    }
    at += more + (kind === 0 ? length : 0);
    size += length;
    check(at <= bytes.length && size <= stated, `the compressed bytes of ${where}`);
  }
  check(size === stated, `the compressed bytes of ${where}`);
  return size;
}

/** Number of bits for values up to a level. */
const widthOf = (level: number): number => 32 - Math.clz32(level);

/** An unsigned number of up to 32 bits, and the offset after it. */
function varint(bytes: Uint8Array, at: number, where: string): readonly [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[at + i] ?? 0x80;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return [value, at + i + 1];
  }
  throw new Error(`wrong: a number of ${where}`);
}

/**
 * Checks runs of a repeated value and runs of packed values, until there are enough values or no more bytes, where the
 * library stops.
 */
function checkRuns(bytes: Uint8Array, from: number, runs: { width: number; count: number }, where: string): void {
  const { width, count } = runs;
  let at = from;
  for (let seen = 0; seen < count && at < bytes.length;) {
    const [header, next] = varint(bytes, at, where);
    const half = Math.floor(header / 2);
    const isPacked = header % 2 === 1;
    seen += isPacked ? half * 8 : half;
    check(seen <= count + MOST_FILLED, `a run of ${where}`);
    at = next + (isPacked ? half * width : Math.ceil(width / 8));
  }
}

/** Checks the block sizes of differences, each with its number of miniblocks. */
function checkDifferences(page: Uint8Array, where: string): void {
  const [block, second] = varint(page, 0, where);
  const [parts] = varint(page, second, where);
  const isRight = block > 0 && block <= 2 ** 20 && parts > 0 && parts <= block && block % parts === 0;
  check(isRight, `the blocks of ${where}`);
}
