/**
 * What a payload of NCCL states, binary or as JSON.
 *
 * Sources: NCCL, src/include/nvtx_payload_schemas.h and src/collectives.cc of 2.18 to 2.28 (names of entries; up to 2.24 a
 * collective's payload has no communicator); Nsight Systems documentation, "Recipe Composite Tables" (fields of JSON).
 */
import { elementType } from '../../../../record/element-types.js';
import { fieldOf, textOf } from '../../../json/json-value.js';
import { ExactDecoder } from '../../../json/exact-json.js';
import type { Payload } from './payload-schemas.js';

/** Each null where it is not stated. */
export interface NcclFacts {
  /** Hash of the communicator, in hexadecimal: the same on all of its ranks. */
  readonly communicator: string | null;
  /** Size of one message, as the call has it. */
  readonly bytes: number | null;
  readonly dtype: string | null;
  /** Ranks of the communicator. */
  readonly ranks: number | null;
  /** In the communicator. */
  readonly peer: number | null;
  readonly root: number | null;
  readonly ordinal: number | null;
}

export const NO_FACTS: NcclFacts = {
  communicator: null,
  bytes: null,
  dtype: null,
  ranks: null,
  peer: null,
  root: null,
  ordinal: null,
};

const countOf = (value: bigint | undefined): number | null =>
  value === undefined || value < 0n || value > Number.MAX_SAFE_INTEGER ? null : Number(value);

/** 0 is the communicator of a call that fails. */
const communicatorOf = (hash: bigint | undefined): string | null =>
  hash === undefined || hash <= 0n ? null : `0x${hash.toString(16)}`;

export function factsOfPayload(payload: Payload): NcclFacts {
  return {
    ...NO_FACTS,
    communicator: communicatorOf(payload.get('NCCL communicator ID')),
    // Up to 2.19 a broadcast's and a message's are called `Bytes`.
    bytes: countOf(payload.get('Message size [bytes]') ?? payload.get('Bytes')),
    ranks: countOf(payload.get('No. of ranks')),
    peer: countOf(payload.get('Peer rank') ?? payload.get('Peer')),
    root: countOf(payload.get('Root')),
  };
}

/** Longest JSON that is read. */
const MOST_BYTES = 64 * 1024;

/** Null when the text is no JSON object. Integers may be numbers or texts, in decimal or as `0x…`. */
export function factsOfJson(text: string): NcclFacts | null {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES) return null;
  const value = new ExactDecoder().decode(bytes, 0, bytes.length);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const integer = (key: string): bigint | undefined => integerIn(fieldOf(value, key));
  const type = elementType((textOf(fieldOf(value, 'dataType')) ?? '').replace(/^nccl/i, ''));
  const count = countOf(integer('count'));
  return {
    ...NO_FACTS,
    communicator: communicatorOf(integer('commHash')),
    bytes: count === null || type === null ? null : count * type.bytes,
    dtype: type?.dtype ?? null,
    ranks: countOf(integer('nRanks')),
    peer: countOf(integer('peer')),
    root: countOf(integer('root')),
    ordinal: countOf(integer('seqNumber')),
  };
}

function integerIn(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^(?:\d{1,20}|0x[\da-f]{1,16})$/i.test(value) ? BigInt(value) : undefined;
}
