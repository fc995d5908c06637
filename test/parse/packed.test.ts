/** Packed inputs: each compression and archive gives what the unpacked file gives, and bad ones give one line. */
import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { findProfiles } from '../../src/parse/find.js';
import { readProfile } from '../../src/parse/profile.js';
import { UserError } from '../../src/record/errors.js';
import { unpackedOf } from '../../src/record/lines/packed.js';
import { freshFolder } from '../support/fresh-path.js';
import { runCli } from '../support/run-cli.js';
import { itWithProcess } from '../support/sets.js';

/** A trace of one kernel, and how each program packs it. */
const TRACE =
  '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0,"stream":7}}]}';
const PACKED = {
  't.json.zst':
    'KLUv/SR05QIAcsYTEZB9AsSDJ+Fn4le5jStm7PYSG+1N3mVi9VqmXmbL9bttNTkY7xUvB+LdXgfkOgjv61EHzmSaDjyyWRn095uUAzf+7qjr827vZLkwlep1HQMAaEreSiRPMMv+vkgc',
  't.json.xz':
    '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4ABzAGFdAD2IiodjgXX7Gys0EYaNI5FYVQe2q4wMmtGMdMqoXga6H6SL/VuHV988Hn1KOLsOyR3Zr7AEjv/b8smNlcBmSUzvg/vupWlw8jN/12PVANNCXQLuepxtUdhNWkKxNTk7s6AAAAAAmgdgbyAqk7QAAX10tQd/7R+2830BAAAAAARZWg==',
  't.json.bz2':
    'QlpoOTFBWSZTWbvdEPMAADgfgBAEcJACAABKLu9fCiAAcigAAAAA1PSaQjepH6mUzTI1NKUnvYztZKxDsPCgKGBL/HIcb5iEYQDFMbLeXRvYhA6jPLHFF8U8egzBMooMSElQYkpFS2vek+0B63xdyRThQkLvdEPM',
  't.zip':
    'UEsDBBQAAAAIANpIfV0GNc1rYAAAAHQAAAAGABwAdC5qc29uVVQJAAMs6wtrLOsLa3V4CwABBAAAAAAEAAAAAB2LMQqAMBAE/7J1CrUR0vsHQSyO5NCgBjlPm5C/e1rN7jJboEKBh4ezXvBTwbnCY4RDILW0sWTerWY6+OsWzxThGwf92Bvt2TrEW+A7B5LFhoLITwr8m5cK02FyrXN9AVBLAQIeAxQAAAAIANpIfV0GNc1rYAAAAHQAAAAGABgAAAAAAAEAAACkgQAAAAB0Lmpzb25VVAUAAyzrC2t1eAsAAQQAAAAABAAAAABQSwUGAAAAAAEAAQBMAAAAoAAAAAAA',
  't.tar.gz':
    'H4sIAAAAAAAAA+3PvW6DMBSGYS4FnRlFhvIjsfceIkUZLLBSkgYiY1gQ996TdOuQTKhq9T7L52N/luywO49DH23KqDLPH6l+pknLPEqLN5NVZZEX2ktNlZVRbLZ91rdpDNbHceSHITzrvTr/oxYJ3jbufXZ9GKU+LHL7kFr2kkhjg64uzvfuU8feXt191uWta6U2iYR7Vpp6M02knbzUWSLWn3RjkdbNXeMezTF4Z69aXtfj+tt/BgAAAAAAAAAAAAAAAID/4AsGqSkXACgAAA==',
};

/** The records of an input, without the name of its file, and the lines of what cannot be read. */
async function read(input: string, stdin?: AsyncIterable<Buffer>): Promise<{ records: string[]; lines: string[] }> {
  const records: string[] = [];
  const lines: string[] = [];
  for await (const found of findProfiles([input], { stdin })) {
    if (found instanceof UserError) lines.push(found.line);
    else {
      for (const record of readProfile(found.source.path, { profile: found.ordinal, name: found.source.name }))
        records.push(JSON.stringify(record.type === 'profile' ? { ...record, file: '' } : record));
      found.source.dispose();
    }
  }
  return { records, lines };
}

const written = (name: string, bytes: string | Buffer): string => {
  const path = join(freshFolder(), name);
  writeFileSync(path, bytes);
  return path;
};

const bytesOf = (name: keyof typeof PACKED): Buffer => Buffer.from(PACKED[name], 'base64');
const lineOf = async (name: string, bytes: string | Buffer): Promise<string> => {
  const path = written(name, bytes);
  const { lines, records } = await read(path);
  expect(records).to.deep.equal([]);
  expect(lines).to.have.length(1);
  const line = lines.join('').replace(dirname(path), '').slice(1);
  expect(line).to.not.match(/\n|dparse-/);
  return line;
};

