/** The layers of a NEFF: gzip against Node's own, tar with every way to write names and sizes. */
import { expect } from 'chai';
import fc from 'fast-check';
import { writeFileSync, openSync, closeSync } from 'node:fs';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import {
  ArchiveFault,
  ByteStream,
  FileBytes,
  gunzip,
  Inflated,
  type ByteSource,
} from '../../../../src/parse/input/byte-stream.js';
import { members } from '../../../../src/parse/input/tar.js';
import { tarOf, type TarEntry } from '../../../support/neff.js';
import { freshPath } from '../../../support/fresh-path.js';
import { propertyRuns } from '../../../support/property-runs.js';

/** Bytes in pieces, whose memory is overwritten by the next as a file's is. */
function inPieces(bytes: Buffer, size: number): ByteStream {
  const piece = Buffer.alloc(size);
  let position = 0;
  const source: ByteSource = {
    next: () => {
      const copied = bytes.copy(piece, 0, position, position + size);
      position += copied;
      return copied === 0 ? null : piece.subarray(0, copied);
    },
  };
  return new ByteStream(source);
}

/** All that a source gives, and how it ends. */
function drain(source: ByteSource): { bytes: Buffer; fault: string | null } {
  const pieces: Buffer[] = [];
  try {
    for (let piece = source.next(); piece !== null; piece = source.next()) pieces.push(Buffer.from(piece));
  } catch (error) {
    if (error instanceof ArchiveFault) return { bytes: Buffer.concat(pieces), fault: error.fault };
    throw error;
  }
  return { bytes: Buffer.concat(pieces), fault: null };
}

const NO_LIMIT = 1e12;
const unpacked = (packed: Buffer, size = 1000, limit = NO_LIMIT): ReturnType<typeof drain> =>
  drain(gunzip(inPieces(packed, size), limit));

/** Bytes with repetitions near and far, as text and numbers have them. */
const compressible = fc
  .array(fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 900 })), { maxLength: 30 })
  .map((runs) => Buffer.concat(runs.flatMap(([run, times]) => Array.from({ length: times }, () => Buffer.from(run)))));

describe('gunzip', () => {
  it('gives back what Node packed, at every level and strategy, in pieces of any size', () => {
    const { Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED } = constants;
    fc.assert(
      fc.property(
        compressible,
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED),
        fc.integer({ min: 1, max: 5000 }),
        (bytes, level, strategy, size) => {
          const { bytes: result, fault } = unpacked(gzipSync(bytes, { level, strategy }), size);
          expect(fault).to.equal(null);
          expect(result.equals(bytes)).to.equal(true);
        },
      ),
      { numRuns: propertyRuns(100), seed: 7 },
    );
  });

  it('reaches back 32 KiB across its pieces', () => {
    const random = Buffer.from(Array.from({ length: 32768 }, (_, i) => Math.imul(i + 1, 2654435761) >>> 24));
    const bytes = Buffer.concat(Array.from({ length: 20 }, () => random));
    const packed = gzipSync(bytes, { level: 9 });
    expect(packed.length).to.be.below(bytes.length / 2);
    expect(unpacked(packed).bytes.equals(bytes)).to.equal(true);
  });

  it('skips optional fields of a gzip header, and anything after the stream', () => {
    const body = deflateRawSync('contents');
    // FEXTRA of three bytes, FNAME, FCOMMENT, FHCRC
    const head = Buffer.from([
      0x1f,
      0x8b,
      8,
      0b11110,
      0,
      0,
      0,
      0,
      0,
      3,
      3,
      0,
      1,
      2,
      3,
      ...Buffer.from('name\0note\0'),
      9,
      9,
    ]);
    const { bytes, fault } = unpacked(Buffer.concat([head, body, Buffer.alloc(5000)]), 3);
    expect([bytes.toString(), fault]).to.deep.equal(['contents', null]);
  });

  it('reads the part before a cut at any offset, then reports it', () => {
    const whole = Buffer.from(Array.from({ length: 3000 }, (_, i) => `${i * i}`).join());
    const packed = gzipSync(whole);
    for (let end = 12; end < packed.length - 8; end += 37) {
      const { bytes, fault } = unpacked(packed.subarray(0, end));
      expect(fault).to.equal('cut');
      expect(whole.subarray(0, bytes.length).equals(bytes)).to.equal(true);
      // All but the code that the cut is in the middle of, and at first the table of codes.
      if (end > 400) expect(bytes.length).to.be.above(end);
    }
  });

  it('stops at its limit', () => {
    const packed = gzipSync(Buffer.alloc(5_000_000));
    expect(unpacked(packed, 1000, 5_000_000).bytes.length).to.equal(5_000_000);
    const { bytes, fault } = unpacked(packed, 1000, 4_999_999);
    expect(fault).to.equal('too-large');
    expect(bytes.length).to.be.below(5_000_000);
  });

  it('says what is damaged', () => {
    const damaged = {
      'a kind of block that there is not': [0b111],
      'a distance before the start': [0b011, 0b10],
    };
    for (const [what, bytes] of Object.entries(damaged)) {
      const { fault } = drain(new Inflated(inPieces(Buffer.from([...bytes, 0, 0, 0, 0, 0, 0]), 100), NO_LIMIT));
      expect(fault, what).to.equal('damaged');
    }
  });

  it('reads little after the end', () => {
    let asked = 0;
    const endless: ByteSource = {
      next: () => (asked++ === 0 ? Buffer.from(gzipSync('contents')) : Buffer.alloc(1000)),
    };
    expect(drain(gunzip(new ByteStream(endless), NO_LIMIT)).bytes.toString()).to.equal('contents');
    expect(asked).to.be.below(1000);
  });

  it('gives something, or a fault, for bytes that are damaged', () => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 2000 }, (_, i) => `${i * 31}`).join()));
    fc.assert(
      fc.property(fc.nat(packed.length - 11), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(packed);
        changed[10 + at] = (changed[10 + at] ?? 0) ^ mask;
        const { bytes } = unpacked(changed, 1000, 1_000_000);
        expect(bytes.length).to.be.below(1_000_001);
      }),
      { numRuns: propertyRuns(200), seed: 7 },
    );
  });
});

