/**
 * NEFF files, the compiled program of a NeuronCore: a header, then a tar archive, compressed by gzip or not. Files
 * without the header, or compressed as a whole, are read as well.
 *
 * Sources: AWS Neuron documentation ("Work with NEFF files", "Neuron packager user guide"), and real files.
 */
import { closeSync, openSync, statSync } from 'node:fs';
import type { DiagnosticName, Diagnostics } from '../../../../record/diagnostics.js';
import { UserError, isSystemError, systemReason } from '../../../../record/errors.js';
import { ArchiveFault, ByteStream, FileBytes, type Fault } from './byte-stream.js';
import { HEADER_BYTES, parseHeader, type NeffHeader } from './neff-header.js';
import { gunzip, isGzip } from './inflate.js';
import { ProgramBuilder, type NeffProgram } from './program.js';
import { isTar, members } from './tar.js';

/** Decompressed size limit of a program with its constants. */
const LARGEST_ARCHIVE = 4 * 1024 ** 3;
const TAR_HEAD = 512;

const FAULTS: Readonly<Record<Fault, DiagnosticName>> = {
  cut: 'truncated-input',
  damaged: 'program-damaged',
  'too-large': 'program-too-large',
};

function unpack(stream: ByteStream, limit: number): ByteStream {
  return isGzip(stream.peek(3)) ? gunzip(stream, limit) : stream;
}

function openHeader(stream: ByteStream, limit: number): { header: NeffHeader | null; rest: ByteStream } {
  const rest = unpack(stream, limit);
  const header = parseHeader(rest.peek(HEADER_BYTES));
  if (header !== null) rest.skip(header.headerSize);
  return { header, rest };
}

/** Runs until an archive fault and returns it; the effects until then stay. */
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

/** Reads the archive's members up to the last that the builder needs. */
function takeMembers(archive: ByteStream, builder: ProgramBuilder): void {
  if (!isTar(archive.peek(TAR_HEAD))) throw new ArchiveFault(isEnd(archive) ? 'cut' : 'damaged');
  for (const member of members(archive)) {
    builder.take(member);
    if (builder.isComplete) return;
  }
  builder.countMissing();
}

/**
 * Reads the program in a file. Memory: its largest JSON member (at most 16 MiB of text), not its constants; with its
 * instructions, `GraphInstructions` of at most 128 MiB of files.
 * @param name name of the file in messages
 * @param withInstructions whether to read what the program says of its instructions
 * @throws UserError when the file is no NEFF, or cannot be read
 */
export function readNeff(path: string, name: string, diagnostics: Diagnostics, withInstructions = false): NeffProgram {
  const program = readFile(path, name, (stream) =>
    readProgram(stream, { size: statSync(path).size, diagnostics, withInstructions }),
  );
  if (program === null) {
    throw new UserError('is no NEFF', { where: name, hint: 'give the .neff that the compiler or the capture wrote' });
  }
  return program;
}

/** @param size of the file */
function readProgram(
  stream: ByteStream,
  { size, diagnostics, withInstructions }: { size: number; diagnostics: Diagnostics; withInstructions: boolean },
): NeffProgram | null {
  let builder = new ProgramBuilder(null, diagnostics, withInstructions);
  let isShort = false as boolean;
  const fault = untilFault(() => {
    const isPacked = isGzip(stream.peek(3));
    const { header, rest } = openHeader(stream, LARGEST_ARCHIVE);
    // What is needed may stand before the cut.
    isShort = !isPacked && header !== null && size < header.headerSize + header.dataSize;
    builder = new ProgramBuilder(header, diagnostics, withInstructions);
    takeMembers(unpack(rest, LARGEST_ARCHIVE), builder);
  });
  if (builder.header === null && builder.isEmpty) return null;
  if (fault !== null) diagnostics.count(FAULTS[fault]);
  else if (isShort) diagnostics.count(FAULTS.cut);
  return builder.build();
}

/** Opens a file; I/O errors become a UserError. */
function readFile<T>(path: string, name: string, use: (stream: ByteStream) => T): T {
  try {
    if (!statSync(path).isFile()) throw new UserError('is no file', { where: name });
    return withFile(path, use);
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const what = error.code === 'ENOENT' ? 'no such file' : `cannot be read: ${systemReason(error)}`;
    throw new UserError(what, { where: name });
  }
}

/** The uuid in a file's header; null where there is none, or no file. */
export function uuidOf(path: string): string | null {
  try {
    if (!statSync(path).isFile()) return null;
    return withFile(path, (stream) => parseHeader(stream.peek(HEADER_BYTES))?.uuid ?? null);
  } catch {
    return null;
  }
}

/** The list of subgraphs is near the start of an archive: limits of the search for it. */
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
      // The archive may be truncated anywhere.
      else is = isEnd(rest) || isGzip(rest.peek(3)) || isTar(rest.peek(TAR_HEAD));
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
