/** Paths for files and folders that a test writes, removed when the run ends, whichever of its tests run. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | null = null;
let files = 0;

/** A folder of this test run, removed at its end. */
function temporaryFolder(): string {
  if (folder === null) {
    const made = mkdtempSync(join(tmpdir(), 'dparse-test-'));
    process.on('exit', () => {
      rmSync(made, { recursive: true, force: true });
    });
    folder = made;
  }
  return folder;
}

/** A path where no file is yet. */
export const freshPath = (ending = '.sqlite'): string => join(temporaryFolder(), `${++files}${ending}`);

/** A folder without files. */
export function freshFolder(): string {
  const path = freshPath('');
  mkdirSync(path);
  return path;
}
