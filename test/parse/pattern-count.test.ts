import { expect } from 'chai';
import fc from 'fast-check';
import fg from 'fast-glob';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { patternCount } from '../../src/parse/input/folder-files.js';
import { UserError } from '../../src/record/errors.js';
import { expandInput } from '../../src/parse/source.js';
import { freshPath } from '../support/fresh-path.js';

const failureOf = (glob: string): Promise<string | null> =>
  expandInput(glob).then(
    () => null,
    (error: unknown) => (error instanceof UserError ? error.message : null),
  );

describe('the patterns of a glob', () => {
  it('are counted without being made', () => {
    const counts: Readonly<Record<string, number>> = {
      '*.sqlite': 1,
      '{a,b}': 2,
      '{a,b}{1..3}': 6,
      '{a,{b,c}d,e}': 4,
      '{c..f}': 4,
      '{a}': 1,
    };
    for (const [glob, count] of Object.entries(counts)) {
      expect(patternCount(glob), glob).to.equal(count);
    }
    expect(patternCount('{a,b}'.repeat(2000))).to.equal(Infinity);
  });

  it('are at least the files that they name one by one', () => {
    const name = fc.constantFrom('a', 'b', '1', '2');
    const braces = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `{${names.join(',')}}`);
    const folder = freshPath('-names');
    mkdirSync(folder);
    for (const first of 'ab12') for (const second of 'ab12') writeFileSync(join(folder, first + second), '');
    fc.assert(
      fc.property(fc.tuple(braces, braces), (parts) => {
        const files = fg.sync(parts.join(''), { cwd: folder });
        expect(patternCount(parts.join(''))).to.be.at.least(files.length);
      }),
    );
  });

  it('are refused at once when there are millions', async () => {
    for (const glob of ['{a,b}'.repeat(24), '{1..9}'.repeat(9), '{1..100000000}']) {
      expect(await failureOf(glob)).to.include('expands to more than 1,000 patterns');
    }
    expect(await failureOf('{a,b}'.repeat(3))).to.include('no file matches');
  });
});
