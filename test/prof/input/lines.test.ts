import { expect } from 'chai';
import fc from 'fast-check';
import { symlinkSync } from 'node:fs';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { lineBatches, openFile, openStream } from '../../../src/prof/input/lines.js';
import { UserError } from '../../../src/record/errors.js';
import { freshPath } from '../../support/fresh-path.js';
import { propertyRuns } from '../../support/property-runs.js';

async function linesOf(chunks: readonly Buffer[]): Promise<string[]> {
  const input = await openStream(Readable.from(chunks, { objectMode: false }), 'test');
  const lines: string[] = [];
  for await (const batch of lineBatches(input)) {
    expect(batch.first).to.equal(lines.length + 1);
    lines.push(...batch.lines);
  }
  return lines;
}

async function failure(work: Promise<unknown>): Promise<UserError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('no error');
}

describe('lines', () => {
  it('are those of the text, however it is cut into chunks', async () => {
    const texts = fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\n\ufeff]/g, '')));
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 40 }), async (lines, size) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const chunks = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
        expect(await linesOf(chunks)).to.deep.equal(lines.map((line) => Buffer.from(line).toString()));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('need no line end after the last, drop a byte order mark, and count empty ones', async () => {
    expect(await linesOf([Buffer.from('\ufeffa\n\nb')])).to.deep.equal(['a', '', 'b']);
    expect(await linesOf([])).to.deep.equal([]);
  });

  it('may be long, and need not be UTF-8', async () => {
    const long = 'x'.repeat(3_000_000);
    const bytes = Buffer.concat([Buffer.from(`${long}\n`), Buffer.from([0x61, 0xff, 0x62, 0x0a])]);
    const chunks = Array.from({ length: 47 }, (_, i) => bytes.subarray(i * 65536, (i + 1) * 65536));
    expect(await linesOf(chunks)).to.deep.equal([long, 'a\ufffdb']);
  });

  it('come out of gzip, of several members too', async () => {
    const packed = Buffer.concat([gzipSync('a\nb'), gzipSync('c\nd\n')]);
    expect(await linesOf([packed.subarray(0, 1), packed.subarray(1)])).to.deep.equal(['a', 'bc', 'd']);
    expect(await linesOf([packed, Buffer.alloc(512)])).to.deep.equal(['a', 'bc', 'd']);
  });

  it('of a gzip that is cut off or damaged end in a one-line error', async () => {
    // To zlib a member that begins with a zero is padding, and all behind it.
    const zeroed = [gzipSync('a\n'), Buffer.from([0]), gzipSync('b\n').subarray(1)];
    expect((await failure(linesOf(zeroed))).line).to.match(/^test: compressed data is damaged \(/);
    const packed = gzipSync(Array.from({ length: 2000 }, (_, i) => `${i * i}`).join('\n'));
    const cut = await failure(linesOf([packed.subarray(0, packed.length / 2)]));
    expect(cut.line).to.match(/^test: compressed data is cut off \(/);
    const damaged = Buffer.from(packed);
    damaged.fill(0xff, 100, 300);
    expect((await failure(linesOf([damaged]))).line).to.match(/^test: compressed data is damaged \(/);
  });

  it('of a file that cannot be read: which, and why', async () => {
    expect((await failure(openFile('/no/such/file'))).line).to.equal('/no/such/file: no such file');
    const circle = freshPath('.link');
    symlinkSync(circle, circle);
    expect((await failure(openFile(circle))).line).to.equal(`${circle}: cannot be read: too many symbolic links`);
    expect((await failure(openFile('/'))).line).to.match(/^\/: is a directory \(/);
  });
});
