/**
 * Reads NEFF files, the compiled programs of NeuronCores: a header, then a tar archive, with or without gzip compression.
 * Files without the header, or compressed as a whole, are read as well.
 *
 * Sources: AWS Neuron documentation ("Work with NEFF files", "Neuron packager user guide"), and real files.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import type { DiagnosticName, Diagnostics } from '../../../../record/diagnostics.js';
import { UserError, isSystemError, systemReason } from '../../../../record/errors.js';
import { ArchiveFault, ByteStream, FileBytes, gunzip, type Fault } from '../../../input/byte-stream.js';
import { isGzip } from '../../../../record/lines/packed.js';
import { HEADER_BYTES, parseHeader, type NeffHeader } from './neff-header.js';
import { ProgramBuilder, type NeffProgram } from './program.js';
import { isTar, members } from '../../../input/tar.js';
import { basename, join } from 'node:path';
import { fileNameOf, namesIn } from '../../../files.js';

/** Size limit of a decompressed program with its constants, in bytes. */
const LARGEST_ARCHIVE = 4 * 1024 ** 3;
const TAR_HEAD = 512;

const FAULTS: Readonly<Record<Fault, DiagnosticName>> = {
  cut: 'truncated-input',
  damaged: 'program-damaged',
  'too-large': 'program-too-large',
};

function unpack(stream: ByteStream, limit: number): ByteStream {
  return isGzip(stream.peek(2)) ? gunzip(stream, limit) : stream;
}

function openHeader(stream: ByteStream, limit: number): { header: NeffHeader | null; rest: ByteStream } {
  const rest = unpack(stream, limit);
  const header = parseHeader(rest.peek(HEADER_BYTES));
  if (header !== null) rest.skip(header.headerSize);
  return { header, rest };
}

/**
 * Runs a function and returns the archive fault that it throws, if any. Everything that was read before the fault is
 * kept.
 */
function untilFault(work: () => void): Fault | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof ArchiveFault) return error.fault;
    throw error;
  }
}

function withFile<T>(path: string, use: (stream: ByteStream) => T): T {
  const file = openSync(path, 'r');
  try {
    return use(new ByteStream(new FileBytes(file)));
  } finally {
    closeSync(file);
  }
}

const isEnd = (stream: ByteStream): boolean => stream.peek(1).length === 0;

/** Reads the archive's members until the builder needs no more. */
function takeMembers(archive: ByteStream, builder: ProgramBuilder): void {
  if (!isTar(archive.peek(TAR_HEAD))) throw new ArchiveFault(isEnd(archive) ? 'cut' : 'damaged');
  for (const member of members(archive)) {
    builder.take(member);
    if (builder.isComplete) return;
  }
  builder.countMissing();
}

/**
 * Reads the program in a file. Memory: its largest JSON member (at most 16 MiB of text), but not its constants; with
 * instructions, also the `GraphInstructions` of at most 128 MiB of files.
 * @param name name of the file in messages
 * @param withInstructions whether to read the program's facts about its instructions
 * @throws UserError when the file is not a NEFF, or cannot be read
 */
export function readNeff(path: string, name: string, diagnostics: Diagnostics, withInstructions = false): NeffProgram {
  const program = readFile(path, name, (stream) =>
    readProgram(stream, { size: statSync(path).size, diagnostics, withInstructions }),
  );
  if (program === null) {
    throw new UserError('is not a NEFF', {
      where: name,
      hint: 'give the .neff that the compiler or the capture wrote',
    });
  }
  return program;
}

/**
 * Reads a program.
 * @param size size of the file in bytes
 */
function readProgram(
  stream: ByteStream,
  { size, diagnostics, withInstructions }: { size: number; diagnostics: Diagnostics; withInstructions: boolean },
): NeffProgram | null {
  let builder = new ProgramBuilder(null, diagnostics, withInstructions);
  let isShort = false as boolean;
  const fault = untilFault(() => {
    const isPacked = isGzip(stream.peek(2));
    const { header, rest } = openHeader(stream, LARGEST_ARCHIVE);
    // The members that are needed may all be in the part that was read.
    isShort = !isPacked && header !== null && size < header.headerSize + header.dataSize;
    builder = new ProgramBuilder(header, diagnostics, withInstructions);
    takeMembers(unpack(rest, LARGEST_ARCHIVE), builder);
  });
  if (builder.header === null && builder.isEmpty) return null;
  if (fault !== null) diagnostics.count(FAULTS[fault]);
  else if (isShort) diagnostics.count(FAULTS.cut);
  return builder.build();
}

