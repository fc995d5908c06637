/**
 * Zip and tar archives, which are read as folders: unpacked into a temporary folder, which is removed when the program
 * ends.
 */
import { closeSync, createWriteStream, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type * as Yauzl from 'yauzl';
import { lateLibrary } from '../../containers/late-library.js';
import { isSystemError, UserError, unpackedFolder } from '../../record/errors.js';
import { Growth, PackedFault } from '../../record/lines/packed.js';
import { UnreadableInput, writeFully } from '../files.js';
import { ArchiveFault, ByteStream, FileBytes } from './byte-stream.js';
import { isTar, members } from './tar.js';
import { foldersRemovedAtEnd, inTemporaryFolder, temporaryFolder } from './temporary-file.js';

const yauzl = lateLibrary<typeof Yauzl>('yauzl');

const isZip = (head: Buffer): boolean => head.toString('latin1', 0, 4) === 'PK\u0003\u0004';

/** A file written by torch.save is a zip archive of weights, not of profiles. */
const isTorchSave = (head: Buffer): boolean => head.toString('latin1', 0, 256).includes('/data.pkl');

/** Whether a file, decompressed, begins like an archive. */
export const isArchive = (head: Buffer): boolean => (isZip(head) && !isTorchSave(head)) || isTar(head);

/** Maximum number of files in an archive. */
const MOST_FILES = 100_000;

/**
 * Unpacks an archive.
 * @param path file with the archive, decompressed
 * @param head its first bytes
 * @param name the input as the user gave it, for messages
 * @returns a folder with its files
 * @throws UserError for an archive that is damaged, cut off, empty, encrypted, packed by an unknown method, too large, or
 * that names files outside of its folder
 */
export async function unpackArchive(path: string, head: Buffer, name: string): Promise<string> {
  foldersRemovedAtEnd();
  const folder = join(temporaryFolder(name), unpackedFolder(name));
  inTemporaryFolder(name, () => mkdirSync(folder));
  const target = new Target(folder, name);
  try {
    if (isZip(head)) await unzip(path, target);
    else untar(path, target);
  } catch (error) {
    throw faultOf(error, isZip(head) ? 'zip' : 'tar', name);
  }
  if (target.files === 0)
    throw new UserError('is an empty archive', { where: name, hint: 'nothing was packed into it' });
  return folder;
}

/** Messages for the faults that end the reading of a tar archive. */
const TAR_FAULTS: Readonly<Record<ArchiveFault['fault'], string>> = {
  cut: 'tar is broken: unexpected end of file',
  damaged: 'tar is broken: its data is damaged',
  'too-large': 'tar holds too many files',
};

/** Turns an error of a library into an error of the input. */
function faultOf(error: unknown, kind: string, where: string): unknown {
  if (error instanceof UserError) return error;
  if (error instanceof PackedFault) return new UnreadableInput(error.message, { where });
  const hint = 'copy it again';
  if (error instanceof ArchiveFault) return new UnreadableInput(TAR_FAULTS[error.fault], { where, hint });
  if (!(error instanceof Error) || (isSystemError(error) && !error.code.startsWith('Z_'))) return error;
  const reason = error.message.startsWith('End of central directory') ? 'unexpected end of file' : error.message;
  return new UnreadableInput(`${kind} is broken: ${reason}`, { where, hint });
}

/** The folder that an archive is unpacked into. */
class Target {
  files = 0;
  /** Bytes of all files so far. */
  bytes = 0;

  constructor(
    readonly folder: string,
    readonly archive: string,
  ) {}

  /**
   * Path of a file; null for a hidden file, because hidden files in folders are not read.
   * @throws UserError for a name that leads out of the folder
   */
  pathOf(name: string): string | null {
    const parts = name.split('/').filter((part) => part !== '' && part !== '.');
    if (/^(?:\/|[a-z]:)|[\\\0]/i.test(name) || parts.includes('..'))
      throw new UserError(`contains a file whose path points outside the archive: ${name}`, { where: this.archive });
    if (parts.some((part) => part.startsWith('.')) || parts.length === 0) return null;
    if (++this.files > MOST_FILES) throw new UserError(`holds more than ${MOST_FILES} files`, { where: this.archive });
    const path = join(this.folder, ...parts);
    inTemporaryFolder(this.archive, () => mkdirSync(dirname(path), { recursive: true }));
    return path;
  }
}

function untar(path: string, target: Target): void {
  const file = openSync(path, 'r');
  try {
    for (const member of members(new ByteStream(new FileBytes(file)))) {
      const to = target.pathOf(member.name);
      if (to === null) continue;
      inTemporaryFolder(target.archive, () => {
        const made = openSync(to, 'w', 0o600);
        try {
          for (const piece of member.pieces()) writeFully(made, piece);
        } finally {
          closeSync(made);
        }
      });
    }
  } finally {
    closeSync(file);
  }
}

async function unzip(path: string, target: Target): Promise<void> {
  const growth = new Growth(statSync(path).size);
  // `Target` checks the names, because its messages say more than the library's.
  const zip = await yauzl().openPromise(path, { strictFileNames: false, decodeStrings: true });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith('/')) continue;
      const to = target.pathOf(entry.fileName);
      if (to === null) continue;
      const where = target.archive;
      const shown = entry.fileName;
      if (entry.isEncrypted())
        throw new UserError(`is encrypted: ${shown}`, {
          where,
          hint: 'unpack it with the password, and give the unpacked files',
        });
      if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
        throw new UserError(
          `holds ${shown}, compressed with method ${entry.compressionMethod}, which is not supported`,
          {
            where,
            hint: 'unpack it with unzip FILE, and give the unpacked files',
          },
        );
      let checksum = 0;
      async function* checked(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
        for await (const piece of pieces) {
          growth.check((target.bytes += piece.length));
          checksum = crc32(piece, checksum);
          yield piece;
        }
      }
      await pipeline(await zip.openReadStreamPromise(entry), checked, createWriteStream(to, { mode: 0o600 }));
      if (checksum !== entry.crc32) throw new UnreadableInput(`zip is broken: ${shown} is damaged`, { where, hint: 'copy it again' }); // prettier-ignore
    }
  } finally {
    zip.close();
  }
}

/** Compression methods. Source: APPNOTE.TXT of PKWARE, section 4.4.5. */
const STORED = 0;
const DEFLATED = 8;
