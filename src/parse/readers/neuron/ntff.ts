/**
 * NTFF, the device trace of a NeuronCore that `neuron-profile capture` and the runtime write. The layout of version 6
 * was derived from captures and the vendor tool's output for them; see `ntff/`.
 */
import { statSync } from 'node:fs';
import type { Probe, Reader } from '../../reader.js';
import { hasReport } from './capture-files.js';
import { readDeviceTrace } from './ntff/ntff-capture.js';
import { GREATEST_VERSION, HEADER_BYTES, VERSION } from './ntff/file/ntff-file.js';

/** Protobuf tag of the metadata's field 1, a length-delimited one. */
const NAME_TAG = 0x0a;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Shortest file name that identifies a trace of a version with unknown layout. */
const SHORTEST_NAME = 3;

/** Whether metadata starts at the offset: its first field is the name of the program's file. */
function startsWithName(head: Buffer, at: number, shortest: number): boolean {
  const [tag, length] = head.subarray(at);
  if (tag !== NAME_TAG || length === undefined || length < shortest || length >= 128) return false;
  const name = head.toString('latin1', at + 2, at + 2 + length);
  return name.length === length && PRINTABLE.test(name);
}

/** A truncated file of version 6 is recognised; one of another version only if its lengths agree too. */
function isTrace({ head, path }: Probe): boolean {
  if (head.length <= HEADER_BYTES) return false;
  const version = head.readUInt8(0);
  if (version === 0 || version > GREATEST_VERSION) return false;
  if (!startsWithName(head, HEADER_BYTES, version === VERSION ? 1 : SHORTEST_NAME)) return false;
  const length = head.readBigUInt64LE(1);
  return version === VERSION ? length > 0n && length < 1n << 48n : length > 0n && length < BigInt(statSync(path).size);
}

export const ntff: Reader = {
  id: 'ntff',
  title: 'AWS Neuron device trace, version 6 (neuron-profile capture, *.ntff)',
  reads: 'binary',
  usesProgram: true,
  fileNames: /\.ntff(?:\.gz)?$/,
  sniff: isTrace,
  isCovered: hasReport,
  read: (probe, options) => readDeviceTrace('ntff', probe, options),
};
