/** Words of instructions, written field by field, and what they say. */
import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeInstruction,
  updatedSemaphore,
  type DecodedInstruction,
} from '../../../../../src/parse/readers/neuron/words/instruction-word.js';
import type { InstructionContext } from '../../../../../src/parse/readers/neuron/words/word-fields.js';
import { compiledTransfer } from '../../../../../src/parse/readers/neuron/words/engine-operands.js';

/** Bytes from an offset on. */
type Part = readonly [offset: number, bytes: readonly number[]];

const bytesOf = (size: number, write: (bytes: Buffer) => unknown): number[] => {
  const bytes = Buffer.alloc(size);
  write(bytes);
  return [...bytes];
};
const u16 = (...values: number[]): number[] => values.flatMap((value) => bytesOf(2, (b) => b.writeUInt16LE(value)));
const i16 = (...values: number[]): number[] => values.flatMap((value) => bytesOf(2, (b) => b.writeInt16LE(value)));
const u32 = (...values: number[]): number[] => values.flatMap((value) => bytesOf(4, (b) => b.writeUInt32LE(value)));
const u64 = (value: bigint): number[] => bytesOf(8, (b) => b.writeBigUInt64LE(value));
const f32 = (value: number): number[] => bytesOf(4, (b) => b.writeFloatLE(value));

function word(opcode: number, ...parts: readonly Part[]): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.set([opcode, 16]);
  for (const [offset, values] of parts) bytes.set(values, offset);
  return bytes;
}

const NAMES: Readonly<Record<number, string>> = { 5: 'Tensor', 9: 'qSyncDynamicHW' };
const PROGRAM: InstructionContext = { isRuntime: false, semaphoreName: (semaphore) => NAMES[semaphore] ?? null };
const RUNTIME: InstructionContext = { ...PROGRAM, isRuntime: true };
const UNKNOWN: InstructionContext = { ...PROGRAM, isRuntime: null };

const decoded = (bytes: Buffer, context = PROGRAM): DecodedInstruction => decodeInstruction(bytes, context);
const operandsOf = (bytes: Buffer, context = PROGRAM): string | null => decoded(bytes, context).operands;

/** Waits for semaphore 9 to be at least 33. */
const WAIT: Part = [4, [0x05, 9]];
const AT_LEAST: Part = [8, u32(33)];
/** Counts semaphore 5 up. */
const UPDATE: Part = [6, [0x13, 5]];

/** Address, strides and sizes. */
const tensor = (offset: number, address: number, strides: readonly number[], sizes: readonly number[]): Part => [
  offset,
  [...u32(address), ...i16(...strides), ...u16(...sizes)],
];

const BF16 = 0x06;
const FP32 = 0x0a;

