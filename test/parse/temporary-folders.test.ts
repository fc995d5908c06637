import { expect } from 'chai';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inTemporaryFolder, removeFolders, temporaryFolder } from '../../src/parse/input/temporary-file.js';
import { UnreadableInput } from '../../src/parse/files.js';
import { freshPath } from '../support/fresh-path.js';
import { withTemporary } from '../support/temporary-folder.js';
import { within } from '../support/waits.js';

describe('temporary folders', () => {
  it('of a run and its workers are removed together, those of other runs are not', async () => {
    const place = freshPath('-temporary');
    mkdirSync(join(place, 'dparse-0123456789ab-x'), { recursive: true });
    await withTemporary(place, async () => {
      const own = basename(temporaryFolder('net.sqlite'));
      const code = `const { getEnvironmentData } = require('node:worker_threads');
        require('node:fs').mkdirSync(${JSON.stringify(place)} + '/dparse-' + getEnvironmentData('dparse-run') + '-y');`;
      await within('the worker ends', once(new Worker(code, { eval: true }), 'exit'));
      expect(readdirSync(place)).to.include.members([own, 'dparse-0123456789ab-x']).and.to.have.length(3);
      removeFolders();
    });
    expect(readdirSync(place)).to.deep.equal(['dparse-0123456789ab-x']);
  });

  for (const [code, what] of [
    ['ENOSPC', 'has no room (set TMPDIR to a folder with more room)'],
    ['EDQUOT', 'has no room (set TMPDIR to a folder with more room)'],
    [
      'EFBIG',
      'cannot hold a file of this size (raise ulimit -f, or set TMPDIR to a file system that allows larger files)',
    ],
    ['EACCES', 'cannot hold a file: permission denied (set TMPDIR to another folder)'],
  ] as const) {
    it(`that refuse a file by ${code}: what helps`, () => {
      const refuse = (): never => {
        throw Object.assign(new Error(code), { code, syscall: 'write' });
      };
      const said = `net.sqlite: the temporary folder ${tmpdir()} ${what}`;
      expect(() => inTemporaryFolder('net.sqlite', refuse)).to.throw(UnreadableInput, said);
    });
  }
});
