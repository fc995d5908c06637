/**
 * A Neuron device trace taken apart: what to write once, and the records to write again and again. Only records of
 * things that happen within the execution are kept, starts together with their ends: so every copy of them makes the
 * same lines, moved in time.
 */
import { fieldsOf, numberIn, type WireField } from './neuron-wire.js';

export const HEADER_BYTES = 128;
export const RECORD_BYTES = 16;

/** Fields of the metadata. */
export const WINDOW = 15;
const WINDOW_START = 2;
export const WINDOW_END = 3;
export const SECTION = 16;
const SECTION_KIND = 1;
export const SECTION_OFFSET = 5;
export const SECTION_SIZE = 6;
const INSTRUCTIONS = 0n;
const DMA = 4n;

/** Records that the device wrote one after the other: those of a section, or of one DMA engine in it. */
type Stretch = Buffer;

interface NeuronSection {
  readonly fields: readonly WireField[];
  readonly stretches: readonly Stretch[];
}

export interface NeuronTemplate {
  readonly header: Buffer;
  /** In the order of the file; those of sections stand in `sections`. */
  readonly fields: readonly WireField[];
  readonly sections: readonly NeuronSection[];
  /** Data before that of the first section: instructions. */
  readonly data: Buffer;
  /** Execution, ps of the device's clock. */
  readonly start: bigint;
  readonly end: bigint;
}

/** @throws Error when the bytes are no trace of version 6 with one execution, or its sections do not stand at the end */
export function neuronTemplate(bytes: Buffer): NeuronTemplate {
  const length = bytes.length < HEADER_BYTES || bytes[0] !== 6 ? NaN : Number(bytes.readBigUInt64LE(1));
  const fields =
    length <= bytes.length - HEADER_BYTES ? fieldsOf(bytes.subarray(HEADER_BYTES, HEADER_BYTES + length)) : null;
  const window = insideOf(fields?.find(({ field }) => field === WINDOW));
  if (fields === null || window === null) throw new Error('no device trace of version 6 with an execution');
  const [start, end] = [numberIn(window, WINDOW_START), numberIn(window, WINDOW_END)];
  const payload = bytes.subarray(HEADER_BYTES + length);
  const tables = fields.filter(({ field }) => field === SECTION).map((field) => insideOf(field) ?? []);
  const dataEnd = Math.min(
    payload.length,
    ...tables.filter((table) => numberIn(table, SECTION_SIZE) > 0n).map((t) => Number(numberIn(t, SECTION_OFFSET))),
  );
  const sections = tables.map((table) => {
    const offset = Number(numberIn(table, SECTION_OFFSET));
    const records = recordsOf(payload.subarray(offset, offset + Number(numberIn(table, SECTION_SIZE))));
    return { fields: table, stretches: stretches(numberIn(table, SECTION_KIND), records, start, end) };
  });
  return { header: bytes.subarray(0, HEADER_BYTES), fields, sections, data: payload.subarray(0, dataEnd), start, end };
}

const insideOf = (field: WireField | undefined): WireField[] | null =>
  Buffer.isBuffer(field?.value) ? fieldsOf(field.value) : null;

const recordsOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.floor(bytes.length / RECORD_BYTES) }, (_, i) =>
    bytes.subarray(i * RECORD_BYTES, (i + 1) * RECORD_BYTES),
  );

const timeOf = (record: Buffer): bigint => record.readBigUInt64LE(8);

/** The key that records of one activity share, and their number in it. */
interface Role {
  readonly key: number;
  readonly phase: 'start' | 'end' | 'completion' | null;
}

const DMA_PHASES: ReadonlyMap<number, Role['phase']> = new Map([
  [1, 'start'],
  [5, 'end'],
  [6, 'completion'],
]);

function roleOf(kind: bigint, record: Buffer): Role {
  const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0] = record;
  if (kind === INSTRUCTIONS) {
    const key = (((b3 >> 2) & 31) << 21) | (((b2 & 0x1f) << 16) | (b1 << 8) | b0);
    return { key, phase: (b3 & 3) === 0 ? 'start' : (b3 & 3) === 1 ? 'end' : null };
  }
  if (kind !== DMA) return { key: 0, phase: null };
  return { key: ((b3 & 31) << 4) | (b4 >> 4), phase: DMA_PHASES.get(b4 & 15) ?? null };
}

/** Which records are within the execution, together with the one that belongs to them. */
function stretches(kind: bigint, records: readonly Buffer[], from: bigint, to: bigint): Stretch[] {
  const isWithin = (record: Buffer): boolean => timeOf(record) >= from && timeOf(record) <= to;
  const open = new Map<number, number[]>();
  const kept = new Set<number>();
  records.forEach((record, i) => {
    const { key, phase } = roleOf(kind, record);
    if (phase === 'start') open.set(key, [...(open.get(key) ?? []), i]);
    else if (phase !== 'end') {
      if (isWithin(record)) kept.add(i);
    } else {
      const start = open.get(key)?.shift();
      if (start !== undefined && isWithin(records[start] ?? record) && isWithin(record)) kept.add(start).add(i);
    }
  });
  const byEngine = new Map<number, Buffer[]>();
  for (const record of records.filter((_, i) => kept.has(i))) {
    const engine = kind === DMA ? (record[3] ?? 0) & 31 : 0;
    byEngine.set(engine, [...(byEngine.get(engine) ?? []), record]);
  }
  return [...byEngine.values()].map((stretch) => Buffer.concat(stretch));
}