describe('words of instructions', () => {
  it('load weights, of which an fp32 product takes parts', () => {
    const source = tensor(16, 0x372fe, [-1, 0, -32], [32, 1, 4]);
    const array: Part = [38, [128, 64]];
    expect(decoded(word(0x01, WAIT, AT_LEAST, source, [32, [BF16, 0, 1]], array))).to.deep.equal({
      operands: 'S[9] (qSyncDynamicHW)>=33 transpose_mode=ENABLED src=bfloat16@0x372fe[-1,0,-32][32,1,4] 128*64 ',
      labels: { type: 'TRANSPOSE' },
      // 32 x 4 elements of two bytes.
      counters: { sbufReadBytes: 256 },
    });
    expect(operandsOf(word(0x01, source, [32, [FP32, 2]], array))).to.equal(
      ' fp32_mode=HIGH transpose_mode=DISABLED src=fp32@0x372fe[-1,0,-32][32,1,4] 128*64 ',
    );
  });

  it('multiply, with the multiplications of all rows, columns and elements', () => {
    const product = word(
      0x02,
      UPDATE,
      tensor(16, 0x8000, [1, 0, 0], [512, 1, 1]),
      [32, [FP32, 3]],
      [38, [128, 32]],
      [43, [2]],
      tensor(48, 0x2000800, [1, 0, 0], [512, 1, 1]),
    );
    expect(decoded(product)).to.deep.equal({
      operands:
        'S[5] (Tensor)++@complete acc_flags=2 fp32_mode=LOW_HIGH src=fp32@0x8000[1,0,0][512,1,1] ' +
        'dst=0x2000800[1,0,0][512,1,1] 128*32 ',
      labels: { type: 'REGULAR' },
      // 128 * 32 * 512 multiplications; 512 elements of four bytes in a partition.
      counters: { elements: 2_097_152, sbufReadBytes: 2048, psumWriteBytes: 2048 },
    });
    product[34] = 1;
    expect(decoded(product).labels).to.deep.equal({ type: 'TRANSPOSE' });
  });

  it('copy, cast and take reciprocals: from type to type, one memory to the other', () => {
    const parts: readonly Part[] = [
      tensor(12, 0x2002000, [1, 512, 1, 1], [256, 2, 1, 1]),
      [32, [FP32, BF16, 128]],
      tensor(44, 0x4000, [1, 1, 1, 1], [512, 1, 1, 1]),
    ];
    for (const opcode of [0x46, 0x47, 0x48]) {
      expect(decoded(word(opcode, ...parts)), String(opcode)).to.deep.equal({
        operands: ' src=fp32@0x2002000[1,512,1,1][256,2,1,1] dst=bfloat16@0x4000[1,1,1,1][512,1,1,1] channels=128 ',
        labels: { type: 'REGULAR' },
        counters: { psumReadBytes: 2048, sbufWriteBytes: 1024, psumReadSbufWriteBytes: 1024 },
      });
    }
  });

  it('reduce', () => {
    const parts: readonly Part[] = [
      tensor(12, 0x5000, [1, 1, 1, 1], [512, 1, 1, 1]),
      [32, [FP32, FP32, 64]],
      tensor(44, 0x4800, [1, 1, 1, 1], [1, 1, 1, 1]),
    ];
    expect(decoded(word(0x42, ...parts, [35, [1, 8, 2]]))).to.deep.equal({
      operands: ' op=MAX dim=X negated=1 src=fp32@0x5000[1,1,1,1][512,1,1,1] dst=fp32@0x4800[1,1,1,1][1,1,1,1] channels=64 ',
      labels: { type: 'REGULAR' },
      counters: { sbufReadBytes: 2048, sbufWriteBytes: 4 },
    }); // prettier-ignore
    expect(operandsOf(word(0x42, ...parts, [35, [0, 4, 2]]))).to.match(/^ op=ADD dim=X src=/);
  });

  it('combine with scalars', () => {
    const operands = operandsOf(
      word(
        0x43,
        tensor(16, 0x2002000, [1, 1, 1], [128, 1, 1]),
        [32, [FP32, BF16, 128, 1, 6, 0]],
        [40, u32(0x6840)],
        tensor(48, 0x8850, [1, 1, 1], [128, 1, 1]),
      ),
    );
    expect(operands).to.equal(
      ' ops=MULTIPLY,BYPASS imm=0x6840,0 imm_src=PTR,INSTRUCTION src=fp32@0x2002000[1,1,1][128,1,1] ' +
        'dst=bfloat16@0x8850[1,1,1][128,1,1] channels=128 ',
    );
  });

  it('activate: the types of source and bias share a byte', () => {
    const activation = word(
      0x21,
      tensor(16, 0x2000000, [1, 1, 1], [256, 1, 1]),
      [32, [(FP32 << 4) | BF16, FP32, 128, 7]],
      [36, f32(0.125)],
      [40, u32(0x4810)],
      tensor(48, 0x4820, [1, 1, 1], [256, 1, 1]),
    );
    expect(decoded(activation)).to.deep.equal({
      operands:
        ' EXP bias_ptr=fp32@0x4810 src=bfloat16@0x2000000[1,1,1][256,1,1] dst=fp32@0x4820[1,1,1][256,1,1] ' +
        'channels=128 scale=0.125000 imm=0.000000 accumulator_cmd=IDLE',
      labels: { type: 'REGULAR', activation: 'EXP' },
      counters: { psumReadBytes: 512, sbufWriteBytes: 1024, psumReadSbufWriteBytes: 1024 },
    });
    expect(operandsOf(word(0x23, [12, u32(3)]))).to.equal(' table_sel=3 ');
  });

  /** Address, strides, sizes and bytes of an element of one side of a transfer. */
  const side = (offset: number, place: readonly number[], strides: readonly [number, number], rows: number): Part => [
    offset,
    [...place, ...u32(...strides), ...u16(rows, 1), ...u16(256)],
  ];

  it('move between memories', () => {
    const parts: readonly Part[] = [
      [13, [24, 16]],
      side(16, [...u32(0x400), 2, 0, 0, 0x20], [256, 1], 128),
      side(40, u64(0x8020_0000_7e00n), [262_144, 1], 128),
    ];
    const moved = word(0xb8, WAIT, AT_LEAST, ...parts, [62, [BF16, BF16]]);
    expect(decoded(moved)).to.deep.equal({
      operands:
        'S[9] (qSyncDynamicHW)>=33 semaphore=24 sem_increment=16  src_elem_size=256 dst_elem_size=256 ' +
        'src_pattern=[256,1][128,1] dst_pattern=[262144,1][128,1] src_table_offset_imm=0x400 src_table_index=2 ' +
        'src_shape_reg=0 dst_addr_imm=0x802000007e00 dst_shape_reg=0 compute_op=NONE ',
      labels: { type: 'REGULAR' },
      // 128 rows of 256 bytes.
      moves: { bytes: 32_768, memories: ['hbm', 'sbuf'], semaphore: 24 },
      counters: { hbmReadBytes: 32_768, sbufWriteBytes: 32_768 },
    });
    expect(updatedSemaphore(moved)).to.deep.equal({ semaphore: 24, byQueue: true });
    expect(operandsOf(word(0xb8, ...parts, [62, [FP32, BF16]]))).to.include(
      ' in_dtype=fp32 out_dtype=bfloat16 compute',
    );
    // No place of this kind was seen.
    moved[23] = 0x40;
    expect(decoded(moved)).to.deep.include({ operands: null, counters: { sbufWriteBytes: 32_768 } });
  });

  it('move from a variable as the compiler wrote it', () => {
    const compiled = word(
      0xd4,
      [13, [24, 16]],
      side(16, [...u32(512), 6, 0, 0, 0x10], [256, 1], 128),
      side(40, [...u32(0), 1, 0, 0, 0x20], [256, 1], 128),
      [62, [BF16, BF16]],
    );
    const { operands, sides } = compiledTransfer(compiled, PROGRAM);
    expect(operands).to.equal(
      ' dge_op=DIRECT2D semaphore=24 sem_increment=16  src_elem_size=256 dst_elem_size=256 ' +
        'src_pattern=[256,1][128,1] dst_pattern=[256,1][128,1] src_var_id=6 src_var_offset=512 src_shape_reg=0 ' +
        'dst_table_offset_imm=0 dst_table_index=1 dst_shape_reg=0   ',
    );
    expect(sides.map(({ variable, entry }) => [variable, entry])).to.deep.equal([
      [6, null],
      [null, 1],
    ]);
  });

  it('know places beside the state buffer as no memory', () => {
    // Registers, and what follows the state buffer in a core's span.
    for (const address of [0x8010_0000_0000n, 0x8020_0200_0000n]) {
      const moved = word(0xb8, side(16, u64(0x1000n), [1, 1], 2), side(40, u64(address), [1, 1], 2));
      expect(decoded(moved).counters).to.deep.equal({ hbmReadBytes: 512 });
    }
  });

  it('steer: semaphores, registers, branches, notifications', () => {
    const cases: readonly (readonly [Buffer, string])[] = [
      [word(0xa0, [4, [0x05, 3]], [8, u32(7)]), '$S[3]>=7 setter=0   '],
      [word(0xa0, [32, [0x01, 2, 0x15, 1]], [36, u32(4)], [40, u32(6)]), ' setter=0 $S[2]==4 $S[1]+=6@complete '],
      [word(0xa0, [34, [0x19, 1]], [40, u32(6)]), ' setter=0  $S[1]=6@complete '],
      [word(0xa0, [34, [0x13, 1]]), ' setter=0  $S[1]++@complete '],
      [word(0xa0, [34, [0x14, 1]]), ' setter=0  $S[1]--@complete '],
      [word(0xa2), ' '],
      [word(0xa4, [4, [0x07, 4, 0x11, 2]], [12, u32(1)]), '$E[4]==1- $E[2]+@complete cycle=1 '],
      [word(0xa5, [12, [4, 0]], [16, u64(0x8010n)], [32, u64(2n)]), ' data=0x2 size=4 dst=0x8010 '],
      [
        word(0xa5, [12, [4, 8]], [16, u64(0x8010n)], [24, u64(0x9020n)], [32, u64(2n)], [40, u64(0xffn)]),
        ' data=0x2,0xff size=4,8 dst=0x8010,0x9020 ',
      ],
      [word(0xa6, [2, [9]], [36, [3]], [39, [1]]), '  hint=3 notification=EXPLICIT  trace=START '],
      [word(0xa9, [48, u32(0x80)]), ' cmp_op=ALWAYS label_id=128 '],
      [
        word(0xa9, [3, [2]], [12, [3, 8]], [16, [1]], [32, u32(5)], [48, u32(64)]),
        ' cmp_op=EQ dtype=int32 cmp0=$R[1] cmp1=5 label_id=64 debugHint=2',
      ],
      [
        word(0xaa, [12, [9, 0, 2, 1]], [16, u64(0x8005_0000n)], [24, u32(1, 0)], [32, [130, 131]]),
        ' addr=uint32@0x80050000[1,0][2,1] data=$R[130],$R[131] ',
      ],
      [word(0xb0, [12, [1, 207, 255]]), ' mode=SEMAPHORE_ZERO first=207 last=255 '],
      [word(0xb1, [12, [1]]), ' ordering_mode=strict '],
      [word(0xb1), ' ordering_mode=relaxed '],
    ];
    for (const [bytes, text] of cases) expect(operandsOf(bytes, RUNTIME)).to.equal(text);
  });

  it('of the runtime have no counters, and another notation of semaphores; others no type when nobody says whose they are', () => {
    const copy = word(0x46, WAIT, AT_LEAST, tensor(12, 0, [1, 1, 1, 1], [2, 1, 1, 1]), [32, [FP32, FP32]]);
    expect(decoded(copy, RUNTIME)).to.deep.include({ labels: {}, counters: {} });
    expect(operandsOf(copy, RUNTIME)).to.match(/^\$S\[9\]>=33 /);
    expect(decoded(copy, UNKNOWN)).to.deep.include({ labels: {}, counters: { sbufReadBytes: 8, sbufWriteBytes: 0 } });
    expect(operandsOf(copy, UNKNOWN)).to.match(/^S\[9\] \(qSyncDynamicHW\)>=33 /);
  }); // prettier-ignore

  it('name a semaphore by its number alone when nothing updates it', () => {
    expect(operandsOf(word(0xa2, [4, [0x05, 77]], AT_LEAST))).to.equal('S[77]>=33 ');
  });

  it('tell which semaphores are updated', () => {
    expect(updatedSemaphore(word(0x46, UPDATE))).to.deep.equal({ semaphore: 5, byQueue: false });
    expect(updatedSemaphore(word(0x46))).to.equal(null);
  });

  it('have unknown operands where a code is unknown', () => {
    const unknown: readonly Buffer[] = [
      word(0x99),
      // Element types, of a source, a destination, a bias.
      word(0x01, [32, [0x3f]]),
      word(0x46, [32, [FP32, 0x77]]),
      word(0x21, [32, [FP32, FP32, 1, 7]]),
      // Modes of fp32 and of transposition.
      word(0x01, [32, [FP32, 4]]),
      word(0x01, [32, [FP32, 0, 2]]),
      // Operations, dimensions, negation.
      word(0x42, [32, [FP32, FP32, 1, 0, 5, 2]]),
      word(0x42, [32, [FP32, FP32, 1, 0, 4, 3]]),
      word(0x42, [32, [FP32, FP32, 1, 2, 4, 2]]),
      word(0x43, [32, [FP32, FP32, 1, 1, 9, 0]]),
      word(0x43, [32, [FP32, FP32, 1, 2, 6, 0]]),
      word(0x43, [32, [FP32, FP32, 1, 1, 6, 0]], [44, u32(1)]),
      word(0x21, [32, [0xaa, FP32, 1, 6]]),
      word(0x21, [12, u32(1)], [32, [0xaa, FP32, 1, 7]]),
      // Semaphores: a condition, an update, an update that needs a value where there is none.
      word(0xa2, [4, [0x44, 1]]),
      word(0xa2, [6, [0x44, 1]]),
      word(0xa2, [6, [0x15, 1]]),
      word(0xa0, [32, [0x44, 1]]),
      // Comparisons and what they compare, notifications, orders, what is cleared.
      word(0xa9, [12, [1]]),
      word(0xa9, [12, [3, 0x44]]),
      word(0xa6),
      word(0xaa, [12, [0x44, 0, 1, 1]]),
      word(0xb0),
      word(0xb1, [12, [2]]),
      word(0xb8, [62, [0x3f, FP32]]),
    ];
    for (const bytes of unknown) expect(operandsOf(bytes), bytes.toString('hex')).to.equal(null);
  });

  it('never fail, whatever their bytes', () => {
    const opcodes = [0x01, 0x02, 0x21, 0x23, 0x42, 0x43, 0x46, 0x47, 0x48, 0xa0, 0xa2, 0xa4, 0xa5, 0xa6, 0xa9, 0xaa];
    const anyOpcode = fc.oneof(fc.constantFrom(...opcodes, 0xb0, 0xb1, 0xb8, 0xd4), fc.integer({ min: 0, max: 255 }));
    fc.assert(
      fc.property(
        anyOpcode,
        fc.uint8Array({ minLength: 64, maxLength: 64 }),
        fc.constantFrom(PROGRAM, RUNTIME, UNKNOWN),
        (opcode, rest, context) => {
          const bytes = Buffer.from(rest);
          bytes[0] = opcode;
          const { operands, counters } = decodeInstruction(bytes, context);
          expect(operands === null || operands.length < 1000).to.equal(true);
          for (const value of Object.values(counters)) expect(Number.isInteger(value) && value >= 0).to.equal(true);
          compiledTransfer(bytes, context);
          updatedSemaphore(bytes);
        },
      ),
    );
  });
});
