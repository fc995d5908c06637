/** Which program is taken for a trace. */
import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram, type ProgramWanted } from '../../../../src/parse/readers/neuron/neff/read-program.js';
import { Diagnostics } from '../../../../src/record/diagnostics.js';
import { UserError } from '../../../../src/record/errors.js';
import { entriesOf, neffBytes, tarOf, UUID } from '../../../support/neff.js';
import { freshPath } from '../../../support/fresh-path.js';

const OTHER = 'ffeeddccbbaa99887766554433221100';

/** A folder of files: programs by their uuid and name, anything else by its bytes. */
function folderOf(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = freshPath('.folder');
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    const bytes = typeof content === 'string' ? neffBytes(entriesOf(), { uuid: content, name }) : content;
    writeFileSync(join(folder, name), bytes);
  }
  return folder;
}

function find(folder: string | null, wanted: Partial<ProgramWanted> = {}): [model: unknown, odd: object] {
  const diagnostics = new Diagnostics();
  const asked = { folder, file: 'profile.ntff', uuid: UUID, modelFile: null, ...wanted };
  const program = findProgram(asked, diagnostics);
  return [program === null ? null : program.facts.model, diagnostics.toJSON()];
}

describe('the program of a trace', () => {
  it('is the one with its uuid, whatever its name', () => {
    const folder = folderOf({ 'a.neff': OTHER, 'b.neff': UUID, 'c.neff': UUID, 'd.neff': Buffer.from('no neff') });
    expect(find(folder)).to.deep.equal(['b.neff', {}]);
  });

  it('is first looked for by the name in the trace, without its folder', () => {
    const folder = folderOf({ 'a.neff': UUID, 'model.bin': UUID });
    expect(find(folder, { modelFile: '/home/x/model.bin' })).to.deep.equal(['model.bin', {}]);
    expect(find(folder, { modelFile: '../../model.bin' })).to.deep.equal(['model.bin', {}]);
    for (const modelFile of ['..', '', 'gone.neff', 'a\0b'])
      expect(find(folder, { modelFile })).to.deep.equal(['a.neff', {}]);
  });

  it('is then looked for by the hash that both names have', () => {
    const folder = folderOf({ 'a.neff': UUID, 'neff_123.neff': UUID });
    expect(find(folder, { file: 'out/123_instid_0_vnc_4.ntff' })).to.deep.equal(['neff_123.neff', {}]);
  });

  it('is none of another model: those are counted where they mislead', () => {
    const misled = folderOf({ 'neff_123.neff': OTHER, 'z.neff': UUID });
    expect(find(misled, { file: '123_instid_0_vnc_4.ntff' })).to.deep.equal(['z.neff', { 'neff-of-another-model': 1 }]);
    const none = folderOf({ 'a.neff': OTHER, 'b.neff': OTHER, 'c.neff': tarOf(entriesOf()) });
    expect(find(none)).to.deep.equal([null, { 'neff-of-another-model': 2, 'program-not-found': 1 }]);
  });

  it('is none without a folder, in a folder that is gone, or for a trace without a uuid', () => {
    const folder = folderOf({ 'a.neff': UUID });
    const none = [null, { 'program-not-found': 1 }];
    expect(find(null)).to.deep.equal(none);
    expect(find(join(folder, 'gone'))).to.deep.equal(none);
    expect(find(folder, { uuid: '' })).to.deep.equal(none);
  });
});

describe('the program that the user names', () => {
  const folder = folderOf({ 'right.neff': UUID, 'wrong.neff': OTHER, 'bare.neff': tarOf(entriesOf()) });
  const named = (name: string): string => join(folder, name);

  it('is taken when it has the uuid of the trace', () => {
    expect(find(null, { program: named('right.neff') })).to.deep.equal(['right.neff', {}]);
  });

  it('is refused when it is another, unless forced', () => {
    const program = named('wrong.neff');
    expect(() => find(null, { program }))
      .to.throw(UserError)
      .with.property(
        'line',
        `${program}: belongs to another model: uuid ${OTHER}, the profile has ${UUID} (give the matching NEFF, or use --force)`,
      );
    expect(find(null, { program, force: true })).to.deep.equal(['wrong.neff', { 'program-forced': 1 }]);
  });

  it('is taken when there is no uuid to compare', () => {
    const odd = { 'program-not-verified': 1 };
    expect(find(null, { program: named('bare.neff') })).to.deep.equal(['small.neff', odd]);
    expect(find(null, { program: named('wrong.neff'), uuid: '' })).to.deep.equal(['wrong.neff', odd]);
  });

  it('must be there', () => {
    expect(() => find(null, { program: named('gone.neff') })).to.throw(UserError, 'no such file');
    expect(() => find(null, { program: folder })).to.throw(UserError, 'is not a file');
  });
});
