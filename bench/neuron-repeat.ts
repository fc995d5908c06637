/**
 * Repeats the records of a Neuron device trace, so that a short one stands for a long execution:
 *
 *   tsx bench/neuron-repeat.ts INPUT.ntff N OUT.ntff
 *
 * Copy k has all times moved by k × (length of the execution + a gap, in whole nanoseconds), and the execution lasts
 * to the end of the last copy. Stretches of records that the device wrote one after the other (those of a section, or
 * of one DMA engine in it) are repeated each on its own, as a longer execution would have made them. Memory: that of the input.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  neuronTemplate,
  RECORD_BYTES,
  SECTION,
  SECTION_OFFSET,
  SECTION_SIZE,
  WINDOW,
  WINDOW_END,
  type NeuronTemplate,
} from './neuron-template.js';
import { fieldsOf, message, RUN_OF_BYTES, withNumber, type WireField } from './neuron-wire.js';
import { writePieces } from './write-pieces.js';

/** Between two copies. */
const GAP_PS = 1_000_000n;
const PS_PER_NS = 1000n;
const WORD = 2 ** 32;
const PIECE = 1 << 22;

/** By how much copies differ that follow each other: whole nanoseconds, so that what is cut off never changes. */
export const strideOf = ({ start, end }: NeuronTemplate): bigint =>
  ((end - start + PS_PER_NS - 1n) / PS_PER_NS) * PS_PER_NS + GAP_PS;

/** Bytes of records in one copy. */
export const copyBytes = ({ sections }: NeuronTemplate): number =>
  sections.flatMap(({ stretches }) => stretches).reduce((sum, { length }) => sum + length, 0);

/** Copies that make a file of at least so many bytes. */
export const copiesFor = (template: NeuronTemplate, bytes: number): number => Math.ceil(bytes / copyBytes(template));

/** Metadata of the repeated trace. */
function metadata({ fields, sections, data, end }: NeuronTemplate, times: number, stride: bigint): Buffer {
  let [offset, next] = [BigInt(data.length), 0];
  const inside = (field: WireField, change: (fields: WireField[]) => WireField[]): WireField => ({
    ...field,
    value: message(change((Buffer.isBuffer(field.value) ? fieldsOf(field.value) : null) ?? [])),
  });
  return message(
    fields.map((field) => {
      if (field.kind !== RUN_OF_BYTES) return field;
      if (field.field === WINDOW)
        return inside(field, (f) => withNumber(f, WINDOW_END, end + BigInt(times - 1) * stride));
      if (field.field !== SECTION) return field;
      const stretches = sections[next++]?.stretches ?? [];
      const size = BigInt(stretches.reduce((sum, { length }) => sum + length, 0) * times);
      const at = offset;
      offset += size;
      return inside(field, (f) => withNumber(withNumber(f, SECTION_OFFSET, at), SECTION_SIZE, size));
    }),
  );
}

/** Copies of a stretch, each moved in time, in pieces that are valid until the next one. */
function* copies(stretch: Buffer, times: number, stride: bigint): Generator<Buffer> {
  if (stretch.length === 0) return;
  const perPiece = Math.max(1, Math.min(times, Math.floor(PIECE / stretch.length)));
  const piece = Buffer.alloc(perPiece * stretch.length);
  for (let copy = 0; copy < times; copy += perPiece) {
    const count = Math.min(perPiece, times - copy);
    for (let i = 0; i < count; i++) {
      const shift = BigInt(copy + i) * stride;
      const [low, high] = [Number(shift & 0xffffffffn), Number(shift >> 32n)];
      stretch.copy(piece, i * stretch.length);
      for (let at = i * stretch.length; at < (i + 1) * stretch.length; at += RECORD_BYTES) {
        const sum = piece.readUInt32LE(at + 8) + low;
        piece.writeUInt32LE(sum % WORD, at + 8);
        piece.writeUInt32LE((piece.readUInt32LE(at + 12) + high + (sum >= WORD ? 1 : 0)) % WORD, at + 12);
      }
    }
    yield piece.subarray(0, count * stretch.length);
  }
}

/**
 * Writes `times` copies of the trace as one.
 * @param write gets the bytes in order; a piece is valid only until it returns
 */
export function repeatNeuron(template: NeuronTemplate, times: number, write: (piece: Buffer) => void): void {
  const stride = strideOf(template);
  const bytes = metadata(template, times, stride);
  const header = Buffer.from(template.header);
  header.writeBigUInt64LE(BigInt(bytes.length), 1);
  for (const part of [header, bytes, template.data]) write(part);
  for (const { stretches } of template.sections) {
    for (const stretch of stretches) for (const piece of copies(stretch, times, stride)) write(piece);
  }
}

/** Writes the copies into a file, in place of one that may be there. */
export function writeRepeatedNeuron(template: NeuronTemplate, times: number, path: string): void {
  writePieces(path, (write) => repeatNeuron(template, times, write));
}

function main(): void {
  const [input, count, out, ...rest] = process.argv.slice(2);
  const times = Number(count);
  if (input === undefined || out === undefined || rest.length > 0 || !Number.isInteger(times) || times < 1) {
    process.stderr.write('usage: tsx bench/neuron-repeat.ts INPUT.ntff N OUT.ntff\n');
    process.exitCode = 2;
    return;
  }
  writeRepeatedNeuron(neuronTemplate(readFileSync(input)), times, out);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