/** Opens a file; an I/O error becomes a UserError. */
function readFile<T>(path: string, name: string, use: (stream: ByteStream) => T): T {
  try {
    if (!statSync(path).isFile()) throw new UserError('is not a file', { where: name });
    return withFile(path, use);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const what = error.code === 'ENOENT' ? 'no such file' : `cannot be read: ${systemReason(error)}`;
    throw new UserError(what, { where: name });
  }
}

/** The uuid in a file's header; null when it has no header, or does not exist. */
function uuidOf(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return null;
    return withFile(path, (stream) => parseHeader(stream.peek(HEADER_BYTES))?.uuid ?? null);
  } catch {
    return null;
  }
}

/** Maximum number of members that are searched for the list of subgraphs, which is near the start of an archive. */
const SNIFFED_MEMBERS = 256;
const SNIFFED_BYTES = 4 * 1024 * 1024;

/** Whether a file is a NEFF: a header followed by an archive, or an archive with a list of subgraphs. */
export function isNeff(path: string, head: Buffer): boolean {
  if (parseHeader(head) === null && !isGzip(head) && !isTar(head)) return false;
  let is = false;
  withFile(path, (stream) =>
    untilFault(() => {
      const { header, rest } = openHeader(stream, SNIFFED_BYTES);
      if (header === null) is = hasSubgraphs(unpack(rest, SNIFFED_BYTES));
      // The archive may be cut off anywhere.
      else is = isEnd(rest) || isGzip(rest.peek(2)) || isTar(rest.peek(TAR_HEAD));
    }),
  );
  return is;
}

function hasSubgraphs(archive: ByteStream): boolean {
  if (!isTar(archive.peek(TAR_HEAD))) return false;
  let looked = 0;
  for (const { name } of members(archive)) {
    if (/^kelf-\d+\.json$/.test(name)) return true;
    if (++looked === SNIFFED_MEMBERS) return false;
  }
  return false;
}

/** Facts by which the NEFF of a device trace is found. Trace and NEFF both contain the uuid of the program. */
export interface ProgramWanted {
  /** The file that the user named. */
  readonly program?: string;
  /** Whether to use that file although its uuid differs. */
  readonly force?: boolean;
  /** Folder of the trace; null when it is not in a folder. */
  readonly folder: string | null;
  /** Name of the trace. */
  readonly file: string;
  /** The trace's uuid, 32 hexadecimal digits; '' when it has none. */
  readonly uuid: string;
  /** Path of the program's file on the machine that ran it, as recorded in the trace. */
  readonly modelFile: string | null;
}

const MOST_CANDIDATES = 5000;

/**
 * The program of a trace: the one that the user named, or the one in the trace's folder that has the trace's uuid.
 * @returns null when none is found; this is counted
 * @throws UserError when the named file is not a NEFF, or is a different program and `force` is not set
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
      throw new UserError(`belongs to another model: uuid ${program.uuid}, the profile has ${uuid}`, {
        where: path,
        hint: 'give the matching NEFF, or use --force',
      });
    }
    diagnostics.count('program-forced');
  }
  return program;
}

/** Name of a trace captured by the runtime: `<hash>_instid_<k>_vnc_<core>.ntff` has the program `neff_<hash>.neff`. */
const CAPTURED = /^(.+)_instid_\d+_vnc_\d+\.ntff/;

/** File names suggested by the trace. Its model file may be a path on another machine. */
function suggestedNames({ modelFile, file }: ProgramWanted): string[] {
  const names: string[] = [];
  if (modelFile !== null) names.push(fileNameOf(modelFile));
  const hash = CAPTURED.exec(basename(file))?.[1];
  if (hash !== undefined) names.push(`neff_${hash}.neff`);
  // Strings in damaged traces may not be valid file names.
  return names.filter((name) => name !== '' && name !== '.' && name !== '..' && !name.includes('\0'));
}

/** Path of the program with the trace's uuid, found by reading headers only. */
function programInFolder(folder: string, wanted: ProgramWanted, diagnostics: Diagnostics): string | null {
  if (wanted.uuid === '') return null;
  const suggested = suggestedNames(wanted);
  const others = namesIn(folder, /\.neff$/).filter((name) => !suggested.includes(name));
  let foreign = 0;
  for (const name of new Set([...suggested, ...others.slice(0, MOST_CANDIDATES)])) {
    const path = join(folder, name);
    const uuid = uuidOf(path);
    if (uuid === wanted.uuid) return path;
    // A suggested file with another uuid is always counted; other programs in the folder are counted only when none
    // matches.
    if (uuid !== null && suggested.includes(name)) diagnostics.count('neff-of-another-model');
    else if (uuid !== null) foreign++;
  }
  diagnostics.count('neff-of-another-model', foreign);
  return null;
}
