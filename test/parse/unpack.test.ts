import { expect } from 'chai';
import fc from 'fast-check';
import { createReadStream, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { TemporaryFile } from '../../src/parse/input/temporary-file.js';
import { inflatedAtOnce, unpack } from '../../src/parse/input/unpack.js';
import { freshPath } from '../support/fresh-path.js';

/** What a stream of the file holds; null where it is damaged. */
async function streamed(path: string, highWaterMark = 64 * 1024): Promise<Buffer | null> {
  const file = new TemporaryFile(path);
  try {
    return (await unpack(createReadStream(path, { highWaterMark }), file)) === 'cut'
      ? null
      : Buffer.concat([...file.pieces()]);
  } catch {
    return null;
  } finally {
    file.dispose();
  }
}

describe('small compressed files', () => {
  it('hold at once what they hold as a stream: of one part or several, with anything behind, cut or damaged', async () => {
    const part = fc.uint8Array({ maxLength: 300 }).map((bytes) => gzipSync(bytes));
    const file = fc.record({
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
      behind: fc.uint8Array({ maxLength: 4 }),
      cut: fc.option(fc.nat({ max: 200 })),
      damaged: fc.option(fc.nat({ max: 200 })),
    });
    const path = freshPath('.gz');
    await fc.assert(
      fc.asyncProperty(file, async ({ parts, behind, cut, damaged }) => {
        const bytes = Buffer.concat([...parts, behind]);
        if (damaged !== null && damaged >= 2 && damaged < bytes.length) bytes.writeUInt8(damaged, damaged);
        writeFileSync(path, bytes.subarray(0, cut === null ? bytes.length : Math.max(2, bytes.length - cut)));
        expect(inflatedAtOnce(path, bytes.length)).to.deep.equal(await streamed(path));
      }),
    );
  });

  it('end before zeros that pad them, in whatever pieces these come; bytes behind these are damage', async () => {
    const held = Buffer.from('{"traceEvents":[]}');
    const packed = gzipSync(held);
    const path = freshPath('.gz');
    for (const zeros of [1, 512, 70_000, 300_000])
      for (const behind of ['', '\xff'.repeat(70_000), gzipSync('another')]) {
        writeFileSync(path, Buffer.concat([packed, Buffer.alloc(zeros), Buffer.from(behind)]));
        const whole = behind === '' ? held : null;
        expect(inflatedAtOnce(path, 1)).to.deep.equal(whole);
        for (const highWaterMark of [packed.length - 1, packed.length, packed.length + 1, 64 * 1024])
          expect(await streamed(path, highWaterMark)).to.deep.equal(whole);
      }
  });

  it('that become large, or are none, are left to the stream', () => {
    const path = freshPath('.gz');
    writeFileSync(path, gzipSync(Buffer.alloc(17 * 1024 * 1024)));
    expect(inflatedAtOnce(path, 17_000)).to.equal(null);
    writeFileSync(path, gzipSync('{}'));
    expect(inflatedAtOnce(path, 1)?.toString()).to.equal('{}');
    expect(inflatedAtOnce(path, 2 * 1024 * 1024)).to.equal(null);
  });
});
