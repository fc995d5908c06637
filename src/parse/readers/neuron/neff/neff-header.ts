/**
 * The header of a NEFF: 1024 bytes, little-endian, before the archive.
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0, 8, 16 | u64 | version of the package, size of the header, size of the archive |
 * | 24, 32 | u64 | version of the format: major, minor |
 * | 40 | char[128] | version of the build |
 * | 168 | u32 | logical cores that the program needs |
 * | 172 | u8[32] | hash: 16 bytes (MD5) and zeros, or 32 (packages of version 1) |
 * | 204 | u8[16] | uuid |
 * | 220 | char[256] | name of the network |
 * | 544 | u64 | features that the runtime must have |
 * | 552 | u32 | physical cores in a logical one |
 *
 * Source: AWS Neuron documentation, "Work with NEFF files"; names of features: the guide to neuron-packager, and its
 * output for real files.
 */
import { cText } from '../../../input/tar.js';

export interface NeffHeader {
  readonly packageVersion: number;
  readonly headerSize: number;
  readonly dataSize: number;
  readonly major: number;
  readonly minor: number;
  readonly buildVersion: string;
  readonly logicalCores: number;
  /** Hash of the program in hexadecimal. */
  readonly hash: string;
  /** 32 hexadecimal digits. */
  readonly uuid: string;
  readonly name: string;
  /** Names of the features that are set; a bit without a known name is written as "bit 12". */
  readonly features: readonly string[];
  /** Physical cores in a logical core; 0 in files from before logical cores existed. */
  readonly coresPerLogical: number;
}

export const HEADER_BYTES = 1024;
/** Offset of the end of the fields; zeros follow. */
const FIELDS_END = 556;
const LARGEST_HEADER = 64 * 1024;
const HIGHEST_VERSION = 1000;

const FEATURES: ReadonlyMap<number, string> = new Map([
  [0, 'bin-weights'],
  [1, 'collectives-offset'],
  [2, 'custom-ops'],
  [3, 'coalesced-cc'],
  [10, 'virtual-core'],
  [11, 'v3-2x-4x-dve-perf-mode'],
]);

function featureNames(bits: bigint): string[] {
  const set = Array.from({ length: 64 }, (_, bit) => bit).filter((bit) => ((bits >> BigInt(bit)) & 1n) === 1n);
  return set.map((bit) => FEATURES.get(bit) ?? `bit ${bit}`);
}

/** An MD5 hash fills only half of the field. */
const hashOf = (field: Buffer): string => field.toString('hex').replace(/^(.{32})0{32}$/, '$1');

/**
 * Parses the header; null when sizes or versions are implausible.
 * @param bytes at least 1024 bytes, if the file has as many
 */
export function parseHeader(bytes: Buffer): NeffHeader | null {
  if (bytes.length < HEADER_BYTES) return null;
  const u64 = (offset: number): number => Number(bytes.readBigUInt64LE(offset));
  const [packageVersion, headerSize, dataSize, major, minor] = [u64(0), u64(8), u64(16), u64(24), u64(32)];
  const isSane =
    packageVersion >= 1 &&
    Math.max(packageVersion, major, minor) <= HIGHEST_VERSION &&
    headerSize >= FIELDS_END &&
    headerSize <= LARGEST_HEADER &&
    Number.isSafeInteger(headerSize + dataSize);
  if (!isSane) return null;
  return {
    packageVersion,
    headerSize,
    dataSize,
    major,
    minor,
    buildVersion: cText(bytes, 40, 128),
    logicalCores: bytes.readUInt32LE(168),
    hash: hashOf(bytes.subarray(172, 204)),
    uuid: bytes.toString('hex', 204, 220),
    name: cText(bytes, 220, 256),
    features: featureNames(bytes.readBigUInt64LE(544)),
    coresPerLogical: bytes.readUInt32LE(552),
  };
}
