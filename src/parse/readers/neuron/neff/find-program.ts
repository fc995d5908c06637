/** Finds the NEFF of a device trace: both contain the uuid of the program. */
import { basename, join } from 'node:path';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { fileNameOf, namesIn } from '../../../files.js';
import type { NeffProgram } from './program.js';
import { readNeff, uuidOf } from './read-program.js';

export interface ProgramWanted {
  /** The file that the user named. */
  readonly program?: string;
  /** Whether to use that file although its uuid differs. */
  readonly force?: boolean;
  /** Folder of the trace; null when it has none. */
  readonly folder: string | null;
  /** Name of the trace. */
  readonly file: string;
  /** The trace's uuid, 32 hexadecimal digits; '' when it has none. */
  readonly uuid: string;
  /** Path of the program's file on the machine that ran it, as the trace has it. */
  readonly modelFile: string | null;
}

const MOST_CANDIDATES = 5000;

/**
 * The program of a trace: the one that the user named, or the one in its folder that has its uuid.
 * @returns null, after counting it, when none is found
 * @throws UserError when the one named is no NEFF, or is another program and not forced
 */
export function findProgram(wanted: ProgramWanted, diagnostics: Diagnostics): NeffProgram | null {
  if (wanted.program !== undefined) return namedProgram(wanted.program, wanted, diagnostics);
  const path = wanted.folder === null ? null : programInFolder(wanted.folder, wanted, diagnostics);
  if (path === null) diagnostics.count('program-not-found');
  return path === null ? null : readNeff(path, path, diagnostics, true);
}

function namedProgram(path: string, { uuid, force }: ProgramWanted, diagnostics: Diagnostics): NeffProgram {
  const program = readNeff(path, path, diagnostics, true);
  if (program.uuid === '' || uuid === '') diagnostics.count('program-not-verified');
  else if (program.uuid !== uuid) {
    if (force !== true) {
      throw new UserError(`is the program of another model: uuid ${program.uuid}, the profile has ${uuid}`, {
        where: path,
        hint: 'give the right one, or --force',
      });
    }
    diagnostics.count('program-forced');
  }
  return program;
}

/** The runtime's names for its own captures: `neff_<hash>.neff` of `<hash>_instid_<k>_vnc_<core>.ntff`. */
const CAPTURED = /^(.+)_instid_\d+_vnc_\d+\.ntff/;

/** File names that follow from the trace. Its model file may be a path of another machine. */
function suggestedNames({ modelFile, file }: ProgramWanted): string[] {
  const names: string[] = [];
  if (modelFile !== null) names.push(fileNameOf(modelFile));
  const hash = CAPTURED.exec(basename(file))?.[1];
  if (hash !== undefined) names.push(`neff_${hash}.neff`);
  // Damaged traces may have texts that are no file names.
  return names.filter((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'));
}

/** Path of the program with the trace's uuid, by reading headers alone. */
function programInFolder(folder: string, wanted: ProgramWanted, diagnostics: Diagnostics): string | null {
  if (wanted.uuid === '') return null;
  const suggested = suggestedNames(wanted);
  const others = namesIn(folder, /\.neff$/).filter((name) => !suggested.includes(name));
  let foreign = 0;
  for (const name of new Set([...suggested, ...others.slice(0, MOST_CANDIDATES)])) {
    const path = join(folder, name);
    const uuid = uuidOf(path);
    if (uuid === wanted.uuid) return path;
    // A misleading name is always counted; other programs of the folder only when none matches.
    if (uuid !== null && suggested.includes(name)) diagnostics.count('neff-of-another-model');
    else if (uuid !== null) foreign++;
  }
  diagnostics.count('neff-of-another-model', foreign);
  return null;
}
