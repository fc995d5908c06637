/** Small device traces of NeuronCores, written byte by byte as the layout has it: no code of the reader is used. */
import { message, type Field } from './wire.js';

/** Start of the execution: beyond 2^53, where doubles cannot represent neighbours. */
const START = 2n ** 60n + 7n;

/** Time of a record, ps from the start. */
const time = (ps: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, START + BigInt(ps)));
  return bytes;
};

const u16 = (value: number): number[] => [value & 0xff, value >> 8];
const u24 = (value: number): number[] => [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff];

export const instructionStart = (ps: number, engine: number, place: number, wait = 0): Buffer =>
  Buffer.concat([Buffer.from([...u24(place), 0x80 | ((engine + 1) << 2), 0, 0, ...u16(wait)]), time(ps)]);

export const instructionEnd = (ps: number, engine: number, place: number, crcIn = 0xffff, crcOut = 0xffff): Buffer =>
  Buffer.concat([Buffer.from([...u24(place), 0x81 | ((engine + 1) << 2), ...u16(crcIn), ...u16(crcOut)]), time(ps)]);

/** @param phase 1 start, 5 end, 6 completion */
export const packet = (ps: number, phase: number, engine: number, queue: number, bytes = 0, crc = 0): Buffer =>
  Buffer.concat([Buffer.from([...u24(bytes), 0x80 | engine, (queue << 4) | phase, 0, ...u16(crc)]), time(ps)]);

export const semaphore = (ps: number, id: number, value: number, kind = 1): Buffer => {
  const head = Buffer.from([id, kind, 243, 155, 0, 0, 0, 0]);
  head.writeUInt32LE(value, 4);
  return Buffer.concat([head, time(ps)]);
};

export const throttle = (ps: number, k: number, n: number, kind = 0): Buffer =>
  Buffer.concat([Buffer.from([0xca, 0, n, 0x9e, k, kind, 0, 0]), time(ps)]);

/** A section: of records, or of places that the file does not bear out. */
export interface SectionOf {
  readonly kind: number;
  readonly core?: number;
  readonly group?: number;
  readonly records?: readonly Buffer[];
  /** Instead of where the records are. */
  readonly offset?: number | bigint;
  readonly size?: number | bigint;
}

/** What one core ran. */
interface GraphOf {
  readonly name?: string;
  readonly core?: number;
  /** Opcodes of an engine's instructions, by engine. */
  readonly opcodes?: readonly (readonly number[])[];
  /** The instructions of 64 bytes instead, by engine. */
  readonly words?: readonly (readonly Buffer[])[];
  /** Where the runtime changed the program of an engine, by engine: places in bytes, numbers of instructions. */
  readonly edits?: readonly (readonly (readonly [offset: number, inserted: number, removed: number])[])[];
  /** Place of the first instruction in the device's memory, in instructions. */
  readonly place?: number;
  readonly rings?: readonly (readonly [engine: number, queue: number, name: string])[];
  readonly memory?: readonly (readonly [name: string, bytes: number])[];
}

/** The graph of core 4, or several. */
export interface TraceOf extends GraphOf {
  readonly version?: number;
  /** Execution, ps. */
  readonly length?: number;
  readonly sections?: readonly SectionOf[];
  readonly graphs?: readonly GraphOf[];
  readonly instance?: string;
  /** Of the program: 32 hexadecimal digits. */
  readonly uuid?: string;
  /** File of the program. */
  readonly program?: string;
  /** Version of the runtime, and the commit that it was built from. */
  readonly runtime?: readonly [major: number, minor: number, patch: number, commit: string];
  readonly driver?: readonly [major: number, minor: number];
  /** Instead of the fields of the metadata that go into a trace. */
  readonly fields?: (fields: Field[]) => Field[];
  /** Said of the metadata, instead of its length. */
  readonly metadataLength?: bigint;
}

const UUID = '00112233445566778899aabbccddeeff';
const INSTRUCTION = 64;

const wordsOf = ({ opcodes = [], words }: GraphOf): readonly (readonly Buffer[])[] =>
  words ??
  opcodes.map((codes) => codes.map((opcode) => Buffer.concat([Buffer.from([opcode]), Buffer.alloc(INSTRUCTION - 1)])));

/** @param start of the graph's instructions, from the first byte after the metadata */
function graph(program: GraphOf, start: number): Field[] {
  const { name = 'sg00', core = 4, place = 0, edits = [], rings = [], memory = [] } = program;
  let offset = start;
  const buffers = wordsOf(program).map((words, engine): Field => {
    const field: Field = [
      4,
      [
        [1, engine],
        [2, 2 ** 40 + place * INSTRUCTION],
        [7, offset],
        [8, words.length * INSTRUCTION],
      ],
    ];
    offset += words.length * INSTRUCTION;
    return field;
  });
  return [
    [1, name],
    [3, core],
    ...buffers,
    ...edits.map((list, engine): Field => [
      5,
      [
        [1, engine],
        ...list.map(([place, inserted, removed]): Field => [
          2,
          [
            [1, place],
            [2, inserted],
            [3, removed],
          ],
        ]),
      ],
    ]),
    ...rings.map(([engine, queue, ring]): Field => [
      7,
      [
        [1, engine],
        [2, queue],
        [4, ring],
      ],
    ]),
    ...memory.map(([kind, bytes]): Field => [
      11,
      [
        [2, bytes],
        [3, kind],
      ],
    ]),
  ];
}

const instructionsOf = (program: GraphOf): Buffer => Buffer.concat(wordsOf(program).flat());

/** The bytes of a trace. */
export function ntff(trace: TraceOf): Buffer {
  const { version = 6, length = 1_000_000, sections = [], graphs = [trace], instance = 'trn2.3xlarge' } = trace;
  const { driver = [2, 26] } = trace;
  const { program = 'made.neff', runtime: [major, minor, patch, commit] = [2, 30, 51, 'faafe26f'] } = trace;
  const uuid = Buffer.from(trace.uuid ?? UUID, 'hex');
  const data = graphs.map(instructionsOf);
  const starts = data.map((_, i) => Buffer.concat(data.slice(0, i)).length);
  const table = sections.map((section): Field => {
    const records = Buffer.concat(section.records ?? []);
    const offset = section.offset ?? Buffer.concat(data).length;
    data.push(records);
    const { kind, core = 4, group = 0 } = section;
    return [
      16,
      [
        [1, kind],
        [3, group],
        [5, offset],
        [6, section.size ?? records.length],
        [7, core],
      ],
    ];
  });
  const fields: Field[] = [
    [1, program],
    [2, uuid.subarray(0, 0)],
    [
      4,
      [
        [4, graphs.map((each, i): Field => [1, graph(each, starts[i] ?? 0)])],
        [5, uuid],
      ],
    ],
    [
      8,
      [
        [1, major],
        [2, minor],
        [3, patch],
        [5, commit],
      ],
    ],
    [9, instance],
    [
      11,
      [
        [1, driver[0]],
        [2, driver[1]],
      ],
    ],
    [
      15,
      [
        [1, uuid],
        [2, START],
        [3, START + BigInt(length)],
      ],
    ],
    [17, 'i-secret'],
    ...table,
  ];
  const metadata = message(trace.fields?.(fields) ?? fields);
  const header = Buffer.alloc(128, 0xa7);
  header[0] = version;
  header.writeBigUInt64LE(trace.metadataLength ?? BigInt(metadata.length), 1);
  return Buffer.concat([header, metadata, ...data]);
}
