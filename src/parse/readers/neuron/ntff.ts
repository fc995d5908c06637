/**
 * NTFF: what a NeuronCore recorded while it ran a program, as `neuron-profile capture` and the runtime write it.
 * Version 6, whose layout was found out from captures beside what the vendor's tool says of them; see `ntff/`.
 */
import { statSync } from 'node:fs';
import type { Probe, Reader } from '../../reader.js';
import { hasReportBeside } from './sidecar-program.js';
import { readTrace } from './ntff/ntff-capture.js';
import { GREATEST_VERSION, HEADER_BYTES, VERSION } from './ntff/ntff-file.js';

/** Of the metadata: field 1, a run of bytes. */
const NAME_TAG = 0x0a;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** Of the shortest name that counts, in versions whose layout is not known. */
const SHORTEST_NAME = 3;

/** Whether metadata starts at the place: with the name of the program's file. */
function startsWithName(head: Buffer, at: number, shortest: number): boolean {
  const length = head[at + 1] ?? 0;
  const name = head.subarray(at + 2, at + 2 + length);
  return head[at] === NAME_TAG && name.length >= shortest && name.length === length && length < 128 && PRINTABLE.test(name.toString('latin1')); // prettier-ignore
}

/** A file of version 6 is known although it was cut off; one of another version only where its lengths agree too. */
function isTrace({ head, path }: Probe): boolean {
  const version = head[0] ?? 0;
  if (head.length <= HEADER_BYTES || version === 0 || version > GREATEST_VERSION) return false;
  if (!startsWithName(head, HEADER_BYTES, version === VERSION ? 1 : SHORTEST_NAME)) return false;
  const length = head.readBigUInt64LE(1);
  return version === VERSION ? length > 0n && length < 1n << 48n : length > 0n && length < BigInt(statSync(path).size);
}

export const ntff: Reader = {
  id: 'ntff',
  title: 'AWS Neuron device trace, version 6 (neuron-profile capture, *.ntff)',
  reads: 'binary',
  sniff: isTrace,
  isCovered: hasReportBeside,
  read: (probe, options) => readTrace('ntff', probe, options),
};
