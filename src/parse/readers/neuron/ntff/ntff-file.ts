/**
 * The file of a device trace: a version, the length of the metadata, the metadata, and data that the metadata tells
 * the places of. Data is read through a window; no place is trusted to lie in the file.
 *
 * | bytes       | content                                   |
 * |-------------|-------------------------------------------|
 * | 0           | version                                   |
 * | 1–8         | M, the length of the metadata             |
 * | 9–127       | nothing (what was in the writer's memory) |
 * | 128–127 + M | metadata                                  |
 * | from there  | data                                      |
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { readMetadata, type InstructionBuffer, type Metadata, type Section } from './metadata.js';
import { WireError } from './wire.js';

export const VERSION = 6;
/** Of files that can be taken for a trace of another version. */
export const GREATEST_VERSION = 31;
export const HEADER_BYTES = 128;
export const RECORD_BYTES = 16;
export const RECORD_WORDS = 4;
export const INSTRUCTION_BYTES = 64;

/** Captures have some kilobytes of it. */
const MAX_METADATA = 1 << 26;
const WINDOW_BYTES = 1 << 20;

/** A stretch of the file's data. */
interface Stretch {
  readonly offset: number;
  readonly size: number;
}

/** Records of a section that are in the window. */
export interface RecordBlock {
  /** Four to a record. */
  readonly words: Uint32Array;
  readonly count: number;
}

export class TraceFile {
  readonly metadata: Metadata;
  readonly #file: number;
  readonly #dataStart: number;
  readonly #dataSize: number;

  /**
   * @param name how messages call it
   * @throws UserError when it is no trace of a version that can be read
   */
  constructor(
    path: string,
    private readonly name: string,
  ) {
    this.#file = openSync(path, 'r');
    try {
      const size = fstatSync(this.#file).size;
      const length = this.#metadataLength(size);
      this.metadata = this.#readMetadata(length);
      this.#dataStart = HEADER_BYTES + length;
      this.#dataSize = size - this.#dataStart;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * Sections as far as they lie in the file.
   * @throws UserError when there is more of them than of the file
   */
  sections(diagnostics: Diagnostics): Section[] {
    let total = 0;
    return this.metadata.sections.map((section) => {
      const size = this.#sizeInFile(section);
      if (size < section.size) diagnostics.count('truncated-input');
      total += size;
      if (total > this.#dataSize) throw this.#broken('its sections lie one upon the other');
      return { ...section, size: size - (size % RECORD_BYTES) };
    });
  }

  /** Records of a section, block after block. A block holds until the next one is asked for. */
  *records({ offset, size }: Stretch): Generator<RecordBlock> {
    const memory = new ArrayBuffer(Math.min(WINDOW_BYTES, size));
    const words = new Uint32Array(memory);
    for (let done = 0; done < size;) {
      const read = this.#read(new Uint8Array(memory, 0, Math.min(memory.byteLength, size - done)), offset + done);
      const count = Math.floor(read / RECORD_BYTES);
      if (count === 0) return;
      yield { words, count };
      done += count * RECORD_BYTES;
    }
  }

  /** First byte of every instruction of a buffer. */
  opcodes(buffer: InstructionBuffer): Uint8Array {
    const size = this.#sizeInFile(buffer);
    const opcodes = new Uint8Array(Math.floor(size / INSTRUCTION_BYTES));
    const window = new Uint8Array(Math.min(WINDOW_BYTES, size));
    for (let done = 0; done < opcodes.length; done += WINDOW_BYTES / INSTRUCTION_BYTES) {
      const read = this.#read(window, buffer.offset + done * INSTRUCTION_BYTES);
      const count = Math.min(Math.floor(read / INSTRUCTION_BYTES), opcodes.length - done);
      for (let i = 0; i < count; i++) opcodes[done + i] = window[i * INSTRUCTION_BYTES] ?? 0;
    }
    return opcodes;
  }

  #sizeInFile({ offset, size }: Stretch): number {
    return Math.max(0, Math.min(size, this.#dataSize - offset));
  }

  /** Fills the bytes from a place in the data; returns how many there were. */
  #read(bytes: Uint8Array, offset: number): number {
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#file, bytes, done, bytes.length - done, this.#dataStart + offset + done);
      if (read === 0) return done;
      done += read;
    }
    return bytes.length;
  }

  #metadataLength(size: number): number {
    const header = Buffer.alloc(HEADER_BYTES);
    const read = readSync(this.#file, header, 0, HEADER_BYTES, 0);
    const version = header.readUInt8(0);
    if (version === 0 || version > GREATEST_VERSION) throw new UserError('is no Neuron device trace', { where: this.name }); // prettier-ignore
    if (version !== VERSION) {
      throw new UserError(`is a Neuron device trace of version ${version}: version ${VERSION} is read`, {
        where: this.name,
        hint: 'capture again with current Neuron tools, or parse the JSON of neuron-profile view',
      });
    }
    const length = Number(header.readBigUInt64LE(1));
    if (length > MAX_METADATA) throw this.#broken(`its metadata would be ${length} bytes`);
    if (read < HEADER_BYTES || length > size - HEADER_BYTES) throw this.#broken('it ends within its metadata');
    return length;
  }

  #readMetadata(length: number): Metadata {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length;) {
      const read = readSync(this.#file, bytes, done, length - done, HEADER_BYTES + done);
      if (read === 0) throw this.#broken('it ends within its metadata');
      done += read;
    }
    try {
      return readMetadata(bytes);
    } catch (error) {
      if (error instanceof WireError) throw this.#broken(`its metadata cannot be read: ${error.message}`);
      throw error;
    }
  }

  #broken(what: string): UserError {
    return new UserError(`is a broken Neuron device trace: ${what}`, { where: this.name, hint: 'copy it again' });
  }
}
