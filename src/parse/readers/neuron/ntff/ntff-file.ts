/**
 * The file of a device trace: a version, the length of the metadata, the metadata, and data at offsets that the metadata
 * gives. Data is read in blocks; every offset is checked against the file's size.
 *
 * | bytes       | content                                   |
 * |-------------|-------------------------------------------|
 * | 0           | version                                   |
 * | 1–8         | M, the length of the metadata             |
 * | 9–127       | unused (uninitialised memory)             |
 * | 128–127 + M | metadata                                  |
 * | from there  | data                                      |
 */
import { closeSync, fstatSync, openSync } from 'node:fs';
import type { Diagnostics } from '../../../../record/diagnostics.js';
import { UserError } from '../../../../record/errors.js';
import { readFully } from '../../../files.js';
import { readMetadata, type InstructionBuffer, type Metadata, type TraceSection } from './metadata.js';
import { INSTRUCTION_BYTES } from '../words/instruction-word.js';
import { WireError } from '../../../input/protobuf.js';

export const VERSION = 6;
/** Files with a higher version number are assumed not to be device traces. */
export const GREATEST_VERSION = 31;
export const HEADER_BYTES = 128;
export const RECORD_BYTES = 16;
export const RECORD_WORDS = 4;

/** Size limit in bytes: captures have a few kilobytes of metadata. */
const MAX_METADATA = 1 << 26;
const BLOCK_BYTES = 1 << 20;

interface DataRange {
  readonly offset: number;
  readonly size: number;
}

export interface RecordBlock {
  /** The records, four words each. */
  readonly words: Uint32Array;
  readonly count: number;
}

export class NtffFile {
  readonly metadata: Metadata;
  readonly #file: number;
  readonly #dataStart: number;
  readonly #dataSize: number;

  /**
   * @param name name of the file in messages
   * @throws UserError when it is not a trace of a supported version
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
   * Sections, cut to the part that is in the file.
   * @throws UserError when they overlap, because together they would be larger than the file
   */
  sections(diagnostics: Diagnostics): TraceSection[] {
    const { sections } = this.metadata;
    if (sections.some((section) => this.#sizeInFile(section) < section.size)) diagnostics.count('truncated-input');
    let total = 0;
    return sections.map((section) => {
      const size = this.#sizeInFile(section);
      total += size;
      if (total > this.#dataSize) throw this.#broken('its sections overlap');
      return { ...section, size: size - (size % RECORD_BYTES) };
    });
  }

  /** Records of a section in blocks, each valid until the next one is requested. */
  *records({ offset, size }: DataRange): Generator<RecordBlock> {
    const memory = new ArrayBuffer(Math.min(BLOCK_BYTES, size));
    const words = new Uint32Array(memory);
    for (let done = 0; done < size;) {
      const read = this.#read(new Uint8Array(memory, 0, Math.min(memory.byteLength, size - done)), offset + done);
      const count = Math.floor(read / RECORD_BYTES);
      if (count === 0) return;
      yield { words, count };
      done += count * RECORD_BYTES;
    }
  }

  /** Number of a program's instructions that are in the file. */
  instructionsIn(buffer: InstructionBuffer): number {
    return Math.floor(this.#sizeInFile(buffer) / INSTRUCTION_BYTES);
  }

  /** The first instructions of a program, each valid until the next one is requested. */
  *instructions(buffer: InstructionBuffer, count: number): Generator<Buffer> {
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, count * INSTRUCTION_BYTES));
    for (let done = 0; done < count;) {
      const read = this.#read(block, buffer.offset + done * INSTRUCTION_BYTES);
      const inBlock = Math.min(Math.floor(read / INSTRUCTION_BYTES), count - done);
      if (inBlock === 0) return;
      for (let i = 0; i < inBlock; i++) yield block.subarray(i * INSTRUCTION_BYTES, (i + 1) * INSTRUCTION_BYTES);
      done += inBlock;
    }
  }

  /**
   * Reads one instruction of a program.
   * @returns whether it is in the file
   */
  readInstruction(buffer: InstructionBuffer, pc: number, word: Buffer): boolean {
    if (pc >= this.instructionsIn(buffer)) return false;
    return this.#read(word, buffer.offset + pc * INSTRUCTION_BYTES) === INSTRUCTION_BYTES;
  }

  #sizeInFile({ offset, size }: DataRange): number {
    return Math.max(0, Math.min(size, this.#dataSize - offset));
  }

  /**
   * Fills a buffer from an offset in the data.
   * @returns number of bytes read
   */
  #read(bytes: Uint8Array, offset: number): number {
    return readFully(this.#file, bytes, this.#dataStart + offset);
  }

  #metadataLength(size: number): number {
    const header = Buffer.alloc(HEADER_BYTES);
    const read = readFully(this.#file, header, 0);
    const version = header.readUInt8(0);
    if (version === 0 || version > GREATEST_VERSION) {
      throw new UserError('is not a Neuron device trace', { where: this.name });
    }
    if (version !== VERSION) {
      throw new UserError(`is a Neuron device trace of version ${version}; only version ${VERSION} is supported`, {
        where: this.name,
        hint: 'capture again with current Neuron tools, or parse the JSON of neuron-explorer view',
      });
    }
    const length = Number(header.readBigUInt64LE(1));
    if (length > MAX_METADATA) throw this.#broken(`its metadata would have ${length} bytes`);
    if (read < HEADER_BYTES || length > size - HEADER_BYTES) throw this.#broken('it ends within its metadata');
    return length;
  }

  #readMetadata(length: number): Metadata {
    const bytes = Buffer.alloc(length);
    if (readFully(this.#file, bytes, HEADER_BYTES) < length) throw this.#broken('it ends within its metadata');
    try {
      return readMetadata(bytes);
    } catch (error) {
      if (error instanceof WireError) throw this.#broken(`its metadata cannot be read: ${error.message}`);
      throw error;
    }
  }

  #broken(what: string): UserError {
    return new UserError(`is a damaged Neuron device trace: ${what}`, { where: this.name, hint: 'copy it again' });
  }
}
