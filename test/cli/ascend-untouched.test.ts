/** Real profiles of Ascend are as they were after every command: bytes, times, lists of files. */
import { expect } from 'chai';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, type Ran } from '../support/run-cli.js';
import { itShared, itSharedLong } from '../support/shared.js';

const ROOT = 'data/ascend';
/** A database, and files of text. */
const SAMPLED = ['db_level1_rank1', 'text_level1_rank0'];
const ALL = [...SAMPLED, 'db_level0_rank0', 'db_level2_rank1', 'text_level1_rank1', 'text_qwen_level2_rank0'];
const COMMANDS: readonly (readonly string[])[] = [[], ['steps'], ['stacks']];

/** Of every file and folder: its path, size, times to the nanosecond, and the hash of its bytes. */
const stateOf = (folder: string): string[] =>
  ['', ...(readdirSync(folder, { recursive: true }) as string[])].sort().map((name) => {
    const path = join(folder, name);
    const { size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    const isFile = statSync(path).isFile();
    const hash = isFile ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
    return [name, size, mtimeNs, ctimeNs, hash].join(' ');
  });

async function expectUntouched(folders: readonly string[]): Promise<void> {
  const before = folders.map(stateOf);
  const fine = (ran: Ran): void => {
    expect(ran).to.include({ code: 0, stderr: '' });
    expect(ran.stdout).to.not.equal('');
  };
  for (const folder of folders) {
    fine(await runCli('dparse', ['-q', '--ranges', folder]));
    for (const command of COMMANDS) fine(await runCli('dprof', [...command, '-q', folder]));
    const memory = await runCli('dprof', ['memory', '-q', folder]);
    if (folder.includes('qwen')) expect(memory.stderr).to.match(/no memory samples/);
    else fine(memory);
  }
  const all = await runCli('dparse', ['-q', ...folders]);
  fine(all);
  expect(all.stdout.match(/^\{"type":"profile"/gm)).to.have.length(folders.length);
  expect(folders.map(stateOf)).to.deep.equal(before);
}

const inData = (names: readonly string[]): string[] => names.map((name) => `${ROOT}/${name}`);

describe('Ascend: inputs are left as they were', () => {
  itShared('by dparse and every report of dprof, one profile and all together', inData(SAMPLED), expectUntouched);
  itSharedLong('by the same, of further levels and versions', inData(ALL), expectUntouched);
});
