/** Parquet folders of which bytes are damaged: one line that names the file, whatever byte it is, and no run without an end. */
import { expect } from 'chai';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkGroups, checkStruct, snappySize } from '../../../src/record/lines/parquet-check.js';
import { readRecordFolder } from '../../../src/prof/input/record-folder.js';
import type { RecordTypes } from '../../../src/prof/analysis.js';
import { StreamStatus } from '../../../src/prof/input/stream-status.js';
import { UserError } from '../../../src/record/errors.js';
import { RECORD_FIELDS } from '../../../src/record/fields/record-fields.js';
import { freshPath } from '../../support/fresh-path.js';
import { partsOf, writtenFolder } from '../../support/record-folder.js';
import { runCli } from '../../support/run-cli.js';
import { ROOT } from '../../support/shared.js';

const ALL_TYPES = new Set(Object.keys(RECORD_FIELDS)) as unknown as RecordTypes;
const SAMPLE = join(ROOT, 'samples/lenet.nsys.sqlite');

/** The records of a folder, or the error. */
async function readingOf(folder: string): Promise<string | UserError> {
  try {
    const records: unknown[] = [];
    for await (const batch of readRecordFolder(folder, ALL_TYPES, new StreamStatus(folder))) records.push(...batch);
    return JSON.stringify(records);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

type Damage = (bytes: Buffer, at: number) => Buffer;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'a byte turned': (bytes, at) => {
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    return bytes;
  },
  'sixteen zeros': (bytes, at) => bytes.fill(0, at, Math.min(bytes.length, at + 16)),
  'its end missing': (bytes, at) => bytes.subarray(0, at),
};

/** Reads a folder with damage at every so many bytes of the file of a type; what each came to, without what did no harm. */
async function damagedReadings(folder: string, type: string, every: number): Promise<(string | UserError)[]> {
  const path = join(folder, partsOf(folder).find((part) => part.startsWith(`type=${type}`)) ?? '');
  const intact = readFileSync(path);
  const readings: (string | UserError)[] = [];
  for (const damage of Object.values(DAMAGES)) {
    for (let at = 0; at < intact.length; at += every) {
      const bytes = damage(Buffer.from(intact), at);
      if (bytes.equals(intact)) continue;
      writeFileSync(path, bytes);
      readings.push(await readingOf(folder));
    }
  }
  writeFileSync(path, intact);
  return readings;
}

/** A folder that has the records of one type alone. */
async function folderOf(type: string): Promise<string> {
  const [from, to] = [await writtenFolder(SAMPLE), freshPath('-records')];
  for (const part of partsOf(from)) if (part.startsWith(`type=${type}`)) cpSync(join(from, part), join(to, part));
  return to;
}

/** Makes a file one of another program: without a checksum. */
function withoutChecksum(folder: string): void {
  for (const part of partsOf(folder)) {
    const path = join(folder, part);
    const text = readFileSync(path, 'latin1');
    expect(text).to.match(/dparse crc32 [\da-f]{8}/);
    writeFileSync(path, text.replace('dparse crc32 ', 'another tool '), 'latin1');
  }
}

describe('damaged Parquet of dparse', () => {
  it('is one line that names the file, wherever the damage is', async () => {
    const folder = await folderOf('end');
    const readings = await damagedReadings(folder, 'end', 3);
    expect(readings).to.have.length.above(500);
    const others = readings.filter(
      (one) => !(one instanceof UserError) || !/part-0\.parquet: is not a Parquet file, or is damaged/.test(one.line),
    );
    // Damage to nothing but the text that has the checksum takes away nothing else.
    const intact = await readingOf(folder);
    expect(others.filter((one) => one !== intact)).to.deep.equal([]);
    expect(others).to.have.length.below(20);
  });

  it('fails every command with one line, with -q too', async () => {
    const folder = await writtenFolder(SAMPLE);
    const path = join(folder, partsOf(folder).find((part) => part.startsWith('type=kernel')) ?? '');
    const bytes = readFileSync(path);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    for (const args of [[], ['summary'], ['steps', '-f', 'jsonl'], ['partial']]) {
      const { code, stdout, stderr } = await runCli('dprof', [...args, '-q', folder]);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr).to.match(/^dprof: [^\n]*part-0\.parquet: is not a Parquet file, or is damaged: [^\n]*\n$/);
    }
  });
});

describe('damaged Parquet without a checksum', () => {
  for (const type of ['end', 'copy']) {
    it(`ends, and says nothing of the library's own mistakes: ${type}`, async () => {
      const folder = await folderOf(type);
      const intact = await readingOf(folder);
      withoutChecksum(folder);
      expect(await readingOf(folder)).to.equal(intact);
      const readings = await damagedReadings(folder, type, type === 'end' ? 5 : 37);
      const errors = readings.filter((one) => one instanceof UserError);
      expect(errors.length).to.be.above(readings.length / 3);
      for (const { line } of errors) {
        expect(line).to.match(/part-0\.parquet: is not a Parquet file, or is damaged/);
        expect(line).to.not.match(/Cannot read|undefined\)|not a function|DataView|please report/);
      }
    });
  }
});

describe('a block of Snappy', () => {
  const sizeOf = (...bytes: readonly number[]): number => snappySize(Uint8Array.from(bytes), 'the page');
  const HELLO = [...Buffer.from('hello')];

  it('holds what its literals and copies add up to', () => {
    // A literal of five bytes; then four of them again.
    expect(sizeOf(5, 4 << 2, ...HELLO)).to.equal(5);
    expect(sizeOf(9, 4 << 2, ...HELLO, 1, 5)).to.equal(9);
    // A literal of 61 bytes, whose length stands in a byte of its own.
    expect(sizeOf(61, 60 << 2, 60, ...Array<number>(61).fill(7))).to.equal(61);
  });

  it('is refused where a literal is longer than the block, or the whole of another size', () => {
    expect(() => sizeOf(5, 63 << 2, 255, 255, 255, 255)).to.throw('wrong: the compressed bytes of the page');
    expect(() => sizeOf(6, 4 << 2, ...HELLO)).to.throw('wrong: the compressed bytes of the page');
    expect(() => sizeOf(4, 4 << 2, ...HELLO)).to.throw('wrong: the compressed bytes of the page');
  });
});

describe('a struct of Thrift', () => {
  const endOf = (...bytes: readonly number[]): number => checkStruct(Uint8Array.from(bytes), 0, 'the footer');

  it('ends where its last field does', () => {
    // Field 1, a number; field 2, two letters; field 3, a list of two numbers; field 4, true; the end.
    expect(endOf(0x15, 0x80, 0x01, 0x18, 2, 65, 66, 0x19, 0x25, 2, 4, 0x11, 0, 99)).to.equal(13);
  });

  it('is refused where a length goes beyond the bytes, or back', () => {
    for (const type of [0x18, 0x19])
      expect(() => endOf(type, 0xf5, 0xff, 0xff, 0xff, 0x0f, 0)).to.throw(
        /^wrong: a (?:length|number|type) of the footer$/,
      );
    expect(() => endOf(0x15, 0x80)).to.throw('wrong: the end of the footer');
  });
});

describe('a schema of Parquet', () => {
  it('is refused where an element has fewer than no children, or more than there are elements', () => {
    for (const n of [-2, 3]) {
      const schema = [{ name: 'root', num_children: n }, { name: 'a' }];
      const metadata = { version: 2, schema, num_rows: 0n, row_groups: [], metadata_length: 1 };
      expect(() => {
        checkGroups(metadata, 100);
      }).to.throw('wrong: the children of an element of the schema');
    }
  });
});