describe('packed inputs', () => {
  for (const name of Object.keys(PACKED) as (keyof typeof PACKED)[])
    it(`give the records of the trace in ${name}, from a file and a stream, packed once more, and by content alone`, async () => {
      const expected = await read(written('t.json', TRACE));
      expect(expected.records).to.have.length(3);
      const bytes = bytesOf(name);
      expect(await read(written(name, bytes))).to.deep.equal(expected);
      expect(await read(written(`${name}.gz`, gzipSync(bytes)))).to.deep.equal(expected);
      expect(await read(written('unnamed', bytes))).to.deep.equal(expected);
      expect(await read('-', Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]))).to.deep.equal(expected);
    });

  itWithProcess('give the bytes of a large trace, however a program packs it', async () => {
    const folder = freshFolder();
    const plain = gunzipSync(readFileSync('samples/lenet.pt.trace.json.gz'));
    const path = join(folder, 't.json');
    writeFileSync(path, Buffer.concat(Array.from({ length: 8 }, () => plain)));
    const programs: Record<string, readonly string[]> = {
      zstd: ['-19', '-c', path],
      xz: ['-c', '--block-size=500000', path],
      bzip2: ['-c', path],
      gzip: ['-c', path],
    };
    for (const [program, options] of Object.entries(programs)) {
      let packed: Buffer;
      try {
        packed = execFileSync(program, options, { maxBuffer: 2 ** 26, stdio: 'pipe' });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
        throw error;
      }
      // Two streams, one after the other, are the content of both.
      const pieces: Buffer[] = [];
      for await (const piece of unpackedOf(Readable.from([packed, packed]))) pieces.push(piece);
      const all = readFileSync(path);
      expect(Buffer.concat(pieces).equals(Buffer.concat([all, all])), program).to.equal(true);
    }
  });

  itWithProcess('are read as a folder when they are archives of several profiles, without hidden files', async () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'ranks'));
    for (const name of ['rank_0.json', 'rank_1.json', '.hidden.json'])
      writeFileSync(join(folder, 'ranks', name), TRACE);
    const expected = await read(folder);
    expect(expected.records.filter((line) => line.includes('"rank":1'))).to.have.length(1);
    execFileSync('tar', ['-czf', join(folder, '..', `${basename(folder)}.tgz`), '-C', folder, 'ranks']);
    expect(await read(`${folder}.tgz`)).to.deep.equal(expected);
  });

  it('are not searched within a folder or an archive, which a message says', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'inner.zip'), bytesOf('t.zip'));
    const { stderr } = await runCli('dparse', [folder]);
    expect(stderr).to.match(
      /no profile in 1 file \(1 archive not searched, as it is in a folder or another archive: inner\.zip\)/,
    );
    writeFileSync(join(folder, 'rank_0.json'), TRACE);
    const found = await runCli('dparse', [folder]);
    expect([found.code, found.stderr]).to.deep.include(0);
    expect(found.stderr).to.match(/: 1 archive not searched, .*: inner\.zip\n/);
  });

  it('are read side by side, and left before their end', async () => {
    // 300,000 zeros by xz.
    const bytes = Buffer.from(
      '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj5JPfAG9dAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGw1jEDBAAAAH58pcZX/q9AAAYsB4KcSAHhj/vixxGf7AgAAAAAEWVo=',
      'base64',
    );
    const streams = [1, 2, 3].map(() => unpackedOf(Readable.from([bytes])));
    for (const stream of streams) expect((await stream.next()).done).to.equal(false);
    let size = 0;
    for await (const piece of unpackedOf(Readable.from([bytes]))) size += piece.length;
    expect(size).to.equal(300_000);
  });

  it('that are cut off, damaged or hostile are one line', async () => {
    const zip = bytesOf('t.zip');
    const edited = (edit: (bytes: Buffer) => void): Buffer => {
      const bytes = Buffer.from(zip);
      edit(bytes);
      return bytes;
    };
    const central = zip.indexOf('PK\u0001\u0002');
    expect(await lineOf('t.zip', zip.subarray(0, 150))).to.equal(
      't.zip: zip is damaged: unexpected end of file (copy it again)',
    );
    expect(
      await lineOf(
        't.zip',
        edited((bytes) => bytes.writeUInt16LE(1, central + 8)),
      ),
    ).to.match(/^t\.zip: is encrypted: t\.json/);
    expect(
      await lineOf(
        't.zip',
        edited((bytes) => bytes.writeUInt16LE(93, central + 10)),
      ),
    ).to.match(/with method 93, which is not supported/);
    expect(
      await lineOf(
        't.zip',
        edited((bytes) => bytes.writeUInt32LE(7, central + 16)),
      ),
    ).to.match(/the checksum of t\.json is wrong/);
    const outside = edited((bytes) => {
      for (const at of [30, central + 46]) bytes.write('../tjs', at);
    });
    expect(await lineOf('t.zip', outside)).to.match(/^t\.zip: .*\.\.\/tjs/);
    expect(await lineOf('t.zip', Buffer.from(`PK\u0005\u0006${'\0'.repeat(18)}`))).to.match(
      /^t\.zip: is an empty archive/,
    );
    const tar = gunzipSync(bytesOf('t.tar.gz'));
    expect(await lineOf('t.tar', tar.subarray(0, 600))).to.equal(
      't.tar: tar is damaged: unexpected end of file (copy it again)',
    );
    for (const [name, packing] of [
      ['t.json.zst', 'zstd'],
      ['t.json.xz', 'xz'],
      ['t.json.bz2', 'bzip2'],
    ] as const)
      // prettier-ignore
      expect(await lineOf(name, bytesOf(name).subarray(0, 60))).to.match(new RegExp(`${packing} is (?:damaged|cut off)`));
    // 100 MB of zeros in 100 KB, 300 bytes when packed again.
    const bomb = gzipSync(gzipSync(Buffer.alloc(100 * 1024 * 1024)));
    expect(await lineOf('t.json.gz', bomb)).to.equal(
      't.json.gz: unpacks to more than 1000 times its size, which is not a profile',
    );
    // A frame whose header asks for a window of 2 GB.
    expect(await lineOf('t.zst', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0, 0]))).to.match(
      /window of 2048 MB/,
    );
  });
});