/** Names and contents of an archive's members, and how it ends. */
function list(bytes: Buffer, size = 777): { found: [string, string][]; fault: string | null } {
  const found: [string, string][] = [];
  try {
    for (const member of members(inPieces(bytes, size))) found.push([member.name, member.read().toString()]);
  } catch (error) {
    if (error instanceof ArchiveFault) return { found, fault: error.fault };
    throw error;
  }
  return { found, fault: null };
}

const LONG = `${'folder/'.repeat(30)}def.json`;
const pax = (key: string, value: string): string => {
  const rest = ` ${key}=${value}\n`;
  const length = Buffer.byteLength(rest);
  return `${length + String(length + 3).length}${rest}`;
};

describe('tar', () => {
  it('reads names in every form', () => {
    const entries: TarEntry[] = [
      { name: './a.json', data: 'A' },
      { name: 'b.json', prefix: 'sg00', data: 'B'.repeat(513) },
      { name: 'PaxHeaders/c', kind: 'x', data: pax('mtime', '1.5') + pax('path', LONG) },
      { name: 'cut short', data: 'C' },
      { name: '././@LongLink', kind: 'L', data: `${LONG}.gnu\0` },
      { name: 'cut short', data: 'D' },
      { name: 'plain', kind: '\0', data: '' },
    ];
    expect(list(tarOf(entries))).to.deep.equal({
      found: [
        ['a.json', 'A'],
        ['sg00/b.json', 'B'.repeat(513)],
        [LONG, 'C'],
        [`${LONG}.gnu`, 'D'],
        ['plain', ''],
      ],
      fault: null,
    });
  });

  it('reads sizes in octal, in base 256, and from pax', () => {
    const base256 = Buffer.alloc(12);
    base256[0] = 0x80;
    base256.writeUInt32BE(600, 8);
    const entries: TarEntry[] = [
      { name: 'blanks', data: 'x'.repeat(600), sizeField: '       1130 ' },
      { name: 'base256', data: 'y'.repeat(600), sizeField: base256 },
      { name: 'h', kind: 'x', data: pax('size', '600') },
      { name: 'pax', data: 'z'.repeat(600), sizeField: '00000000000\0' },
      { name: 'last', data: '!' },
    ];
    const { found, fault } = list(tarOf(entries));
    expect(found.map(([name, data]) => [name, data.length])).to.deep.equal([
      ['blanks', 600],
      ['base256', 600],
      ['pax', 600],
      ['last', 1],
    ]);
    expect(fault).to.equal(null);
  });

  it('skips folders, links and global headers', () => {
    const entries: TarEntry[] = [
      { name: 'pax_global_header', kind: 'g', data: pax('path', 'wrong') },
      { name: 'sg00/', kind: '5', data: '' },
      { name: 'link.json', kind: '2', data: '' },
      { name: 'a.json', data: 'A' },
    ];
    expect(list(tarOf(entries)).found).to.deep.equal([['a.json', 'A']]);
  });

  it('ends by the end of the file too', () => {
    const bytes = tarOf([{ name: 'a', data: 'A' }]);
    expect(list(bytes.subarray(0, 1024))).to.deep.equal({ found: [['a', 'A']], fault: null });
  });

  it('reports a size beyond the end', () => {
    const sizes: [string | Buffer, string][] = [
      ['77777777777\0', 'cut'],
      [Buffer.concat([Buffer.from([0x80]), Buffer.alloc(11, 0xff)]), 'damaged'],
      ['9\0', 'damaged'],
    ];
    for (const [sizeField, fault] of sizes) {
      const bytes = tarOf([
        { name: 'a', data: 'A' },
        { name: 'b', data: 'B', sizeField },
        { name: 'c', data: 'C' },
      ]);
      expect(list(bytes).fault).to.equal(fault);
      expect(list(bytes).found).to.deep.equal([['a', 'A']]);
    }
    expect(list(tarOf([{ name: 'x', kind: 'x', data: '', sizeField: '77777777777\0' }])).fault).to.equal('damaged');
  });

  it('reports invalid pax records', () => {
    for (const records of ['', '5', '0 path=x\n', '999 path=x\n', '-3 a=b\n', 'x path=y\n', '8 path x\n']) {
      const { found, fault } = list(
        tarOf([
          { name: 'h', kind: 'x', data: records },
          { name: 'own', data: 'A' },
        ]),
      );
      expect([found.map(([name]) => name), fault]).to.deep.equal([[records.startsWith('999') ? 'x' : 'own'], null]);
    }
  });

  it('finds members of a file by seeking past others', () => {
    const entries = [
      { name: 'big.npy', data: Buffer.alloc(300_000) },
      { name: 'a.json', data: 'A' },
    ];
    const whole = tarOf(entries);
    const names = (bytes: Buffer): string[] => {
      const path = freshPath('.tar');
      writeFileSync(path, bytes);
      const file = openSync(path, 'r');
      try {
        return [...members(new ByteStream(new FileBytes(file)))].map(({ name }) => name);
      } finally {
        closeSync(file);
      }
    };
    expect(names(whole)).to.deep.equal(['big.npy', 'a.json']);
    expect(() => names(whole.subarray(0, 200_000))).to.throw(ArchiveFault, 'cut');
  });
});
