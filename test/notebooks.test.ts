/** The programs of docs/guide/notebooks.md print what the page says, where Python and their library are installed. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from './support/fresh-path.js';
import { runCli } from './support/run-cli.js';
import { describeWithProcess } from './support/sets.js';
import { ROOT } from './support/shared.js';

/** Python with the libraries; `PYTHON` names another one than the first on the PATH. */
const PYTHON = process.env['PYTHON'] ?? 'python3';
const PAGE = readFileSync(join(ROOT, 'docs/guide/notebooks.md'), 'utf8');
const PROGRAM = /^Needs `pip install ([\w ]+)`.*?```python\n(.*?)```\n\n```text\n(.*?)```/gms;
const COMMAND = /^ {4}(dparse|dprof) (.*-o .*)$/gm;

const python = (cwd: string, program: string): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(PYTHON, ['-c', program], { cwd, encoding: 'utf8' });

/** Words, because libraries change blanks between them. */
const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

describeWithProcess('notebooks', () => {
  const folder = freshFolder();

  /** Runs the commands of the page, with its files in the folder. */
  before(async () => {
    for (const [, tool, line = ''] of PAGE.matchAll(COMMAND)) {
      const args = words(line).map((word, i, all) =>
        all[i - 1] === '-o' ? join(folder, word) : word.startsWith('samples/') ? join(ROOT, word) : word,
      );
      const { code, stderr } = await runCli(tool as 'dparse' | 'dprof', args);
      expect(code, stderr).to.equal(0);
    }
  });

  const programs = [...PAGE.matchAll(PROGRAM)];
  it('has three programs', () => {
    expect(programs).to.have.length(3);
  });

  for (const [, packages = '', program = '', expected = ''] of programs) {
    it(`has a program for ${packages} that prints what the page says (skipped without them)`, function () {
      const modules = packages.split(' ').join(', ');
      if (python(folder, `import ${modules}`).status !== 0) this.skip();
      const { status, stdout, stderr } = python(folder, program);
      expect(status, stderr).to.equal(0);
      expect(words(stdout)).to.deep.equal(words(expected));
    });
  }
});
