/** Damage to a Neuron device trace: to its header, the fields of its metadata, its records, or anywhere. */
import { damage } from './bytes.js';
import type { Random } from '../random.js';
import { fieldsOf, message, VARINT, type WireField } from '../../neuron-wire.js';
import { HEADER_BYTES, RECORD_BYTES } from '../../neuron-template.js';

/** Messages within messages that are opened. */
const DEEPEST = 6;

const metadataEnd = (bytes: Buffer): number =>
  Math.min(bytes.length, HEADER_BYTES + (bytes.length < HEADER_BYTES ? 0 : Number(bytes.readBigUInt64LE(1))));

/** The message with one field changed, here or in a message inside. */
function changeField(bytes: Buffer, random: Random, depth = 0): Buffer {
  const fields = fieldsOf(bytes);
  if (fields === null || fields.length === 0) return bytes.length === 0 ? random.bytes(8) : damage(bytes, random);
  const at = random.below(fields.length);
  const field = fields[at];
  if (field === undefined) return bytes;
  switch (random.below(8)) {
    case 0:
      return message(fields.toSpliced(at, 1));
    case 1:
      return message(
        Array<WireField[]>(random.few(64))
          .fill([field])
          .reduce((all, one) => [...all, ...one], fields),
      );
    case 2:
      return message(fields.with(at, { ...field, field: 1 + random.below(20) }));
    default:
      return message(fields.with(at, { ...field, value: changeValue(field, random, depth) }));
  }
}

function changeValue({ kind, value }: WireField, random: Random, depth: number): bigint | Buffer {
  if (typeof value === 'bigint') return random.number(value);
  const copy = Buffer.from(value);
  if (kind === VARINT) return 0n;
  const isMessage = depth < DEEPEST && value.length > 1 && fieldsOf(value) !== null;
  if (isMessage && random.chance(0.85)) return changeField(copy, random, depth + 1);
  return random.chance(0.3) ? random.bytes(random.few(2048)) : damage(copy, random);
}

/** Fields of the metadata changed; its length is said right, so that what follows is still found. */
function changeMetadata(bytes: Buffer, random: Random): Buffer {
  const end = metadataEnd(bytes);
  let metadata = Buffer.from(bytes.subarray(HEADER_BYTES, end));
  for (let n = random.few(6); n > 0; n--) metadata = Buffer.from(changeField(metadata, random));
  const header = Buffer.from(bytes.subarray(0, HEADER_BYTES));
  if (header.length === HEADER_BYTES) header.writeBigUInt64LE(BigInt(metadata.length), 1);
  return Buffer.concat([header, metadata, bytes.subarray(end)]);
}

/** Records: one word or time of each changed, or copied over others. */
function changeRecords(bytes: Buffer, random: Random): Buffer {
  const end = metadataEnd(bytes);
  const count = Math.floor((bytes.length - end) / RECORD_BYTES);
  for (let n = random.few(256); n > 0 && count > 0; n--) {
    const at = bytes.length - RECORD_BYTES * (1 + random.below(count));
    const choice = random.below(4);
    if (choice < 2) bytes.writeUInt32LE(random.word(), at + 4 * choice);
    else if (choice === 2) bytes.writeBigUInt64LE(random.number(bytes.readBigUInt64LE(at + 8)), at + 8);
    else bytes.copyWithin(at, bytes.length - RECORD_BYTES * (1 + random.below(count)), at + RECORD_BYTES);
  }
  return bytes;
}

/** @param bytes may be changed */
export function damageNtff(bytes: Buffer, random: Random): Buffer {
  const end = metadataEnd(bytes);
  const choice = random.below(100);
  if (choice < 45) return changeMetadata(bytes, random);
  if (choice < 60) return changeRecords(bytes, random);
  if (choice < 70) return changeRecords(changeMetadata(bytes, random), random);
  if (choice < 75) return damage(bytes, random, { from: 0, to: 12 });
  if (choice < 88) return damage(bytes, random, { from: HEADER_BYTES, to: end });
  return damage(bytes, random);
}
