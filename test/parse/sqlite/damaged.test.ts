import { expect } from 'chai';
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { checkProfile } from '../../../src/parse/profile.js';
import { UnreadableInput } from '../../../src/parse/files.js';
import { freshPath } from '../../support/fresh-path.js';
import { rewritten } from '../../support/rewritten-database.js';
import { runCli } from '../../support/run-cli.js';

const SECTOR = 512;
const SAMPLE = 'samples/lenet.nsys.sqlite';

/** The sample with one sector of zeros, as a failing disk or an interrupted copy leaves it. */
function zeroed(sector: number): string {
  const bytes = readFileSync(SAMPLE);
  const path = freshPath();
  writeFileSync(path, bytes.fill(0, sector * SECTOR, (sector + 1) * SECTOR));
  return path;
}

describe('SqliteFile: a damaged database', () => {
  for (const [sector, what] of [
    [238, 'cells of a table'],
    [96, 'cells that are looked up'],
  ] as const) {
    it(`ends, at worst in one line, with zeros in the ${what}`, async () => {
      const { code, stderr } = await runCli('dparse', ['-q', '--ranges', zeroed(sector)]);
      if (code !== 0) expect(stderr).to.match(/^dparse: \S+: database is damaged \(copy or export it again\)\n$/);
    });
  }

  it('is known as a profile when its end is missing', () => {
    const path = rewritten(SAMPLE, {});
    truncateSync(path, statSync(path).size - 4096);
    expect(() => checkProfile(path, 'net.sqlite')).to.throw(UnreadableInput, 'truncated');
  });
});
