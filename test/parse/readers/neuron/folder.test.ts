/** Folders of captures: which files are read, and which are covered by another file. */
import { expect } from 'chai';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { foundIn } from '../../../support/found.js';
import { readProfile } from '../../../../src/parse/profile.js';
import { ofType } from '../../../support/kineto.js';
import { itShared } from '../../../support/shared.js';

const CAPTURE = 'data/neuron/trn2_fused_fp32_s512';
const FILES = ['fused.neff', 'fused_exec_2.ntff', 'fused_exec_2_profile_full.json'].map((name) => `${CAPTURE}/${name}`);

/** Runs with a folder of copies under the given names. */
async function inFolder(copies: Readonly<Record<string, string>>, body: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'neuron-'));
  try {
    for (const [name, from] of Object.entries(copies)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      copyFileSync(from, join(folder, name));
    }
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
} // prettier-ignore

async function namesIn(input: string): Promise<string[]> {
  const { profiles } = await foundIn([input]);
  return profiles.map(({ source }) => basename(source.name));
}

describe('a folder of Neuron captures', () => {
  itShared('gives every worker and execution, each with its program', FILES, async ([program = '', trace = '']) => {
    const copies = {
      'neff_77.neff': program,
      ...Object.fromEntries(['profile_rank_0.ntff', 'profile_rank_1_exec_2.ntff'].map((name) => [name, trace])),
      '77_instid_0_vnc_0.ntff': trace,
    };
    await inFolder(copies, async (folder) => {
      const { profiles, failures } = await foundIn([folder]);
      expect(failures).to.deep.equal([]);
      const found = profiles.map(({ source, ordinal }) => {
        const records = [...readProfile(source.path, { profile: ordinal, name: source.name })];
        const [header] = ofType(records, 'profile');
        return [header?.file, header?.rank, ofType(records, 'tensor').length, ofType(records, 'kernel').length];
      });
      // Five tensors of the program and 442 instructions, as the vendor's report has them.
      expect(found).to.deep.equal([
        ['77_instid_0_vnc_0.ntff', null, 5, 442],
        ['profile_rank_0.ntff', 0, 5, 442],
        ['profile_rank_1_exec_2.ntff', 1, 5, 442],
      ]);
    });
  });

  itShared('gives a capture once, by the report of the tool where there is one', FILES, async ([program = '', trace = '', report = '']) => {
    const beside = { 'a.neff': program, 'a.ntff': trace, 'a_profile_full.json': report };
    await inFolder(beside, async (folder) => {
      expect(await namesIn(folder)).to.deep.equal(['a_profile_full.json']);
      expect(await namesIn(join(folder, 'a.ntff'))).to.deep.equal(['a.ntff']);
      expect(await namesIn(join(folder, 'a.neff'))).to.deep.equal(['a.neff']);
    });
    await inFolder({ 'a.ntff': trace, 'json_reports/a_profile_full.json': report }, async (folder) => {
      expect(await namesIn(folder)).to.deep.equal(['a_profile_full.json']);
    });
    await inFolder({ 'a.neff': program }, async (folder) => {
      expect(await namesIn(folder)).to.deep.equal(['a.neff']);
    });
  }); // prettier-ignore
});
